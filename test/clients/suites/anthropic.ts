import Anthropic from "@anthropic-ai/sdk";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import { describe, expect } from "vitest";
import { z } from "zod";
import { can } from "../support/cell.ts";
import { says } from "../support/gateway.ts";
import { failWith, pngBase64, prompts, weatherAnswer, weatherIn } from "../support/prompts.ts";
import { across, serve } from "../support/serve.ts";

const server = await serve();
const max_tokens = 4096;
const weather = {
  name: "weather",
  description: "Tells the weather in a city.",
  input_schema: { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] },
};
const thinking = { type: "enabled" as const, budget_tokens: 2000 };

describe.each(across([["@anthropic-ai/sdk 1 · Messages"]]))("%s", (_, model) => {
  const open = () => {
    const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
    return Object.assign(server.watch(), { messages: client.messages, beta: client.beta });
  };
  const ask = (content: string): { model: string; max_tokens: number; messages: Anthropic.MessageParam[] } => ({
    model,
    max_tokens,
    messages: [{ role: "user", content }],
  });

  can("text", "a plain answer has its text, reason and model", async () => {
    const message = await open().messages.create(ask(prompts.sum));
    // What passes unread has the name that the model has at its provider.
    const named = { role: "assistant", model: model === "messages" ? "offline" : model };
    expect(message).toMatchObject({ type: "message", ...named, stop_reason: "end_turn", stop_sequence: null });
    expect(message.content).toMatchObject([{ type: "text", text: prompts.sumAnswer }]);
    expect(message.id).toMatch(/^msg_/);
  });

  can("text", "the model reads a whole conversation", async () => {
    const opened = open();
    const { content } = await opened.messages.create({
      model,
      max_tokens,
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
      messages: [
        { role: "user", content: "My name is Ada." },
        { role: "assistant", content: [{ type: "text", text: "Hello Ada." }] },
        { role: "user", content: [{ type: "text", text: "What is my name?" }] },
      ],
    });
    expect(content).toMatchObject([{ text: expect.stringContaining("Ada") }]);
    expect(JSON.stringify(opened.asked[0])).toContain("Be brief.");
  });

  can("streaming", "the deltas make up the text", async () => {
    let text = "";
    for await (const event of await open().messages.create({ ...ask(prompts.say), stream: true }))
      if (event.type === "content_block_delta" && event.delta.type === "text_delta") text += event.delta.text;
    expect(text).toBe(prompts.saidWhole);
  });

  can("streaming", "the helper's snapshots grow to the final message", async () => {
    const stream = open().messages.stream(ask(prompts.say));
    const snapshots: string[] = [];
    stream.on("text", (_delta, snapshot) => snapshots.push(snapshot));
    expect(await stream.finalText()).toBe(prompts.saidWhole);
    expect(snapshots.at(-1)).toBe(prompts.saidWhole);
    expect(snapshots.length).toBeGreaterThan(5);
  });

  can("streaming", "the helper builds what a plain call gives", async () => {
    const { messages } = open();
    const asked = { ...ask(prompts.weather), tools: [weather], thinking };
    expect(plainly(await messages.stream(asked).finalMessage())).toEqual(plainly(await messages.create(asked)));
  });

  can("tool calls", "two calls come in parallel", async () => {
    const { content, stop_reason } = await open().messages.create({ ...ask(prompts.weather), tools: [weather] });
    expect(stop_reason).toBe("tool_use");
    expect(content).toMatchObject([
      { type: "tool_use", name: "weather", input: { city: "Oslo" }, id: expect.any(String) },
      { type: "tool_use", name: "weather", input: { city: "Rome" }, id: expect.any(String) },
    ]);
  });

  can("tool calls", "streamed input grows to each call's own", async () => {
    const stream = open().messages.stream({ ...ask(prompts.weather), tools: [weather] });
    const pieces: string[] = [];
    const blocks: unknown[] = [];
    stream.on("inputJson", (piece) => pieces.push(piece));
    stream.on("contentBlock", (block) => blocks.push(block));
    await stream.done();
    expect(pieces.join("")).toBe('{"city":"Oslo"}{"city":"Rome"}');
    expect(blocks).toMatchObject([{ input: { city: "Oslo" } }, { input: { city: "Rome" } }]);
  });

  can("tool calls", "a forced tool is called", async () => {
    const tool_choice = { type: "tool" as const, name: "weather" };
    const { content } = await open().messages.create({ ...ask("Hello Oslo"), tools: [weather], tool_choice });
    expect(content).toMatchObject([{ type: "tool_use", name: "weather" }]);
  });

  can("tool loop", "calls, results, answer", async () => {
    const { messages } = open();
    const asked = { ...ask(prompts.weather), tools: [weather], thinking };
    const { content } = await messages.create(asked);
    const results = content.flatMap((block) =>
      block.type === "tool_use"
        ? [{ type: "tool_result" as const, tool_use_id: block.id, content: weatherIn((block.input as { city: string }).city) }]
        : [],
    );
    asked.messages.push({ role: "assistant", content }, { role: "user", content: results });
    const answer = await messages.stream(asked).finalText();
    expect(answer).toBe(weatherAnswer);
  });

  can("tool loop", "the tool runner does it alone", async () => {
    const inputSchema = z.object({ city: z.string() });
    const tool = betaZodTool({ ...weather, inputSchema, run: ({ city }) => weatherIn(city) });
    const { content } = await open().beta.messages.toolRunner({ ...ask(prompts.weather), tools: [tool] });
    expect(content).toMatchObject([{ type: "text", text: weatherAnswer }]);
  });

  can("images", "the model sees the picture", async () => {
    const source = { type: "base64" as const, media_type: "image/png" as const, data: pngBase64 };
    const content = [
      { type: "text" as const, text: "What is this?" },
      { type: "image" as const, source },
    ];
    const answer = await open().messages.create({ model, max_tokens, messages: [{ role: "user", content }] });
    expect(answer.content).toMatchObject([{ text: expect.stringContaining("1 image") }]);
  });

  const person = z.object({ name: z.string(), age: z.number() });
  can("typed output", "the parse helper gives an object", async () => {
    const output_config = { format: zodOutputFormat(person) };
    const { parsed_output } = await open().messages.parse({ ...ask(prompts.person), output_config });
    expect(parsed_output).toEqual({ name: expect.any(String), age: 36 });
  });

  can("typed output", "the stream helper gives an object", async () => {
    const output_config = { format: zodOutputFormat(person) };
    const { parsed_output } = await open()
      .messages.stream({ ...ask(prompts.person), output_config })
      .finalMessage();
    expect(parsed_output).toEqual({ name: expect.any(String), age: 36 });
  });

  if (says(model, "refusals"))
    can("refusal", "is a stop reason, with its words in the details", async () => {
      const { messages } = open();
      const refused = { stop_reason: "refusal", stop_details: { type: "refusal", explanation: prompts.refusal } };
      expect(await messages.create(ask(prompts.refuse))).toMatchObject(refused);
      expect(await messages.stream(ask(prompts.refuse)).finalMessage()).toMatchObject(refused);
    });

  can("length", "a short answer tells why", async () => {
    const { messages } = open();
    const short = { stop_reason: "max_tokens", content: [{ type: "text", text: prompts.saidHalf }] };
    expect(await messages.create({ ...ask(prompts.say), max_tokens: 5 })).toMatchObject(short);
    expect(await messages.stream({ ...ask(prompts.say), max_tokens: 5 }).finalMessage()).toMatchObject(short);
  });

  const errors = [
    ["rate_limit_exceeded", Anthropic.RateLimitError, 429, "rate_limit_error"],
    ["context_length_exceeded", Anthropic.BadRequestError, 400, "invalid_request_error"],
    ["server_error", Anthropic.InternalServerError, 500, "api_error"],
    ["server_is_overloaded", Anthropic.InternalServerError, 529, "overloaded_error"],
  ] as const;
  for (const [code, type, status, name] of errors)
    can("errors", `${code} is the client's ${type.name} of type ${name}`, async () => {
      const { messages } = open();
      for (const stream of [false, true]) {
        const error = await messages.create({ ...ask(failWith(code)), stream }).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(type);
        expect(error).toMatchObject({ status, type: name, apiMessage: expect.stringContaining(code) });
      }
    });

  can("errors", "a model that is not there is a NotFoundError", async () => {
    const asking = open().messages.create({ ...ask(prompts.sum), model: "nobody" });
    await expect(asking).rejects.toBeInstanceOf(Anthropic.NotFoundError);
    await expect(asking).rejects.toMatchObject({ type: "not_found_error" });
  });

  can("errors", "a wrong key is an AuthenticationError, a key for another model a PermissionDeniedError", async () => {
    const { url: baseURL, secret } = server.locked;
    const asking = (apiKey: string, asked: string) =>
      new Anthropic({ apiKey, baseURL, maxRetries: 0 }).messages.create({ ...ask(prompts.sum), model: asked });
    await expect(asking("wrong", "offline")).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
    await expect(asking(secret, "other")).rejects.toBeInstanceOf(Anthropic.PermissionDeniedError);
    expect((await asking(secret, "offline")).content).toMatchObject([{ text: prompts.sumAnswer }]);
  });

  can("errors", "a bad field is a BadRequestError", async () => {
    const asking = open().messages.create({ ...ask(prompts.sum), max_tokens: -1 });
    await expect(asking).rejects.toBeInstanceOf(Anthropic.BadRequestError);
    await expect(asking).rejects.toMatchObject({ apiMessage: expect.stringContaining("max_tokens") });
  });

  can("failure", "a plain answer that fails is an error", async () => {
    await expect(open().messages.create(ask(prompts.fail))).rejects.toBeInstanceOf(Anthropic.InternalServerError);
  });

  can("failure", "a stream that fails throws after what was said", async () => {
    let text = "";
    const stream = open().messages.stream(ask(prompts.fail));
    stream.on("text", (delta) => (text += delta));
    await expect(stream.finalMessage()).rejects.toBeInstanceOf(Anthropic.APIError);
    await expect(stream.finalMessage()).rejects.toMatchObject({ type: "api_error" });
    expect(text).toBe(prompts.saidHalf);
  });

  can("abort", "stopping a stream stops the model", async () => {
    const opened = open();
    const stream = await opened.messages.create({ ...ask(prompts.endless), stream: true });
    for await (const event of stream) if (event.type === "content_block_delta") break;
    await opened.stopped;
    expect(stream.controller.signal.aborted).toBe(true);
  });

  can("abort", "the helper's own error says so", async () => {
    const opened = open();
    const stream = opened.messages.stream(ask(prompts.endless));
    stream.on("text", () => stream.abort());
    await expect(stream.done()).rejects.toBeInstanceOf(Anthropic.APIUserAbortError);
    await opened.stopped;
  });

  can("usage", "plain and streamed tell the same", async () => {
    const { messages } = open();
    const { usage } = await messages.create(ask(prompts.say));
    expect(usage).toMatchObject({ input_tokens: expect.any(Number), output_tokens: 10 });
    expect(usage.input_tokens).toBeGreaterThan(0);
    expect((await messages.stream(ask(prompts.say)).finalMessage()).usage).toMatchObject({ ...usage });
  });

  can("models", "tokens are counted", async () => {
    const { messages } = open();
    const count = (content: string) => messages.countTokens({ model, messages: [{ role: "user", content }] });
    const [few, many] = [await count("Hello"), await count(prompts.say)];
    expect(few.input_tokens).toBeGreaterThan(0);
    expect(many.input_tokens).toBeGreaterThan(few.input_tokens);
  });

  can("reasoning", "thoughts stream in a block of their own, signed", async () => {
    const stream = open().messages.stream({ ...ask(prompts.sum), thinking });
    let thought = "";
    stream.on("thinking", (delta) => (thought += delta));
    const { content } = await stream.finalMessage();
    expect(content).toMatchObject([
      { type: "thinking", thinking: thought },
      { type: "text", text: prompts.sumAnswer },
    ]);
    expect(thought).toContain(prompts.sum);
    expect(content[0]).toHaveProperty("signature", expect.stringMatching(/./));
  });
});

/** What the helper adds, and what is another each time. */
const own: ReadonlySet<string> = new Set(["parsed_output", "id", "signature"]);
const plainly = (message: Anthropic.Message): unknown =>
  JSON.parse(JSON.stringify(message, (key, value) => (own.has(key) ? undefined : value)));
