import OpenAI6 from "openai";
import { LengthFinishReasonError as LengthError6 } from "openai/error";
import { zodFunction, zodResponseFormat } from "openai/helpers/zod";
import OpenAI7 from "openai7";
import { LengthFinishReasonError as LengthError7 } from "openai7/error";
import { describe, expect } from "vitest";
import { z } from "zod";
import { can } from "../support/cell.ts";
import { says } from "../support/gateway.ts";
import { failWith, pngUrl, prompts, weatherAnswer, weatherIn, weatherParameters } from "../support/prompts.ts";
import { across, serve } from "../support/serve.ts";

const server = await serve();
const weather = { type: "function", function: { name: "weather", parameters: weatherParameters, strict: true } } as const;
const person = z.object({ name: z.string(), age: z.number() });
const user = (content: string) => [{ role: "user" as const, content }];

// The two majors have types of their own, and the same methods: the older types speak for both.
const clients = [
  ["openai 6 · Chat Completions", OpenAI6, LengthError6],
  ["openai 7 · Chat Completions", OpenAI7 as unknown as typeof OpenAI6, LengthError7],
] as const;

describe.each(across(clients))("%s", (_, model, OpenAI, LengthError) => {
  const open = () => {
    const client = new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1`, maxRetries: 0 });
    return Object.assign(server.watch(), { completions: client.chat.completions });
  };

  can("text", "a plain answer has its text, reason and model", async () => {
    const completion = await open().completions.create({ model, messages: user(prompts.sum) });
    // What passes unread has the name that the model has at its provider.
    const named = model === "chat" ? "offline" : model;
    expect(completion).toMatchObject({ object: "chat.completion", model: named, id: expect.stringMatching(/^chatcmpl-/) });
    expect(completion.choices).toMatchObject([
      { index: 0, finish_reason: "stop", message: { role: "assistant", content: prompts.sumAnswer, refusal: null } },
    ]);
  });

  can("text", "the model reads a whole conversation", async () => {
    const { choices } = await open().completions.create({
      model,
      messages: [
        { role: "developer", content: "Be brief." },
        { role: "user", content: "My name is Ada." },
        { role: "assistant", content: "Hello Ada." },
        { role: "user", content: [{ type: "text", text: "What is my name?" }] },
      ],
    });
    expect(choices[0]?.message.content).toContain("Ada");
  });

  can("streaming", "the deltas make up the text", async () => {
    let text = "";
    const reasons = new Set<string | null>();
    for await (const { choices } of await open().completions.create({ model, messages: user(prompts.say), stream: true })) {
      text += choices[0]?.delta.content ?? "";
      reasons.add(choices[0]?.finish_reason ?? null);
    }
    expect(text).toBe(prompts.saidWhole);
    expect([...reasons]).toEqual([null, "stop"]);
  });

  can("streaming", "the helper's snapshots grow to the final message", async () => {
    const stream = open().completions.stream({ model, messages: user(prompts.say) });
    const snapshots: string[] = [];
    stream.on("content", (_delta, snapshot) => snapshots.push(snapshot));
    expect(await stream.finalContent()).toBe(prompts.saidWhole);
    expect(snapshots.at(-1)).toBe(prompts.saidWhole);
    expect(snapshots.length).toBeGreaterThan(5);
    expect(await stream.finalMessage()).toMatchObject({ role: "assistant", content: prompts.saidWhole });
  });

  can("streaming", "the helper builds what a plain call gives", async () => {
    const { completions } = open();
    const asked = { model, messages: user(prompts.weather), tools: [weather] };
    const plain = await completions.create(asked);
    const built = await completions.stream(asked).finalChatCompletion();
    expect(built.choices[0]?.finish_reason).toBe(plain.choices[0]?.finish_reason);
    expect(called(built)).toEqual(called(plain));
  });

  can("tool calls", "two calls come in parallel", async () => {
    const { choices } = await open().completions.create({ model, messages: user(prompts.weather), tools: [weather] });
    expect(choices).toMatchObject([{ finish_reason: "tool_calls", message: { content: null } }]);
    expect(choices[0]?.message.tool_calls).toMatchObject([
      { type: "function", id: expect.any(String), function: { name: "weather", arguments: '{"city":"Oslo"}' } },
      { type: "function", id: expect.any(String), function: { name: "weather", arguments: '{"city":"Rome"}' } },
    ]);
  });

  can("tool calls", "streamed arguments grow to each call's own", async () => {
    const stream = open().completions.stream({ model, messages: user(prompts.weather), tools: [weather] });
    const done: unknown[] = [];
    stream.on("tool_calls.function.arguments.done", ({ index, arguments: text }) => done.push([index, text]));
    await stream.done();
    expect(done).toEqual([
      [0, '{"city":"Oslo"}'],
      [1, '{"city":"Rome"}'],
    ]);
  });

  can("tool calls", "a custom tool gets its text", async () => {
    const tools = [{ type: "custom" as const, custom: { name: "shout" } }];
    const { choices } = await open().completions.create({ model, messages: user('Please shout "hello"'), tools });
    expect(choices[0]?.message.tool_calls).toMatchObject([{ type: "custom", custom: { name: "shout", input: "hello" } }]);
  });

  can("tool calls", "the parse helper reads the arguments", async () => {
    const tools = [zodFunction({ name: "weather", parameters: z.object({ city: z.string() }) })];
    const { choices } = await open().completions.parse({ model, messages: user(prompts.weather), tools });
    expect(choices[0]?.message.tool_calls).toMatchObject([
      { function: { parsed_arguments: { city: "Oslo" } } },
      { function: { parsed_arguments: { city: "Rome" } } },
    ]);
  });

  const runnable = {
    type: "function" as const,
    function: {
      name: "weather",
      description: "Tells the weather in a city.",
      parameters: weatherParameters,
      parse: (text: string): { city: string } => JSON.parse(text),
      function: ({ city }: { city: string }) => weatherIn(city),
    },
  };

  can("tool loop", "runTools calls the tools and answers", async () => {
    const runner = open().completions.runTools({ model, messages: user(prompts.weather), tools: [runnable] });
    expect(await runner.finalContent()).toBe(weatherAnswer);
  });

  can("tool loop", "runTools does so while it streams", async () => {
    const runner = open().completions.runTools({ model, messages: user(prompts.weather), tools: [runnable], stream: true });
    let text = "";
    runner.on("content", (delta) => (text += delta));
    expect(await runner.finalContent()).toBe(weatherAnswer);
    expect(text).toBe(weatherAnswer);
  });

  can("images", "the model sees the picture", async () => {
    const opened = open();
    const content = [
      { type: "text" as const, text: "What is this?" },
      { type: "image_url" as const, image_url: { url: pngUrl } },
    ];
    const { choices } = await opened.completions.create({ model, messages: [{ role: "user", content }] });
    expect(choices[0]?.message.content).toContain("1 image");
    expect(opened.asked[0]?.input).toMatchObject([{ content: [{}, { type: "input_image", image_url: pngUrl }] }]);
  });

  can("typed output", "the parse helper gives an object", async () => {
    const response_format = zodResponseFormat(person, "person");
    const { choices } = await open().completions.parse({ model, messages: user(prompts.person), response_format });
    expect(choices[0]?.message.parsed).toEqual({ name: expect.any(String), age: 36 });
  });

  can("typed output", "the stream helper gives an object", async () => {
    const response_format = zodResponseFormat(person, "person");
    const stream = open().completions.stream({ model, messages: user(prompts.person), response_format });
    const { choices } = await stream.finalChatCompletion();
    expect(choices[0]?.message.parsed).toEqual({ name: expect.any(String), age: 36 });
  });

  if (says(model, "typed refusals"))
    can("refusal", "stands in the message, and parses to nothing", async () => {
      const response_format = zodResponseFormat(person, "person");
      const { choices } = await open().completions.parse({ model, messages: user(prompts.refuse), response_format });
      expect(choices[0]?.message).toMatchObject({ content: null, refusal: prompts.refusal, parsed: null });
    });

  if (says(model, "refusals"))
    can("refusal", "streams", async () => {
      let refusal = "";
      const stream = open().completions.stream({ model, messages: user(prompts.refuse) });
      stream.on("refusal.delta", ({ delta }) => (refusal += delta));
      expect((await stream.finalMessage()).refusal).toBe(prompts.refusal);
      expect(refusal).toBe(prompts.refusal);
    });

  can("length", "a short answer tells why", async () => {
    const { completions } = open();
    const short = await completions.create({ model, messages: user(prompts.say), max_completion_tokens: 5 });
    expect(short.choices).toMatchObject([{ finish_reason: "length", message: { content: prompts.saidHalf } }]);
    const filtered = await completions.stream({ model, messages: user(prompts.contentFilter) }).finalChatCompletion();
    const finish_reason = says(model, "filters") ? "content_filter" : "stop";
    expect(filtered.choices).toMatchObject([{ finish_reason, message: { content: prompts.saidHalf } }]);
  });

  can("length", "the parse helper throws its own error", async () => {
    const response_format = zodResponseFormat(person, "person");
    const parsing = open().completions.parse({ model, messages: user(prompts.person), response_format, max_tokens: 2 });
    await expect(parsing).rejects.toBeInstanceOf(LengthError);
  });

  const errors = [
    ["rate_limit_exceeded", OpenAI.RateLimitError, 429],
    ["context_length_exceeded", OpenAI.BadRequestError, 400],
    ["server_error", OpenAI.InternalServerError, 500],
  ] as const;
  for (const [code, type, status] of errors)
    can("errors", `${code} is the client's ${type.name}`, async () => {
      const { completions } = open();
      const messages = user(failWith(code));
      for (const stream of [false, true]) {
        const error = await completions.create({ model, messages, stream }).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(type);
        expect(error).toMatchObject({ status, ...(says(model, "error codes") && { code }) });
      }
    });

  can("errors", "a model that is not there is a NotFoundError", async () => {
    const asking = open().completions.create({ model: "nobody", messages: user(prompts.sum) });
    await expect(asking).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(asking).rejects.toMatchObject({ code: "model_not_found", param: "model" });
  });

  can("errors", "a wrong key is an AuthenticationError, a key for another model a PermissionDeniedError", async () => {
    const { url, secret } = server.locked;
    const messages = user(prompts.sum);
    const asking = (apiKey: string, asked: string) =>
      new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 }).chat.completions.create({ model: asked, messages });
    await expect(asking("wrong", "offline")).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    await expect(asking(secret, "other")).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError);
    expect((await asking(secret, "offline")).choices[0]?.message.content).toBe(prompts.sumAnswer);
  });

  can("errors", "a bad field is named", async () => {
    const asking = open().completions.create({ model, messages: user(prompts.sum), temperature: 7 });
    await expect(asking).rejects.toMatchObject({ status: 400, param: "temperature", type: "invalid_request_error" });
    await expect(asking).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  });

  can("failure", "a plain answer that fails is an error", async () => {
    const asking = open().completions.create({ model, messages: user(prompts.fail) });
    await expect(asking).rejects.toBeInstanceOf(OpenAI.InternalServerError);
  });

  can("failure", "a stream that fails throws after what was said", async () => {
    let text = "";
    const stream = await open().completions.create({ model, messages: user(prompts.fail), stream: true });
    const reading = (async () => {
      for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
    })();
    await expect(reading).rejects.toBeInstanceOf(OpenAI.APIError);
    await expect(reading).rejects.toMatchObject({ code: "server_error" });
    expect(text).toBe(prompts.saidHalf);
  });

  can("abort", "stopping a stream stops the model", async () => {
    const opened = open();
    const stream = await opened.completions.create({ model, messages: user(prompts.endless), stream: true });
    for await (const { choices } of stream) if (choices[0]?.delta.content) break;
    await opened.stopped;
    expect(stream.controller.signal.aborted).toBe(true);
  });

  can("abort", "the helper's own error says so", async () => {
    const opened = open();
    const stream = opened.completions.stream({ model, messages: user(prompts.endless) });
    stream.on("content", () => stream.abort());
    await expect(stream.done()).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
    await opened.stopped;
  });

  can("usage", "plain and streamed tell the same", async () => {
    const { completions } = open();
    const asked = { model, messages: user(prompts.say), reasoning_effort: "low" as const };
    const { usage } = await completions.create(asked);
    expect(usage?.total_tokens).toBe(usage!.prompt_tokens + usage!.completion_tokens);
    expect(usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0);
    const stream = completions.stream({ ...asked, stream_options: { include_usage: true } });
    expect((await stream.finalChatCompletion()).usage).toEqual(usage);
  });

  can("usage", "a stream is silent about it unless asked", async () => {
    for await (const chunk of await open().completions.create({ model, messages: user(prompts.say), stream: true }))
      expect(chunk.usage ?? null).toBeNull();
  });

  // The client has no word for thoughts; compatible servers send them so, and many of its users read that.
  can("reasoning", "thoughts stand in reasoning_content", async () => {
    const { choices } = await open().completions.create({ model, messages: user(prompts.sum), reasoning_effort: "low" });
    expect(choices[0]?.message).toMatchObject({
      content: prompts.sumAnswer,
      reasoning_content: expect.stringContaining(prompts.sum),
    });
  });
});

/** The calls of an answer; their ids are others each time. */
const called = ({ choices }: { choices: { message: OpenAI6.ChatCompletionMessage }[] }): unknown =>
  choices[0]?.message.tool_calls?.map((call) => call.type === "function" && [call.function.name, call.function.arguments]);
