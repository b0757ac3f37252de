import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenResponses } from "@ai-sdk/open-responses";
import { createOpenAI } from "@ai-sdk/openai";
import { APICallError, generateText, Output, stepCountIs, streamText, tool, type LanguageModel, type ModelMessage } from "ai";
import { describe, expect } from "vitest";
import { z } from "zod";
import { can, differs } from "../support/capabilities.ts";
import { failWith, pngBase64, prompts, weatherAnswer, weatherIn } from "../support/prompts.ts";
import { all, serve, type Served } from "../support/serve.ts";

const schema = z.object({ name: z.string(), age: z.number() });
const inputSchema = z.object({ city: z.string() });
const weather = tool({ description: "Tells the weather in a city.", inputSchema, execute: ({ city }) => weatherIn(city) });
const declared = tool({ description: "Tells the weather in a city.", inputSchema });

type ProviderOptions = NonNullable<Parameters<typeof generateText>[0]["providerOptions"]>;

interface Provider {
  model(fetch: Served["fetch"]): LanguageModel;
  /** How to ask for thoughts; nothing where the provider cannot. */
  thinking?: { options: ProviderOptions; streams: boolean };
}

const apiKey = "none";
const providers: Record<string, Provider> = {
  "ai 6 · @ai-sdk/openai Responses": {
    model: (fetch) => createOpenAI({ apiKey, baseURL: "http://local/v1", fetch }).responses("offline"),
    thinking: { options: { openai: { forceReasoning: true, reasoningEffort: "low", reasoningSummary: "auto" } }, streams: true },
  },
  "ai 6 · @ai-sdk/open-responses": {
    model: (fetch) => createOpenResponses({ name: "local", url: "http://local/or/v1/responses", fetch })("offline"),
    thinking: { options: { local: { reasoningEffort: "low", reasoningSummary: "auto" } }, streams: true },
  },
  "ai 6 · @ai-sdk/openai Chat": {
    model: (fetch) => createOpenAI({ apiKey, baseURL: "http://local/v1", fetch }).chat("offline"),
  },
  "ai 6 · @ai-sdk/anthropic": {
    model: (fetch) => createAnthropic({ apiKey, baseURL: "http://local/v1", fetch })("offline"),
    thinking: { options: { anthropic: { thinking: { type: "enabled", budgetTokens: 2000 } } }, streams: true },
  },
  "ai 6 · @ai-sdk/google": {
    model: (fetch) => createGoogleGenerativeAI({ apiKey, baseURL: "http://local/v1beta", fetch })("offline"),
    thinking: { options: { google: { thinkingConfig: { thinkingBudget: 2000, includeThoughts: true } } }, streams: true },
  },
};

