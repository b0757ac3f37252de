import { ContextOverflowError } from "@langchain/core/errors";
import { AIMessage, HumanMessage, ToolMessage, type AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { describe, expect } from "vitest";
import { z } from "zod";
import { can, differs } from "../support/cell.ts";
import { says } from "../support/gateway.ts";
import { failWith, pngUrl, prompts, weatherAnswer, weatherIn } from "../support/prompts.ts";
import { across, all, serve } from "../support/serve.ts";

const server = await serve();
const weather = tool(({ city }: { city: string }) => weatherIn(city), {
  name: "weather",
  description: "Tells the weather in a city.",
  schema: z.object({ city: z.string() }),
});
const person = z.object({ name: z.string(), age: z.number() });

const wires = [
  ["@langchain/openai 1.5 · Responses", true],
  ["@langchain/openai 1.5 · Chat Completions", false],
] as const;

describe.each(across(wires))("%s", (_, model, useResponsesApi) => {
  const open = (more: object = {}) => {
    const configuration = { baseURL: `${server.url}/openai/v1` };
    const chat = new ChatOpenAI({ model, apiKey: "none", useResponsesApi, maxRetries: 0, configuration, ...more });
    return Object.assign(server.watch(), { chat });
  };
  const joined = (chunks: AIMessageChunk[]) => chunks.reduce((sum, chunk) => sum.concat(chunk));

  can("text", "a plain answer has its text", async () => {
    const message = await open().chat.invoke(prompts.sum);
    expect(message).toBeInstanceOf(AIMessage);
    expect(message.text).toBe(prompts.sumAnswer);
  });

  can("text", "the model reads a whole conversation", async () => {
    const messages: [string, string][] = [
      ["system", "Be brief."],
      ["human", "My name is Ada."],
      ["ai", "Hello Ada."],
      ["human", "What is my name?"],
    ];
    expect((await open().chat.invoke(messages)).text).toContain("Ada");
  });

  can("streaming", "the chunks make up the text", async () => {
    const chunks = await all(await open().chat.stream(prompts.say));
    expect(chunks.map(({ text }) => text).join("")).toBe(prompts.saidWhole);
    expect(chunks.length).toBeGreaterThan(5);
    expect(joined(chunks).text).toBe(prompts.saidWhole);
  });

  const calls = [
    { name: "weather", args: { city: "Oslo" } },
    { name: "weather", args: { city: "Rome" } },
  ];
  can("tool calls", "two calls come in parallel", async () => {
    expect((await open().chat.bindTools([weather]).invoke(prompts.weather)).tool_calls).toMatchObject(calls);
  });

  can("tool calls", "so they do in a stream", async () => {
    const chunks = await all(await open().chat.bindTools([weather]).stream(prompts.weather));
    expect(joined(chunks).tool_calls).toMatchObject(calls);
  });

  can("tool loop", "calls, results, answer", async () => {
    const chat = open().chat.bindTools([weather]);
    const messages: BaseMessage[] = [new HumanMessage(prompts.weather)];
    const asked = await chat.invoke(messages);
    messages.push(asked);
    for (const call of asked.tool_calls ?? []) messages.push((await weather.invoke(call)) as ToolMessage);
    expect((await chat.invoke(messages)).text).toBe(weatherAnswer);
  });

  can("images", "the model sees the picture", async () => {
    const content = [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: pngUrl } },
    ];
    expect((await open().chat.invoke([new HumanMessage({ content })])).text).toContain("1 image");
  });

  for (const method of ["jsonSchema", "functionCalling"] as const)
    can("typed output", `an object comes back by ${method}`, async () => {
      const typed = open().chat.withStructuredOutput(person, { method });
      expect(await typed.invoke(prompts.person)).toEqual({ name: expect.any(String), age: 36 });
    });

  const refuses = says(model, "refusals");
  if (refuses && useResponsesApi)
    can("refusal", "stands beside the content", async () => {
      const { chat } = open();
      const refused = { text: "", additional_kwargs: { refusal: prompts.refusal } };
      expect(await chat.invoke(prompts.refuse)).toMatchObject(refused);
      expect(joined(await all(await chat.stream(prompts.refuse)))).toMatchObject(refused);
    });
  if (refuses && !useResponsesApi)
    differs("refusal", "drops the text of a refusal", async () => {
      const message = await open().chat.invoke(prompts.refuse);
      expect(message.text).toBe("");
      expect(message.additional_kwargs).toEqual({});
    });

  can("length", "a short answer tells why", async () => {
    const { chat } = open({ maxTokens: 5 });
    const why = useResponsesApi
      ? { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }
      : { finish_reason: "length" };
    for (const message of [await chat.invoke(prompts.say), joined(await all(await chat.stream(prompts.say)))])
      expect(message).toMatchObject({ text: prompts.saidHalf, response_metadata: why });
  });

  const errors = [
    ["rate_limit_exceeded", 429],
    ["server_error", 500],
  ] as const;
  for (const [code, status] of errors)
    can("errors", `${code} is an error with status ${status}`, async () => {
      const { chat } = open();
      const told = { status, ...(says(model, "error codes") && { code }) };
      await expect(chat.invoke(failWith(code))).rejects.toMatchObject(told);
      await expect(chat.stream(failWith(code)).then(all)).rejects.toMatchObject(told);
    });

  can("errors", "a model that is not there, and a wrong key", async () => {
    await expect(open({ model: "nobody" }).chat.invoke("Hi")).rejects.toMatchObject({ status: 404, code: "model_not_found" });
    const locked = open({ apiKey: "wrong", configuration: { baseURL: `${server.locked.url}/openai/v1` } });
    await expect(locked.chat.invoke("Hi")).rejects.toMatchObject({ status: 401, code: "invalid_api_key" });
  });

  if (says(model, "error codes"))
    can("errors", "an input that is too long is a ContextOverflowError", async () => {
      await expect(open().chat.invoke(failWith("context_length_exceeded"))).rejects.toBeInstanceOf(ContextOverflowError);
    });

  can("failure", "a plain answer that fails is an error", async () => {
    await expect(open().chat.invoke(prompts.fail)).rejects.toThrow("server_error");
  });

  if (useResponsesApi)
    differs("failure", "ignores `response.failed`, so a failed stream ends without an error", async () => {
      expect(joined(await all(await open().chat.stream(prompts.fail))).text).toBe(prompts.saidHalf);
    });
  else
    can("failure", "a stream that fails throws", async () => {
      await expect(open().chat.stream(prompts.fail).then(all)).rejects.toMatchObject({ code: "server_error" });
    });

  can("abort", "a signal stops the model", async () => {
    const opened = open();
    const controller = new AbortController();
    const reading = (async () => {
      for await (const _ of await opened.chat.stream(prompts.endless, { signal: controller.signal })) controller.abort();
    })();
    await expect(reading).rejects.toThrow(/abort/i);
    await opened.stopped;
  });

  can("usage", "plain and streamed tell the same", async () => {
    const { chat } = open();
    const { usage_metadata } = await chat.invoke(prompts.say);
    expect(usage_metadata).toMatchObject({ output_tokens: 10, input_tokens: expect.any(Number) });
    expect(joined(await all(await chat.stream(prompts.say))).usage_metadata).toEqual(usage_metadata);
  });

  if (useResponsesApi)
    can("state", "a message goes on from the response before", async () => {
      const { chat } = open();
      const { response_metadata } = await chat.invoke("My name is Ada.");
      const previous_response_id = response_metadata["id"] as string;
      expect((await chat.invoke("What is my name?", { previous_response_id })).text).toContain("Ada");
    });

  // With `reasoning`, the class takes the Responses wire whatever it was told.
  if (useResponsesApi && says(model, "summaries"))
    can("reasoning", "a summary is content of its own", async () => {
      const { chat } = open({ model: `gpt-5-${model}`, reasoning: { effort: "low", summary: "auto" } });
      for (const message of [await chat.invoke(prompts.sum), joined(await all(await chat.stream(prompts.sum)))]) {
        expect(message.contentBlocks).toMatchObject([
          { type: "reasoning", reasoning: expect.stringContaining(prompts.sum) },
          { type: "text", text: prompts.sumAnswer },
        ]);
      }
    });
});
