import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenResponses } from "@ai-sdk/open-responses";
import { createOpenAI } from "@ai-sdk/openai";
import {
  APICallError,
  embedMany,
  generateText,
  Output,
  stepCountIs,
  streamText,
  tool,
  type LanguageModel,
  type ModelMessage,
} from "ai";
import { describe, expect } from "vitest";
import { z } from "zod";
import { can, differs } from "../support/cell.ts";
import { says } from "../support/gateway.ts";
import { failWith, pngBase64, prompts, weatherIn } from "../support/prompts.ts";
import { across, all, serve } from "../support/serve.ts";

// The warnings are about an unknown model, which every model is here.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

const server = await serve();
const schema = z.object({ name: z.string(), age: z.number() });
const inputSchema = z.object({ city: z.string() });
const weather = tool({ description: "Tells the weather in a city.", inputSchema, execute: ({ city }) => weatherIn(city) });
const declared = tool({ description: "Tells the weather in a city.", inputSchema });

type ProviderOptions = NonNullable<Parameters<typeof generateText>[0]["providerOptions"]>;

interface Provider {
  /** A model at a server, with a key. */
  at(baseURL: string, apiKey: string): (model: string) => LanguageModel;
  /** How to ask for thoughts; the OpenAI Chat model has no place for them. */
  thinking?: ProviderOptions;
  /** What becomes of a refusal, where it is as elsewhere. */
  refusal?: { text: string; finishReason: string };
}

const budgetTokens = 2000;
const providers: Record<string, Provider> = {
  "@ai-sdk/openai 3 · Responses": {
    at: (url, apiKey) => createOpenAI({ apiKey, baseURL: `${url}/openai/v1` }).responses,
    thinking: { openai: { forceReasoning: true, reasoningEffort: "low", reasoningSummary: "auto" } },
    refusal: { text: prompts.refusal, finishReason: "content-filter" },
  },
  "@ai-sdk/openai 3 · Chat Completions": {
    at: (url, apiKey) => createOpenAI({ apiKey, baseURL: `${url}/openai/v1` }).chat,
    refusal: { text: prompts.refusal, finishReason: "content-filter" },
  },
  "@ai-sdk/open-responses 1 · Open Responses": {
    at: (url, apiKey) => createOpenResponses({ name: "local", apiKey, url: `${url}/v1/responses` }),
  },
  "@ai-sdk/anthropic 3 · Messages": {
    at: (url, apiKey) => createAnthropic({ apiKey, baseURL: `${url}/v1` }),
    thinking: { anthropic: { thinking: { type: "enabled", budgetTokens } } },
  },
  "@ai-sdk/google 3 · generateContent": {
    at: (url, apiKey) => createGoogleGenerativeAI({ apiKey, baseURL: `${url}/v1beta` }),
    thinking: { google: { thinkingConfig: { thinkingBudget: budgetTokens, includeThoughts: true } } },
    refusal: { text: prompts.refusal, finishReason: "stop" },
  },
};
const openaiResponses = "@ai-sdk/openai 3 · Responses";
const openResponses = "@ai-sdk/open-responses 1 · Open Responses";
/** On these wires a failed response is an answer, not an HTTP error. */
const plainFailure = new Set([openResponses, openaiResponses]);
/** What the tools said; the Google provider wraps it into JSON. */
const weatherSaid = /Oslo is sunny[^]*Rome is sunny/;

const generateContent = "@ai-sdk/google 3 · generateContent";
const behindGateway = Object.entries(providers).filter(([name]) => name !== generateContent);
const rows = [...across(behindGateway), [generateContent, "offline", providers[generateContent]!] as const];