describe.each(Object.entries(providers))("%s", (_, { model: modelOf, thinking }) => {
  const open = (server = serve()) => Object.assign(server, { model: modelOf(server.fetch), maxRetries: 0 });
  const ask = (prompt: string, more: object = {}) => {
    const { model } = open();
    return generateText({ model, maxRetries: 0, prompt, ...more });
  };
  const stream = (prompt: string, more: object = {}) => {
    const { model } = open();
    return streamText({ model, maxRetries: 0, prompt, onError: () => undefined, ...more });
  };

  can("text", "a plain answer has its text and reason", async () => {
    expect(await ask(prompts.sum)).toMatchObject({ text: prompts.sumAnswer, finishReason: "stop" });
  });

  can("text", "the model reads a whole conversation", async () => {
    const { model } = open();
    const messages: ModelMessage[] = [
      { role: "user", content: "My name is Ada." },
      { role: "assistant", content: "Hello Ada." },
      { role: "user", content: "What is my name?" },
    ];
    expect((await generateText({ model, system: "Be brief.", messages })).text).toContain("Ada");
  });

  can("streaming", "the deltas make up the text", async () => {
    const { textStream, finishReason } = stream(prompts.say);
    const deltas = await all(textStream);
    expect(deltas.join("")).toBe(prompts.saidWhole);
    expect(deltas.length).toBeGreaterThan(5);
    expect(await finishReason).toBe("stop");
  });

  can("tool calls", "two calls come in parallel", async () => {
    const { toolCalls, finishReason } = await ask(prompts.weather, { tools: { weather: declared } });
    expect(toolCalls).toMatchObject([{ input: { city: "Oslo" } }, { input: { city: "Rome" } }]);
    expect(finishReason).toBe("tool-calls");
  });

  can("tool calls", "so they do in a stream", async () => {
    const { toolCalls } = stream(prompts.weather, { tools: { weather: declared } });
    expect(await toolCalls).toMatchObject([{ input: { city: "Oslo" } }, { input: { city: "Rome" } }]);
  });

  can("tool loop", "calls, results, answer", async () => {
    const { text, steps } = await ask(prompts.weather, { tools: { weather }, stopWhen: stepCountIs(3) });
    expect(text).toBe(weatherAnswer);
    expect(steps.length).toBe(2);
  });

  can("tool loop", "so it goes in a stream", async () => {
    const { text } = stream(prompts.weather, { tools: { weather }, stopWhen: stepCountIs(3) });
    expect(await text).toBe(weatherAnswer);
  });

  can("images", "the model sees the picture", async () => {
    const { model } = open();
    const content = [
      { type: "text" as const, text: "What is this?" },
      { type: "image" as const, image: pngBase64, mediaType: "image/png" },
    ];
    expect((await generateText({ model, messages: [{ role: "user", content }] })).text).toContain("1 image");
  });

  can("typed output", "an object comes back", async () => {
    const { output } = await ask(prompts.person, { output: Output.object({ schema }) });
    expect(output).toEqual({ name: expect.any(String), age: 36 });
  });

  can("typed output", "partial objects grow to it", async () => {
    const { partialOutputStream } = stream(prompts.person, { output: Output.object({ schema }) });
    const partials = await all(partialOutputStream);
    expect(partials.at(-1)).toEqual({ name: expect.any(String), age: 36 });
  });

  can("refusal", "arrives", async () => {
    console.log(await ask(prompts.refuse).then(({ text, finishReason, content }) => ({ text, finishReason, content })));
    console.log(await stream(prompts.refuse).text);
  });

  can("length", "a short answer tells why", async () => {
    expect(await ask(prompts.say, { maxOutputTokens: 5 })).toMatchObject({ text: prompts.saidHalf, finishReason: "length" });
    const filtered = stream(prompts.contentFilter);
    expect(await filtered.text).toBe(prompts.saidHalf);
    expect(await filtered.finishReason).toBe("content-filter");
  });

  const errors = [
    ["invalid_api_key", 401, false],
    ["model_not_found", 404, false],
    ["rate_limit_exceeded", 429, true],
    ["context_length_exceeded", 400, false],
    ["server_error", 500, true],
  ] as const;
  for (const [code, statusCode, isRetryable] of errors)
    can("errors", `${code} is an APICallError with status ${statusCode}`, async () => {
      const error = await ask(failWith(code)).then(undefined, (thrown: unknown) => thrown);
      expect(APICallError.isInstance(error)).toBe(true);
      expect(error).toMatchObject({ statusCode, isRetryable, message: expect.stringContaining(code) });
    });

  can("failure", "mid-stream", async () => {
    const parts = await all(stream(prompts.fail).fullStream);
    console.log(JSON.stringify(parts.filter((p) => p.type !== "text-delta").map((p) => ({ ...p, response: undefined, request: undefined }))));
    const e = await ask(prompts.fail).then(({ text, finishReason }) => ({ text, finishReason }), (x) => x);
    console.log(e);
  });

  can("abort", "a signal stops the model", async () => {
    const server = open();
    const controller = new AbortController();
    const { fullStream } = streamText({ model: server.model, prompt: prompts.endless, abortSignal: controller.signal });
    const types = new Set<string>();
    for await (const { type } of fullStream) {
      types.add(type);
      if (type === "text-delta") controller.abort();
    }
    expect(types).toContain("abort");
    await server.stopped();
  });

  can("usage", "plain and streamed tell the same", async () => {
    const { usage } = await ask(prompts.say);
    expect(usage).toMatchObject({ inputTokens: expect.any(Number), outputTokens: 10 });
    expect(usage.totalTokens).toBe(usage.inputTokens! + usage.outputTokens!);
    const { raw: _, ...streamed } = await stream(prompts.say).usage;
    expect(usage).toMatchObject(streamed);
  });

  if (thinking)
    can("reasoning", "thoughts come apart from the text", async () => {
      const providerOptions = thinking.options;
      const { reasoningText, text, usage } = await ask(prompts.sum, { providerOptions });
      expect(reasoningText).toContain(prompts.sum);
      expect(text).toBe(prompts.sumAnswer);
      expect(usage.outputTokenDetails.reasoningTokens).toBeGreaterThan(0);
      const streamed = stream(prompts.sum, { providerOptions });
      expect(await streamed.reasoningText).toBe(reasoningText);
    });
});
