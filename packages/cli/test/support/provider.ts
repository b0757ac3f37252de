import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** What a provider is asked. */
export interface Asked {
  path: string;
  headers: IncomingMessage["headers"];
  body: Record<string, unknown>;
}

/** What it answers. */
export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body: unknown;
}

/** A provider on this machine, which is gone when the test is over. */
export async function provider(answer: (asked: Asked) => Answer): Promise<{ url: string; asked: Asked[]; close(): void }> {
  const asked: Asked[] = [];
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const one: Asked = { path: request.url ?? "", headers: request.headers, body: body === "" ? {} : JSON.parse(body) };
    asked.push(one);
    const { status = 200, headers = {}, body: said } = answer(one);
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(said));
  };
  const server = createServer((request, response) => void reply(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked, close };
}

/** A response that says something, as a provider writes it. */
export const saying = (words: string, ...output: object[]): Answer => ({
  body: {
    id: "resp_1",
    object: "response",
    created_at: 1,
    status: "completed",
    model: "m",
    output: [
      ...output,
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: words, annotations: [] }],
      },
    ],
  },
});
