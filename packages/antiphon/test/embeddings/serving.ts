import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

/** A request that the server received. */
export interface Asked {
  path: string;
  body: { model: string; input: string[]; encoding_format?: string; [field: string]: unknown };
}

/** Returns the answer to the `count`-th request. */
export type Answer = (asked: Asked, count: number) => { status?: number; body: unknown; delay?: number };

const closers: (() => void)[] = [];
afterAll(() => closers.forEach((close) => close()));

/** Starts an embeddings server on loopback. It stops after the tests of the file. */
export async function serving(answer: Answer) {
  const asked: Asked[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const one: Asked = { path: request.url ?? "", body: JSON.parse(Buffer.concat(chunks).toString()) };
      const { status = 200, body, delay = 0 } = answer(one, asked.push(one));
      setTimeout(() => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)), delay);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close());
  return { asked, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}
