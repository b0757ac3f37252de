import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { blankResponse } from "../../src/core/blank-response.ts";
import { collect } from "../../src/core/collect.ts";
import { text } from "../../src/core/views.ts";
import { provider, type Provider, type ProviderOptions } from "../../src/providers/index.ts";
import { connect } from "../../src/transport/connect.ts";

interface Asked {
  url: string | undefined;
  headers: IncomingMessage["headers"];
  body: unknown;
}

/** What a server gets to see when a provider asks it something. */
async function asking(which: string, options: ProviderOptions): Promise<Asked> {
  let asked: Asked | undefined;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      asked = { url: request.url, headers: request.headers, body: JSON.parse(body) };
      const done = { ...blankResponse("resp_1", 0, {}), status: "completed" };
      const event = { type: "response.completed", sequence_number: 0, response: done };
      response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${JSON.stringify(event)}\n\n`);
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  try {
    await collect(connect(provider(which, { ...options, baseUrl }))({ input: "Hello", store: true }));
  } finally {
    await new Promise((closed) => server.close(closed));
  }
  if (!asked) throw new Error("Nothing was asked.");
  return asked;
}

describe("a connected provider", () => {
  test("sends its model, key, headers and query, in its dialect", async () => {
    const options = { apiKey: "sk-1", env: {}, headers: { "x-team": "search" }, query: { trace: "1" } };
    const asked = await asking("openrouter/meta-llama/llama-3:free", options);
    expect(asked).toMatchObject({
      url: "/v1/responses?trace=1",
      headers: { authorization: "Bearer sk-1", "x-team": "search" },
      body: { model: "meta-llama/llama-3:free", input: "Hello" },
    });
    expect(asked.body).not.toHaveProperty("store");
  });

  test("fails before it asks where it has no key", async () => {
    const keyless: Provider = provider("openai", { baseUrl: "http://127.0.0.1:1", env: {} });
    const respond = connect(keyless);
    await expect(collect(respond({ input: "Hello" }))).rejects.toMatchObject({ code: "AUTH_ERROR", provider: "openai" });
  });

  test("answers from this process where it is the offline model", async () => {
    const response = await collect(connect(provider("offline"))({ input: "What is 2 + 3?" }));
    expect(response).toMatchObject({ status: "completed", model: "offline" });
    expect(text(response)).toContain("5");
  });
});