describe.each(rows)("%s", (title, upstream, { at, thinking, refusal }) => {
  const [name = ""] = title.split(" → ");
  const url = name === generateContent ? server.gemini : server.url;
  const open = () => Object.assign(server.watch(), { model: at(url, "none")(upstream) });
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
    expect(text).toMatch(weatherSaid);
    expect(steps.length).toBe(2);
  });

  can("tool loop", "so it goes in a stream", async () => {
    const { text } = stream(prompts.weather, { tools: { weather }, stopWhen: stepCountIs(3) });
    expect(await text).toMatch(weatherSaid);
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

  if (refusal && says(upstream, "refusals"))
    can("refusal", `gives the text "${refusal.text}" and the reason ${refusal.finishReason}`, async () => {
      expect(await ask(prompts.refuse)).toMatchObject(refusal);
      const streamed = stream(prompts.refuse);
      expect({ text: await streamed.text, finishReason: await streamed.finishReason }).toEqual(refusal);
    });

  can("length", "a short answer tells why", async () => {
    expect(await ask(prompts.say, { maxOutputTokens: 5 })).toMatchObject({ text: prompts.saidHalf, finishReason: "length" });
    const filtered = stream(prompts.contentFilter);
    expect(await filtered.text).toContain(prompts.saidHalf);
    if (says(upstream, "filters")) expect(await filtered.finishReason).toBe("content-filter");
  });

  const errors = [
    ["rate_limit_exceeded", 429, true],
    ["context_length_exceeded", 400, false],
    ["server_error", 500, true],
  ] as const;
  for (const [code, statusCode, isRetryable] of errors)
    can("errors", `${code} is an APICallError with status ${statusCode}`, async () => {
      const error = await ask(failWith(code)).then(undefined, (thrown: unknown) => thrown);
      expect(APICallError.isInstance(error)).toBe(true);
      expect(error).toMatchObject({ statusCode, isRetryable, responseBody: expect.stringContaining(code) });
      if (name !== openResponses) expect(error).toMatchObject({ message: expect.stringContaining(code) });
    });

  if (name !== generateContent)
    can("errors", "a model that is not there and a wrong key are APICallErrors with status 404 and 401", async () => {
      const refused = (model: LanguageModel) => generateText({ model, maxRetries: 0, prompt: prompts.sum });
      const lost = { statusCode: 404, isRetryable: false };
      await expect(refused(at(url, "none")("nobody"))).rejects.toMatchObject(lost);
      await expect(refused(at(server.locked.url, "wrong")("offline"))).rejects.toMatchObject({ ...lost, statusCode: 401 });
    });

  can("failure", "a stream that fails says so after what was said", async () => {
    const { fullStream, text, finishReason } = stream(prompts.fail);
    const types = (await all(fullStream)).map(({ type }) => type);
    if (name !== openResponses) expect(types).toContain("error");
    expect(await text).toBe(prompts.saidHalf);
    expect(await finishReason).toBe("error");
  });

  if (!plainFailure.has(name))
    can("failure", "a plain answer that fails is an APICallError", async () => {
      const error = await ask(prompts.fail).then(undefined, (thrown: unknown) => thrown);
      expect(error).toMatchObject({ statusCode: 500, isRetryable: true, message: expect.stringContaining("server_error") });
    });

  can("abort", "a signal stops the model", async () => {
    const opened = open();
    const controller = new AbortController();
    const { fullStream } = streamText({ model: opened.model, prompt: prompts.endless, abortSignal: controller.signal });
    const types = new Set<string>();
    for await (const { type } of fullStream) {
      types.add(type);
      if (type === "text-delta") controller.abort();
    }
    expect(types).toContain("abort");
    await opened.stopped;
  });

  can("usage", "plain and streamed tell the same", async () => {
    const { usage } = await ask(prompts.say);
    expect(usage).toMatchObject({ inputTokens: expect.any(Number), outputTokens: 10 });
    expect(usage.totalTokens).toBe(usage.inputTokens! + usage.outputTokens!);
    const { raw: _, ...streamed } = await stream(prompts.say).usage;
    expect(usage).toMatchObject(streamed);
  });

  // OpenAI's provider shows no thoughts but in summary.
  if (thinking && (name !== openaiResponses || says(upstream, "summaries")))
    can("reasoning", "thoughts come apart from the text", async () => {
      const providerOptions = thinking;
      const { reasoningText, text, usage } = await ask(prompts.sum, { providerOptions });
      expect(reasoningText).toContain(prompts.sum);
      expect(text).toBe(prompts.sumAnswer);
      expect(usage.outputTokenDetails.reasoningTokens).toBeGreaterThan(0);
      const streamed = stream(prompts.sum, { providerOptions });
      expect(await streamed.reasoningText).toBe(reasoningText);
    });
});

