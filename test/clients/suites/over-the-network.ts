import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { AntiphonError } from "antiphon";
import { scripted } from "antiphon/testing";
import OpenAI from "openai";
import { describe, expect } from "vitest";
import { can } from "../support/cell.ts";
import { listen } from "../support/listen.ts";
import { prompts } from "../support/prompts.ts";
import { serve, type Served } from "../support/serve.ts";

const model = "offline";
const apiKey = "none";
const messages = (content: string) => [{ role: "user" as const, content }];

/** How each client streams text from a server, until it is told to stop. */
const clients: Record<string, (url: string, prompt: string, signal?: AbortSignal) => AsyncGenerator<string>> = {
  "openai 6 · Responses": async function* read(url, input, signal) {
    const client = new OpenAI({ apiKey, baseURL: `${url}/v1` });
    for await (const event of await client.responses.create({ model, input, stream: true }, { signal }))
      if (event.type === "response.output_text.delta") yield event.delta;
  },
  "openai 6 · Chat Completions": async function* read(url, prompt, signal) {
    const client = new OpenAI({ apiKey, baseURL: `${url}/v1` });
    const stream = await client.chat.completions.create({ model, messages: messages(prompt), stream: true }, { signal });
    for await (const { choices } of stream) yield choices[0]?.delta.content ?? "";
  },
  "@anthropic-ai/sdk 1 · Messages": async function* read(url, prompt, signal) {
    const client = new Anthropic({ apiKey, baseURL: url });
    const asked = { model, max_tokens: 10_000, messages: messages(prompt), stream: true as const };
    for await (const event of await client.messages.create(asked, { signal }))
      if (event.type === "content_block_delta" && event.delta.type === "text_delta") yield event.delta.text;
  },
  "@google/genai 2 · generateContent": async function* read(url, contents, abortSignal) {
    const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } });
    for await (const { text } of await client.models.generateContentStream({ model, contents, config: { abortSignal } }))
      yield text ?? "";
  },
};

async function withServer(served: Served, use: (url: string) => Promise<void>): Promise<void> {
  const { url, close } = await listen(served.handler);
  await use(url).finally(close);
}

describe.each(Object.entries(clients))("%s", (_, read) => {
  can("streaming", "works over a socket", () =>
    withServer(serve(), async (url) => {
      let text = "";
      for await (const delta of read(url, prompts.say)) text += delta;
      expect(text).toBe(prompts.saidWhole);
    }),
  );

  can("abort", "a client that leaves its socket stops the model", () => {
    const served = serve();
    return withServer(served, async (url) => {
      const controller = new AbortController();
      const reading = (async () => {
        for await (const delta of read(url, prompts.endless, controller.signal)) if (delta) controller.abort();
        return "aborted";
      })().catch(String);
      await served.stopped;
      // Some clients end their stream when they are told to stop, others throw.
      expect(await reading).toMatch(/abort/i);
    });
  });
});

const retrying = {
  "openai 6 · Responses": (fetch: Served["fetch"]) =>
    new OpenAI({ apiKey, baseURL: "http://local/v1", fetch }).responses.create({ model, input: "Hello" }),
  "openai 6 · Chat Completions": (fetch: Served["fetch"]) =>
    new OpenAI({ apiKey, baseURL: "http://local/v1", fetch }).chat.completions.create({ model, messages: messages("Hello") }),
  "@anthropic-ai/sdk 1 · Messages": (fetch: Served["fetch"]) =>
    new Anthropic({ apiKey, baseURL: "http://local", fetch }).messages.create({
      model,
      max_tokens: 9,
      messages: messages("Hello"),
    }),
};

describe.each(Object.entries(retrying))("%s", (_, ask) => {
  can("errors", "a client waits as long as it is told, and asks again", async () => {
    const tooFast = new AntiphonError("RATE_LIMIT", "Slow down.", { retryAfter: 20 });
    const served = serve(scripted([tooFast, tooFast, "Hello to you"]));
    expect(JSON.stringify(await ask(served.fetch))).toContain("Hello to you");
    expect(served.asked).toHaveLength(3);
  });
});
