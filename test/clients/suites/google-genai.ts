import { ApiError, FunctionCallingConfigMode, GoogleGenAI, Type, type CallableTool, type FunctionCall } from "@google/genai";
import { describe, expect } from "vitest";
import { z } from "zod";
import { can } from "../support/cell.ts";
import { failWith, pngBase64, prompts, weatherAnswer, weatherIn, weatherParameters } from "../support/prompts.ts";
import { all, serve } from "../support/serve.ts";

const server = await serve();
const model = "offline";
const weather = { name: "weather", description: "Tells the weather in a city.", parametersJsonSchema: weatherParameters };
const tools = [{ functionDeclarations: [weather] }];
const person = z.object({ name: z.string(), age: z.number() });

describe("@google/genai 2 · generateContent", () => {
  const open = () => {
    const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: server.gemini } });
    return Object.assign(server.watch(), { models: client.models, chats: client.chats });
  };

  can("text", "a plain answer has its text, reason and model", async () => {
    const answer = await open().models.generateContent({ model, contents: prompts.sum });
    expect(answer.text).toBe(prompts.sumAnswer);
    expect(answer).toMatchObject({ modelVersion: model, candidates: [{ finishReason: "STOP", content: { role: "model" } }] });
  });

  can("text", "a chat remembers", async () => {
    const opened = open();
    const chat = opened.chats.create({ model, config: { systemInstruction: "Be brief." } });
    await chat.sendMessage({ message: "My name is Ada." });
    expect((await chat.sendMessage({ message: "What is my name?" })).text).toContain("Ada");
    expect(chat.getHistory(true)).toHaveLength(4);
    expect(opened.asked[1]?.instructions).toBe("Be brief.");
  });

  can("streaming", "the chunks make up the text", async () => {
    const chunks = await all(await open().models.generateContentStream({ model, contents: prompts.say }));
    expect(chunks.map(({ text }) => text ?? "").join("")).toBe(prompts.saidWhole);
    expect(chunks.length).toBeGreaterThan(5);
    expect(chunks.at(-1)?.candidates?.[0]?.finishReason).toBe("STOP");
  });

  can("streaming", "a chat keeps what was streamed", async () => {
    const chat = open().chats.create({ model });
    await all(await chat.sendMessageStream({ message: "My name is Ada." }));
    const chunks = await all(await chat.sendMessageStream({ message: "What is my name?" }));
    expect(chunks.map(({ text }) => text ?? "").join("")).toContain("Ada");
  });

  const calls = [
    { name: "weather", args: { city: "Oslo" }, id: expect.any(String) },
    { name: "weather", args: { city: "Rome" }, id: expect.any(String) },
  ];
  can("tool calls", "two calls come in parallel", async () => {
    const answer = await open().models.generateContent({ model, contents: prompts.weather, config: { tools } });
    expect(answer.functionCalls).toEqual(calls);
  });

  can("tool calls", "so they do in a stream", async () => {
    const chunks = await all(await open().models.generateContentStream({ model, contents: prompts.weather, config: { tools } }));
    expect(chunks.flatMap(({ functionCalls }) => functionCalls ?? [])).toEqual(calls);
  });

  can("tool calls", "a schema of the older kind is understood, and a call can be forced", async () => {
    const parameters = { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ["city"] };
    const toolConfig = { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ["weather"] } };
    const config = { tools: [{ functionDeclarations: [{ name: "weather", parameters }] }], toolConfig };
    const { functionCalls } = await open().models.generateContent({ model, contents: "Hello from a man in Oslo", config });
    expect(functionCalls).toMatchObject([{ name: "weather", args: { city: "Oslo" } }]);
  });

  can("tool loop", "calls, results, answer", async () => {
    const chat = open().chats.create({
      model,
      config: { tools, thinkingConfig: { includeThoughts: true, thinkingBudget: 2000 } },
    });
    const { functionCalls = [] } = await chat.sendMessage({ message: prompts.weather });
    const message = functionCalls.map(({ id, name, args }) => ({
      functionResponse: { id, name, response: { output: weatherIn(String(args?.["city"])) } },
    }));
    expect((await chat.sendMessage({ message })).text).toBe(weatherAnswer);
  });

  const callable: CallableTool = {
    tool: async () => ({ functionDeclarations: [weather] }),
    callTool: async (made: FunctionCall[]) =>
      made.map(({ id, name, args }) => ({
        functionResponse: { id, name, response: { output: weatherIn(String(args?.["city"])) } },
      })),
  };
  can("tool loop", "the client calls the tools itself", async () => {
    const { models } = open();
    const config = { tools: [callable] };
    expect((await models.generateContent({ model, contents: prompts.weather, config })).text).toBe(weatherAnswer);
    const chunks = await all(await models.generateContentStream({ model, contents: prompts.weather, config }));
    const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
    expect(parts.map((part) => part.text ?? "").join("")).toBe(weatherAnswer);
  });

  can("images", "the model sees the picture", async () => {
    const contents = [{ text: "What is this?" }, { inlineData: { mimeType: "image/png", data: pngBase64 } }];
    expect((await open().models.generateContent({ model, contents })).text).toContain("1 image");
  });

  can("typed output", "JSON fits the schema", async () => {
    const { models } = open();
    const responseJsonSchema = z.toJSONSchema(person);
    const config = { responseMimeType: "application/json", responseJsonSchema };
    const { text } = await models.generateContent({ model, contents: prompts.person, config });
    expect(person.parse(JSON.parse(text ?? ""))).toMatchObject({ age: 36 });
    const properties = { name: { type: Type.STRING }, age: { type: Type.NUMBER } };
    const responseSchema = { type: Type.OBJECT, properties, required: ["name", "age"] };
    const older = { responseMimeType: "application/json", responseSchema };
    const answer = await models.generateContent({ model, contents: prompts.person, config: older });
    expect(person.parse(JSON.parse(answer.text ?? ""))).toMatchObject({ age: 36 });
  });

  can("refusal", "its words arrive", async () => {
    const answer = await open().models.generateContent({ model, contents: prompts.refuse });
    expect(answer.text).toBe(prompts.refusal);
  });

  can("length", "a short answer tells why", async () => {
    const { models } = open();
    const short = await models.generateContent({ model, contents: prompts.say, config: { maxOutputTokens: 5 } });
    expect(short.text).toBe(prompts.saidHalf);
    expect(short.candidates?.[0]?.finishReason).toBe("MAX_TOKENS");
    const chunks = await all(await models.generateContentStream({ model, contents: prompts.contentFilter }));
    expect(chunks.at(-1)?.candidates?.[0]?.finishReason).toBe("SAFETY");
  });

  const errors = [
    ["invalid_api_key", 401, "UNAUTHENTICATED"],
    ["permission_denied", 403, "PERMISSION_DENIED"],
    ["model_not_found", 404, "NOT_FOUND"],
    ["rate_limit_exceeded", 429, "RESOURCE_EXHAUSTED"],
    ["context_length_exceeded", 400, "INVALID_ARGUMENT"],
    ["server_error", 500, "INTERNAL"],
  ] as const;
  for (const [code, status, name] of errors)
    can("errors", `${code} is an ApiError with status ${status} ${name}`, async () => {
      const { models } = open();
      const asked = { model, contents: failWith(code) };
      for (const asking of [models.generateContent(asked), models.generateContentStream(asked)]) {
        const error = await asking.catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(ApiError);
        expect(error).toMatchObject({ status, message: expect.stringContaining(name) });
      }
    });

  can("errors", "a bad field is named", async () => {
    const asking = open().models.generateContent({ model, contents: prompts.sum, config: { candidateCount: 3 } });
    await expect(asking).rejects.toBeInstanceOf(ApiError);
    await expect(asking).rejects.toMatchObject({ status: 400, message: expect.stringContaining("candidateCount") });
  });

  can("failure", "a plain answer that fails is an error", async () => {
    const asking = open().models.generateContent({ model, contents: prompts.fail });
    await expect(asking).rejects.toMatchObject({ name: "ApiError", status: 500 });
  });

  can("failure", "a stream that fails throws after what was said", async () => {
    let text = "";
    const stream = await open().models.generateContentStream({ model, contents: prompts.fail });
    const reading = (async () => {
      for await (const chunk of stream) text += chunk.text ?? "";
    })();
    await expect(reading).rejects.toBeInstanceOf(ApiError);
    expect(text).toBe(prompts.saidHalf);
  });

  can("abort", "a signal stops the model", async () => {
    const opened = open();
    const controller = new AbortController();
    const config = { abortSignal: controller.signal };
    const stream = await opened.models.generateContentStream({ model, contents: prompts.endless, config });
    const reading = (async () => {
      for await (const _ of stream) controller.abort();
    })();
    await expect(reading).rejects.toMatchObject({ name: "AbortError" });
    await opened.stopped;
  });

  can("usage", "plain and streamed tell the same", async () => {
    const { models } = open();
    const asked = { model, contents: prompts.say, config: { thinkingConfig: { thinkingBudget: 2000 } } };
    const { usageMetadata } = await models.generateContent(asked);
    expect(usageMetadata).toMatchObject({ promptTokenCount: expect.any(Number), candidatesTokenCount: 10 });
    expect(usageMetadata?.thoughtsTokenCount).toBeGreaterThan(0);
    const { promptTokenCount = 0, candidatesTokenCount = 0, thoughtsTokenCount = 0 } = usageMetadata ?? {};
    expect(usageMetadata?.totalTokenCount).toBe(promptTokenCount + candidatesTokenCount + thoughtsTokenCount);
    expect((await all(await models.generateContentStream(asked))).at(-1)?.usageMetadata).toEqual(usageMetadata);
  });

  can("reasoning", "thoughts stream as parts of their own", async () => {
    const config = { thinkingConfig: { includeThoughts: true, thinkingBudget: 2000 } };
    const chunks = await all(await open().models.generateContentStream({ model, contents: prompts.sum, config }));
    const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
    expect(parts.map((part) => (part.thought ? part.text : "")).join("")).toContain(prompts.sum);
    expect(chunks.map(({ text }) => text ?? "").join("")).toBe(prompts.sumAnswer);
  });
});
