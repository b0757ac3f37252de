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
  /** What came back. */
  said: string;
}

const frames = (...values: object[]): string => values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join("");
const completed = { ...blankResponse("resp_1", 0, {}), status: "completed" };
const nothing = frames({ type: "response.completed", sequence_number: 0, response: completed });

/** What a server gets to see when a provider asks it something. */
async function asking(which: string, options: ProviderOptions, answer = nothing): Promise<Asked> {
  let asked: Omit<Asked, "said"> | undefined;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      asked = { url: request.url, headers: request.headers, body: JSON.parse(body) };
      response.writeHead(200, { "content-type": "text/event-stream" }).end(answer);
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  try {
    const response = await collect(connect(provider(which, { ...options, baseUrl }))({ input: "Hello", store: true }));
    if (!asked) throw new Error("Nothing was asked.");
    return { ...asked, said: text(response) };
  } finally {
    await new Promise((closed) => server.close(closed));
  }
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

  test("speaks Chat Completions where its preset says so", async () => {
    const chunk = { id: "c1", choices: [{ index: 0, delta: { role: "assistant", content: "Hi." }, finish_reason: "stop" }] };
    expect(
      await asking("groq:llama-3.3-70b-versatile", { apiKey: "gsk-1", env: {} }, `${frames(chunk)}data: [DONE]\n\n`),
    ).toMatchObject({
      url: "/v1/chat/completions",
      headers: { authorization: "Bearer gsk-1" },
      body: { model: "llama-3.3-70b-versatile", messages: [{ role: "user", content: "Hello" }], stream: true },
      said: "Hi.",
    });
  });

  test("speaks Messages where its preset says so", async () => {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const answer = frames(
      { type: "message_start", message: { id: "msg_1", role: "assistant", model: "claude-sonnet-5", content: [], usage } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi." } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
      { type: "message_stop" },
    );
    expect(await asking("claude", { apiKey: "sk-ant-1", env: {} }, answer)).toMatchObject({
      url: "/v1/messages",
      headers: { "x-api-key": "sk-ant-1", "anthropic-version": "2023-06-01" },
      body: { model: "claude-sonnet-5", messages: [{ role: "user" }], stream: true },
      said: "Hi.",
    });
  });

  test("speaks Gemini's wire where its preset says so", async () => {
    const answer = frames({ candidates: [{ content: { role: "model", parts: [{ text: "Hi." }] }, finishReason: "STOP" }] });
    expect(await asking("google:gemini-2.5-flash", { env: { GOOGLE_API_KEY: "AIza-1" } }, answer)).toMatchObject({
      url: "/v1/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
      headers: { "x-goog-api-key": "AIza-1" },
      body: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
      said: "Hi.",
    });
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
