import {
  Agent,
  ModelBehaviorError,
  ModelRefusalError,
  OpenAIProvider,
  Runner,
  setTracingDisabled,
  tool,
  user,
  type AgentInputItem,
} from "@openai/agents";
import OpenAI from "openai7";
import { describe, expect } from "vitest";
import { WebSocket } from "ws";
import { z } from "zod";
import { can, differs } from "../support/cell.ts";
import { says } from "../support/gateway.ts";
import { failWith, pngUrl, prompts, weatherAnswer, weatherIn } from "../support/prompts.ts";
import { across, all, serve } from "../support/serve.ts";

setTracingDisabled(true);
// Older Node has no sockets of its own.
Object.assign(globalThis, { WebSocket: globalThis.WebSocket ?? WebSocket });

const server = await serve();
const weather = tool({
  name: "weather",
  description: "Tells the weather in a city.",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => weatherIn(city),
});
const outputType = z.object({ name: z.string(), age: z.number() });

const wires = [
  ["@openai/agents 0.20 · Responses", true],
  ["@openai/agents 0.20 · Chat Completions", false],
] as const;

describe.each(across(wires))("%s", (_, model, useResponses) => {
  const open = (options = { baseURL: `${server.url}/openai/v1`, apiKey: "none" }) => {
    const client = new OpenAI({ ...options, maxRetries: 0 });
    // The framework carries a copy of the same release of the client.
    const modelProvider = new OpenAIProvider({ openAIClient: client as never, useResponses });
    return Object.assign(server.watch(), { client, runner: new Runner({ modelProvider, tracingDisabled: true }) });
  };
  const plain = new Agent({ name: "Plain", model });
  const forecaster = new Agent({ name: "Forecaster", instructions: "Be brief.", model, tools: [weather] });

  can("text", "an agent answers", async () => {
    const { finalOutput } = await open().runner.run(plain, prompts.sum);
    expect(finalOutput).toBe(prompts.sumAnswer);
  });

  can("text", "the history goes on", async () => {
    const { runner } = open();
    const { history } = await runner.run(plain, "My name is Ada.");
    const next: AgentInputItem[] = [...history, user("What is my name?")];
    expect((await runner.run(plain, next)).finalOutput).toContain("Ada");
  });

  can("streaming", "the deltas make up the text", async () => {
    const result = await open().runner.run(plain, prompts.say, { stream: true });
    const deltas = await all(result.toTextStream());
    await result.completed;
    expect(deltas.join("")).toBe(prompts.saidWhole);
    expect(deltas.length).toBeGreaterThan(5);
    expect(result.finalOutput).toBe(prompts.saidWhole);
  });

  can("tool calls", "two calls come in parallel", async () => {
    const { newItems } = await open().runner.run(forecaster, prompts.weather);
    const calls = newItems.filter(({ type }) => type === "tool_call_item").map(({ rawItem }) => rawItem);
    expect(calls).toMatchObject([{ arguments: '{"city":"Oslo"}' }, { arguments: '{"city":"Rome"}' }]);
  });

  can("tool loop", "calls, results, answer", async () => {
    expect((await open().runner.run(forecaster, prompts.weather)).finalOutput).toBe(weatherAnswer);
  });

  can("tool loop", "so it goes in a stream", async () => {
    const result = await open().runner.run(forecaster, prompts.weather, { stream: true });
    const names = (await all(result)).flatMap((event) => (event.type === "run_item_stream_event" ? [event.name] : []));
    expect(names.filter((name) => name === "tool_output")).toHaveLength(2);
    expect(result.finalOutput).toBe(weatherAnswer);
  });

  can("tool loop", "an agent hands over to another", async () => {
    const first = Agent.create({ name: "First", model, handoffs: [forecaster] });
    const { lastAgent } = await open().runner.run(first, "[[call:transfer_to_Forecaster {}]] Weather in Oslo?");
    expect(lastAgent?.name).toBe("Forecaster");
  });

  can("images", "the model sees the picture", async () => {
    const content = [
      { type: "input_text" as const, text: "What is this?" },
      { type: "input_image" as const, image: pngUrl },
    ];
    const { finalOutput } = await open().runner.run(plain, [{ role: "user", content }]);
    expect(finalOutput).toContain("1 image");
  });

  can("typed output", "the final output is an object", async () => {
    const typed = new Agent({ name: "Typed", model, outputType });
    const { runner } = open();
    expect((await runner.run(typed, prompts.person)).finalOutput).toEqual({ name: expect.any(String), age: 36 });
    const streamed = await runner.run(typed, prompts.person, { stream: true });
    await streamed.completed;
    expect(streamed.finalOutput).toEqual({ name: expect.any(String), age: 36 });
  });

  if (says(model, "refusals"))
    can("refusal", "is an error with the model's words", async () => {
      const running = open().runner.run(plain, prompts.refuse);
      await expect(running).rejects.toBeInstanceOf(ModelRefusalError);
      await expect(running).rejects.toMatchObject({ refusal: prompts.refusal });
    });

  const short = new Agent({ name: "Short", model, modelSettings: { maxTokens: 5 } });
  if (useResponses)
    differs("length", "treats an incomplete response as an error", async () => {
      await expect(open().runner.run(short, prompts.say)).rejects.toThrow(/response\.incomplete/);
    });
  else
    can("length", "what was said is the output", async () => {
      expect((await open().runner.run(short, prompts.say)).finalOutput).toBe(prompts.saidHalf);
    });

  const errors = [
    ["rate_limit_exceeded", OpenAI.RateLimitError],
    ["context_length_exceeded", OpenAI.BadRequestError],
    ["server_error", OpenAI.InternalServerError],
  ] as const;
  for (const [code, type] of errors)
    can("errors", `${code} is the client's ${type.name}`, async () => {
      const { runner } = open();
      const streamed = await runner.run(plain, failWith(code), { stream: true });
      for (const running of [runner.run(plain, failWith(code)), streamed.completed]) {
        await expect(running).rejects.toBeInstanceOf(type);
        if (says(model, "error codes")) await expect(running).rejects.toMatchObject({ code });
      }
    });

  can("errors", "a model that is not there, and a wrong key", async () => {
    const lost = new Agent({ name: "Lost", model: "nobody" });
    await expect(open().runner.run(lost, prompts.sum)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    const locked = open({ baseURL: `${server.locked.url}/openai/v1`, apiKey: "wrong" });
    await expect(locked.runner.run(plain, prompts.sum)).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });

  can("failure", "plain and streamed are errors", async () => {
    const { runner } = open();
    const plainly = useResponses && says(model, "plain failures") ? ModelBehaviorError : OpenAI.APIError;
    await expect(runner.run(plain, prompts.fail)).rejects.toBeInstanceOf(plainly);
    const streamed = await runner.run(plain, prompts.fail, { stream: true });
    await expect(streamed.completed).rejects.toBeInstanceOf(useResponses ? ModelBehaviorError : OpenAI.APIError);
  });

  can("abort", "a signal stops the model", async () => {
    const opened = open();
    const controller = new AbortController();
    const result = await opened.runner.run(plain, prompts.endless, { stream: true, signal: controller.signal });
    for await (const _ of result.toTextStream()) controller.abort();
    await opened.stopped;
    expect(result.cancelled).toBe(true);
  });

  can("usage", "is summed over the turns", async () => {
    const { rawResponses, state } = await open().runner.run(forecaster, prompts.weather);
    expect(rawResponses).toHaveLength(2);
    expect(state.usage).toMatchObject({ requests: 2, totalTokens: state.usage.inputTokens + state.usage.outputTokens });
    expect(state.usage.inputTokens).toBeGreaterThan(0);
  });

  if (useResponses) {
    can("state", "a run goes on from the response before", async () => {
      const { runner } = open();
      const { lastResponseId: previousResponseId } = await runner.run(plain, "My name is Ada.");
      expect((await runner.run(plain, "What is my name?", { previousResponseId })).finalOutput).toContain("Ada");
    });

    can("socket", "a run with tools goes over a WebSocket", async () => {
      const { client } = open();
      // The framework carries a copy of the same release of the client.
      const modelProvider = new OpenAIProvider({ openAIClient: client as never, useResponses, useResponsesWebSocket: true });
      const runner = new Runner({ modelProvider, tracingDisabled: true });
      expect((await runner.run(forecaster, prompts.weather)).finalOutput).toBe(weatherAnswer);
      await modelProvider.close();
    });

    can("state", "runs share a conversation, tools and all", async () => {
      const { runner, client } = open();
      const { id: conversationId } = await client.conversations.create({});
      await runner.run(plain, "My name is Ada.", { conversationId });
      expect((await runner.run(forecaster, prompts.weather, { conversationId })).finalOutput).toBe(weatherAnswer);
      expect((await runner.run(plain, "What is my name?", { conversationId })).finalOutput).toContain("Ada");
    });
  }

  const thinker = new Agent({ name: "Thinker", model, modelSettings: { reasoning: { effort: "low", summary: "auto" } } });
  // The framework leaves raw thoughts out.
  if (!useResponses || says(model, "summaries"))
    can("reasoning", "thoughts come along", async () => {
      const { newItems, finalOutput } = await open().runner.run(thinker, prompts.sum);
      expect(finalOutput).toBe(prompts.sumAnswer);
      const [first] = newItems.map(({ rawItem }) => rawItem);
      const thought = { text: expect.stringContaining(prompts.sum) };
      if (useResponses) expect(first).toMatchObject({ type: "reasoning", content: [thought] });
      else expect(first).toMatchObject({ content: [{ providerData: { reasoning_content: thought.text } }] });
    });
});