describe.each(across([["@ai-sdk/openai 3 · Responses"]]))("%s", (_, upstream) => {
  const provider = createOpenAI({ apiKey: "none", baseURL: `${server.url}/openai/v1` });

  can("state", "a call goes on from the response before", async () => {
    const model = provider.responses(upstream);
    const { providerMetadata } = await generateText({ model, prompt: "My name is Ada." });
    const previousResponseId = String(providerMetadata?.["openai"]?.["responseId"]);
    const providerOptions = { openai: { previousResponseId } };
    expect((await generateText({ model, prompt: "What is my name?", providerOptions })).text).toContain("Ada");
  });

  if (says(upstream, "embeddings"))
    can("models", "texts become vectors", async () => {
      const { embeddings } = await embedMany({ model: provider.embedding(upstream), values: ["one", "two"] });
      expect(embeddings).toHaveLength(2);
      expect(embeddings[0]?.length).toBeGreaterThan(8);
    });
});

describe("@ai-sdk/anthropic 3 · Messages", () => {
  differs("refusal", "reports a refusal without its text", async () => {
    const model = providers["@ai-sdk/anthropic 3 · Messages"]!.at(server.url, "none")("offline");
    expect(await generateText({ model, prompt: prompts.refuse })).toMatchObject({ text: "", finishReason: "content-filter" });
  });
});

describe(openResponses, () => {
  const open = () => ({ model: providers[openResponses]!.at(server.url, "none")("offline"), maxRetries: 0 });
  const summarised = { providerOptions: { local: { reasoningEffort: "low", reasoningSummary: "auto" } } };
  const raw = { providerOptions: { local: { reasoningEffort: "low" } } };

  differs("refusal", "does not support refusals: a plain call throws a TypeError, and a stream has no text", async () => {
    await expect(generateText({ ...open(), prompt: prompts.refuse })).rejects.toBeInstanceOf(TypeError);
    const streamed = streamText({ ...open(), prompt: prompts.refuse });
    expect(await streamed.text).toBe("");
  });

  differs("errors", "shows the HTTP status text instead of the message if the error names no field", async () => {
    const asking = generateText({ ...open(), prompt: failWith("rate_limit_exceeded") });
    await expect(asking).rejects.not.toThrow("rate_limit_exceeded");
    const bad = generateText({ ...open(), prompt: prompts.sum, temperature: 7 });
    await expect(bad).rejects.toThrow("`temperature` must be at most 2, not 7.");
  });

  differs("failure", "treats a plain response with the status `failed` as complete", async () => {
    const answer = await generateText({ ...open(), prompt: prompts.fail });
    expect(answer).toMatchObject({ text: prompts.saidHalf, finishReason: "stop" });
  });

  can("reasoning", "a summary streams", async () => {
    const streamed = streamText({ ...open(), prompt: prompts.sum, ...summarised });
    expect(await streamed.reasoningText).toContain(prompts.sum);
  });

  can("reasoning", "a plain answer has its raw thoughts", async () => {
    const { reasoningText } = await generateText({ ...open(), prompt: prompts.sum, ...raw });
    expect(reasoningText).toContain(prompts.sum);
  });

  differs(
    "reasoning",
    "omits summaries in plain responses, and raw reasoning in streams because it expects OpenAI's event name",
    async () => {
      expect((await generateText({ ...open(), prompt: prompts.sum, ...summarised })).reasoningText).toBeUndefined();
      expect(await streamText({ ...open(), prompt: prompts.sum, ...raw }).reasoningText).toBeFalsy();
    },
  );
});
