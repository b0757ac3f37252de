import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll } from "vitest";
import { provider, type ModelInfo, type Provider } from "../../../src/providers/index.ts";

/** What a server was asked for. */
export interface Asked {
  url: string | undefined;
  method: string | undefined;
  headers: IncomingMessage["headers"];
}

/** A server with lists of models, for as long as a file's tests run. */
export function listingServer() {
  const answers = new Map<string, { status: number; body: string }>();
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    asked.push({ url: request.url, method: request.method, headers: request.headers });
    const { status, body } = answers.get(request.url ?? "") ?? { status: 404, body: "{}" };
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
  beforeAll(() => new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready)));
  afterAll(() => new Promise((closed) => server.close(closed)));
  // The server listens on a port, not on a pipe.
  const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  /** A provider of a name whose server has these documents, by their place below the base URL. */
  function servingAs(name: string, documents: Readonly<Record<string, unknown>>, status = 200): Provider {
    const base = `/${answers.size}/v1`;
    for (const [path, body] of Object.entries(documents)) answers.set(`${base}${path}`, { status, body: JSON.stringify(body) });
    return provider(name, { baseUrl: `${origin()}${base}`, apiKey: "k", env: {} });
  }

  /** A provider whose server lists this. */
  const serving = (body: unknown, status = 200): Provider => servingAs("openai", { "/models": body }, status);
  return { asked, origin, serving, servingAs };
}

export const idsOf = (models: readonly ModelInfo[]): string[] => models.map(({ id }) => id);
