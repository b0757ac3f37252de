import OpenAI6 from "openai";
import { zodResponsesFunction, zodTextFormat } from "openai/helpers/zod";
import OpenAI7 from "openai7";
import { describe, expect } from "vitest";
import { z } from "zod";
import { can, differs } from "../support/cell.ts";
import { says, type Upstream } from "../support/gateway.ts";
import { failWith, pngUrl, prompts, weatherAnswer, weatherIn, weatherParameters } from "../support/prompts.ts";
import { across, serve } from "../support/serve.ts";

const server = await serve();
const weather = { type: "function", name: "weather", parameters: weatherParameters, strict: true } as const;
const person = z.object({ name: z.string(), age: z.number() });

// The two majors have types of their own, and the same methods: the older types speak for both.
const clients = [
  ["openai 6 · Responses", OpenAI6, "/openai/v1"],
  ["openai 7 · Responses", OpenAI7 as unknown as typeof OpenAI6, "/openai/v1"],
  ["openai 7 · Open Responses", OpenAI7 as unknown as typeof OpenAI6, "/v1"],
] as const;

describe.each(across(clients))("%s", (_, model, OpenAI, mount) => {
  // A summary: the name of the event for raw thoughts is one of the few things in which OpenAI and the specification differ.
  const reasoning = says(model, "summaries") || mount !== "/v1" ? ({ effort: "low", summary: "auto" } as const) : null;
  const open = () => {
    const client = new OpenAI({ apiKey: "none", baseURL: server.url + mount, maxRetries: 0 });
    return Object.assign(server.watch(), { client, responses: client.responses });
  };

  can("text", "a plain answer has its text, status and model", async () => {
    const response = await open().responses.create({ model, input: prompts.sum });
    expect(response).toMatchObject({ output_text: prompts.sumAnswer, status: "completed", model });
  });

  can("text", "the fields of the request come back", async () => {
    const sent = {
      instructions: "Be brief.",
      metadata: { run: "1" },
      temperature: 0.5,
      store: false,
      background: false,
    } as const;
    expect(await open().responses.create({ model, input: prompts.sum, ...sent })).toMatchObject(sent);
  });

  can("text", "a conversation goes on from the response before", async () => {
    const { responses } = open();
    const { id } = await responses.create({ model, input: "My name is Ada." });
    const next = await responses.create({ model, input: "What is my name?", previous_response_id: id });
    expect(next.output_text).toContain("Ada");
    expect(next.previous_response_id).toBe(id);
  });

  can("streaming", "the deltas make up the text", async () => {
    let text = "";
    for await (const event of await open().responses.create({ model, input: prompts.say, stream: true }))
      if (event.type === "response.output_text.delta") text += event.delta;
    expect(text).toBe(prompts.saidWhole);
  });

  can("streaming", "the helper's snapshots grow to the final response", async () => {
    const stream = open().responses.stream({ model, input: prompts.say });
    const snapshots: string[] = [];
    stream.on("response.output_text.delta", ({ snapshot }) => snapshots.push(snapshot));
    const final = await stream.finalResponse();
    expect(snapshots.at(-1)).toBe(prompts.saidWhole);
    expect(snapshots.length).toBeGreaterThan(5);
    expect(final).toMatchObject({ output_text: prompts.saidWhole, status: "completed" });
  });

  can("streaming", "the helper builds what a plain call gives", async () => {
    const { responses } = open();
    const asked = { model, input: prompts.weather, tools: [weather], reasoning };
    const [plain, built] = [await responses.create(asked), await responses.stream(asked).finalResponse()];
    expect(strip(built.output)).toEqual(strip(plain.output));
    expect(built.usage).toEqual(plain.usage);
  });

  can("tool calls", "two calls come in parallel", async () => {
    const { output } = await open().responses.create({ model, input: prompts.weather, tools: [weather] });
    expect(output).toMatchObject([
      { type: "function_call", name: "weather", arguments: '{"city":"Oslo"}', status: "completed" },
      { type: "function_call", name: "weather", arguments: '{"city":"Rome"}', status: "completed" },
    ]);
  });

  can("tool calls", "streamed arguments grow to each call's own", async () => {
    const stream = open().responses.stream({ model, input: prompts.weather, tools: [weather] });
    const snapshots = new Map<number, string>();
    stream.on("response.function_call_arguments.delta", (event) => snapshots.set(event.output_index, event.snapshot));
    await stream.done();
    expect([...snapshots.values()]).toEqual(['{"city":"Oslo"}', '{"city":"Rome"}']);
  });

  can("tool calls", "the parse helper reads the arguments", async () => {
    const tools = [zodResponsesFunction({ name: "weather", parameters: z.object({ city: z.string() }) })];
    const { output } = await open().responses.parse({ model, input: prompts.weather, tools });
    expect(output).toMatchObject([{ parsed_arguments: { city: "Oslo" } }, { parsed_arguments: { city: "Rome" } }]);
  });

  can("tool loop", "calls, results, answer", async () => {
    const { responses } = open();
    const input: OpenAI6.Responses.ResponseInput = [{ role: "user", content: prompts.weather }];
    const { output } = await responses.create({ model, input, tools: [weather], reasoning: { effort: "low" } });
    input.push(...sentBack(output));
    for (const call of output)
      if (call.type === "function_call")
        input.push({ type: "function_call_output", call_id: call.call_id, output: weatherIn(JSON.parse(call.arguments).city) });
    const answer = await responses.create({ model, input, tools: [weather] });
    expect(answer.output_text).toBe(weatherAnswer);
  });

  can("images", "the model sees the picture", async () => {
    const opened = open();
    const content = [
      { type: "input_text", text: "What is this?" } as const,
      { type: "input_image", image_url: pngUrl, detail: "auto" } as const,
    ];
    const response = await opened.responses.create({ model, input: [{ role: "user", content }] });
    expect(response.output_text).toContain("1 image");
    expect(opened.asked[0]?.input).toMatchObject([{ content: [{}, { image_url: pngUrl }] }]);
  });

  can("typed output", "the parse helper gives an object", async () => {
    const text = { format: zodTextFormat(person, "person") };
    const { output_parsed } = await open().responses.parse({ model, input: prompts.person, text });
    expect(output_parsed).toEqual({ name: expect.any(String), age: 36 });
  });

  can("typed output", "the stream helper gives an object", async () => {
    const text = { format: zodTextFormat(person, "person") };
    const final = await open().responses.stream({ model, input: prompts.person, text }).finalResponse();
    expect(final.output_parsed).toEqual({ name: expect.any(String), age: 36 });
  });

  if (says(model, "typed refusals"))
    can("refusal", "stands in the content, and parses to nothing", async () => {
      const text = { format: zodTextFormat(person, "person") };
      const { output, output_parsed } = await open().responses.parse({ model, input: prompts.refuse, text });
      expect(output).toMatchObject([{ content: [{ type: "refusal", refusal: prompts.refusal }] }]);
      expect(output_parsed).toBeNull();
    });

  if (says(model, "refusals"))
    can("refusal", "streams", async () => {
      let refusal = "";
      const stream = open().responses.stream({ model, input: prompts.refuse });
      stream.on("response.refusal.delta", ({ delta }) => (refusal += delta));
      await stream.done();
      expect(refusal).toBe(prompts.refusal);
    });

  can("length", "a short answer tells why", async () => {
    const response = await open().responses.create({ model, input: prompts.say, max_output_tokens: 5 });
    expect(response).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output_text: prompts.saidHalf,
    });
  });

  if (says(model, "filters"))
    can("length", "so does a short stream", async () => {
      const final = await open().responses.stream({ model, input: prompts.contentFilter }).finalResponse();
      expect(final).toMatchObject({ status: "incomplete", incomplete_details: { reason: "content_filter" } });
      expect(final.output_text).toBe(prompts.saidHalf);
    });

  const errors = [
    ["rate_limit_exceeded", OpenAI.RateLimitError, 429],
    ["context_length_exceeded", OpenAI.BadRequestError, 400],
    ["server_error", OpenAI.InternalServerError, 500],
  ] as const;
  for (const [code, type, status] of errors)
    can("errors", `${code} is the client's ${type.name}`, async () => {
      const { responses } = open();
      const input = failWith(code);
      for (const stream of [false, true]) {
        const error = await responses.create({ model, input, stream }).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(type);
        expect(error).toMatchObject({ status, ...(says(model, "error codes") && { code }) });
      }
    });

  can("errors", "a model that is not there is a NotFoundError", async () => {
    const asking = open().responses.create({ model: "nobody", input: prompts.sum });
    await expect(asking).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(asking).rejects.toMatchObject({ code: "model_not_found", param: "model" });
  });

  can("errors", "a wrong key is an AuthenticationError, a key for another model a PermissionDeniedError", async () => {
    const { url, secret } = server.locked;
    const asking = (apiKey: string, asked: string) =>
      new OpenAI({ apiKey, baseURL: url + mount, maxRetries: 0 }).responses.create({ model: asked, input: prompts.sum });
    await expect(asking("wrong", "offline")).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    await expect(asking(secret, "other")).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError);
    expect((await asking(secret, "offline")).output_text).toBe(prompts.sumAnswer);
  });

  can("errors", "a bad field is named", async () => {
    const asking = open().responses.create({ model, input: prompts.sum, temperature: 7 });
    await expect(asking).rejects.toMatchObject({
      status: 400,
      param: "temperature",
      type: expect.stringMatching(/^invalid_request/),
    });
    await expect(asking).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  });

  if (says(model, "plain failures"))
    can("failure", "a plain answer keeps the error and what was said", async () => {
      const response = await open().responses.create({ model, input: prompts.fail });
      expect(response).toMatchObject({ status: "failed", error: { code: "server_error" }, output_text: prompts.saidHalf });
    });
  else
    can("failure", "a plain answer that fails is an error", async () => {
      const asking = open().responses.create({ model, input: prompts.fail });
      await expect(asking).rejects.toBeInstanceOf(OpenAI.InternalServerError);
    });

  can("failure", "a stream ends in response.failed", async () => {
    const final = await open().responses.stream({ model, input: prompts.fail }).finalResponse();
    expect(final).toMatchObject({ status: "failed", error: { code: "server_error" } });
  });

  can("abort", "stopping a stream stops the model", async () => {
    const opened = open();
    const stream = await opened.responses.create({ model, input: prompts.endless, stream: true });
    for await (const event of stream) if (event.type === "response.output_text.delta") break;
    await opened.stopped;
    expect(stream.controller.signal.aborted).toBe(true);
  });

  can("abort", "a signal stops a plain call", async () => {
    const opened = open();
    const controller = new AbortController();
    const asking = opened.responses.create({ model, input: prompts.endless }, { signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    await expect(asking).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
    await opened.stopped;
  });

  can("abort", "the helper's own error says so", async () => {
    const opened = open();
    const stream = opened.responses.stream({ model, input: prompts.endless });
    stream.on("response.output_text.delta", () => stream.abort());
    await expect(stream.done()).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
    await opened.stopped;
  });

  can("usage", "plain and streamed tell the same", async () => {
    const { responses } = open();
    const asked = { model, input: prompts.say, reasoning } as const;
    const { usage } = await responses.create(asked);
    expect(usage?.total_tokens).toBe(usage!.input_tokens + usage!.output_tokens);
    if (reasoning) expect(usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(0);
    expect(usage?.input_tokens_details.cached_tokens).toBe(0);
    expect((await responses.stream(asked).finalResponse()).usage).toEqual(usage);
  });

  if (says(model, "summaries"))
    can("reasoning", "a summary streams, and comes before the answer", async () => {
      let summary = "";
      const stream = open().responses.stream({ model, input: prompts.sum, reasoning: { effort: "low", summary: "auto" } });
      stream.on("response.reasoning_summary_text.delta", ({ delta }) => (summary += delta));
      const { output } = await stream.finalResponse();
      expect(output).toMatchObject([{ type: "reasoning", summary: [{ text: summary }] }, { type: "message" }]);
      expect(summary).not.toBe("");
    });

  if (says(model, "sealed thoughts"))
    can("reasoning", "sealed thoughts go back and forth", async () => {
      const { responses } = open();
      const asked = {
        model,
        store: false,
        include: ["reasoning.encrypted_content" as const],
        reasoning: { effort: "low" as const },
      };
      const input: OpenAI6.Responses.ResponseInput = [{ role: "user", content: prompts.sum }];
      const { output } = await responses.create({ ...asked, input });
      expect(output[0]).toMatchObject({ type: "reasoning", encrypted_content: expect.any(String) });
      input.push(...sentBack(output), { role: "user", content: "What did I say?" });
      expect((await responses.create({ ...asked, input })).output_text).toContain(prompts.sum);
    });

  const speaks = mount === "/v1" ? keepsToTheLetter : speaksOpenai;
  speaks(model, () => open().responses);
});

type Open = () => OpenAI6["responses"];
const shout = { input: 'Please shout "hello"', tools: [{ type: "custom" as const, name: "shout" }] };
const think = { input: prompts.sum, reasoning: { effort: "low" } } as const;

function speaksOpenai(model: Upstream, open: Open): void {
  can("tool calls", "a custom tool gets its text", async () => {
    const { output } = await open()
      .stream({ model, ...shout })
      .finalResponse();
    expect(output).toMatchObject([{ type: "custom_tool_call", name: "shout", input: "hello" }]);
  });

  if (says(model, "raw thoughts"))
    can("reasoning", "raw thoughts stream", async () => {
      let thought = "";
      const stream = open().stream({ model, ...think });
      stream.on("response.reasoning_text.delta", ({ delta }) => (thought += delta));
      expect((await stream.finalResponse()).output[0]).toMatchObject({ type: "reasoning", content: [{ text: thought }] });
    });
}

function keepsToTheLetter(model: Upstream, open: Open): void {
  differs("tool calls", "the stream helper throws at custom tools, which the specification lacks", async () => {
    const stream = open().stream({ model, ...shout });
    await expect(stream.finalResponse()).rejects.toThrow("Unhandled response stream event");
    const { output } = await open().create({ model, ...shout });
    expect(output).toMatchObject([{ type: "openai:custom_tool_call", input: "hello" }]);
  });

  if (says(model, "raw thoughts"))
    differs(
      "reasoning",
      "the stream helper throws at raw reasoning, because the specification's event has another name",
      async () => {
        await expect(
          open()
            .stream({ model, ...think })
            .finalResponse(),
        ).rejects.toThrow("Unhandled response stream event");
        expect((await open().create({ model, ...think })).output).toMatchObject([{ type: "reasoning" }, { type: "message" }]);
      },
    );
}

/** What the helper adds, and what is another each time. */
const own: ReadonlySet<string> = new Set(["parsed", "parsed_arguments", "id", "call_id", "encrypted_content"]);
const strip = (output: object[]): unknown =>
  JSON.parse(JSON.stringify(output, (key, value) => (own.has(key) ? undefined : value)));

/** Output as input: the client's types know of one item that the service gives and does not take. */
const sentBack = (output: OpenAI6.Responses.ResponseOutputItem[]) => output as OpenAI6.Responses.ResponseInputItem[];
