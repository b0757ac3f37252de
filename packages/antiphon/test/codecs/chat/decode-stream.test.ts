import { describe, expect, test } from "vitest";
import { chatCodec } from "../../../src/codecs/chat/index.ts";
import { AntiphonError } from "../../../src/core/error.ts";
import { outcome } from "../../../src/core/views.ts";
import { testCtx } from "../../support/ctx.ts";
import { bare, calls, chunk, decode, respond } from "./support.ts";

const stop = chunk({}, "stop");
const said = (text: string) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

describe("a stream", () => {
  test("V1, V2, V7: tells a message from its beginning to its end, numbered without gaps", () => {
    const events = decode([chunk({ role: "assistant", content: "" }), chunk({ content: "Hel" }), chunk({ content: "lo" }), stop]);
    expect(events.map(({ type }) => type.replace("response.", ""))).toEqual([
      "created",
      "in_progress",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "completed",
    ]);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  });

  test("ID5, ID6, ID7: has one id, the server's under our prefix, though the server changes it or knows it late", () => {
    const late = { ...chunk({}), id: "", model: "", choices: [] };
    const events = decode([late, chunk({ content: "Hi" }), { ...chunk({}, "stop"), id: "other" }]);
    expect(new Set(events.flatMap((event) => ("response" in event ? [(event.response as { id: string }).id] : [])))).toEqual(
      new Set(["resp_chatcmpl-1"]),
    );
    expect(respond([chunk({ content: "Hi" }), stop])).toMatchObject({
      id: "resp_chatcmpl-1",
      model: "test-model",
      created_at: 1_700_000_001,
    });
  });

  test("ID7: without an id of the server's has one of ours, and the server's model all the same", () => {
    const { id: _, ...nameless } = chunk({ content: "Hi" }, "stop") as { id: string };
    expect(respond([nameless])).toMatchObject({ id: "resp_1", model: "test-model" });
  });

  test("V3, V5: goes on with its text after a call, in the same message", () => {
    const values = [
      chunk({ content: "One " }),
      calls({ index: 0, id: "c", function: { name: "f", arguments: "{}" } }),
      chunk({ content: "two" }),
      stop,
    ];
    expect(bare(respond(values).output)).toEqual([
      said("One two"),
      { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
    ]);
  });

  test("V5: tells text and call of one chunk", () => {
    const values = [
      chunk({ content: "Wait.", tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: "{}" } }] }),
      chunk({}, "tool_calls"),
    ];
    expect(respond(values).output.map(({ type }) => type)).toEqual(["message", "function_call"]);
  });

  test("V8: says nothing for roles, empty deltas and white space before calls", () => {
    const values = [
      chunk({ role: "assistant", content: "" }),
      chunk({ content: "\n\n" }),
      calls({ index: 0, id: "c", function: { name: "f", arguments: "{}" } }),
      chunk({ content: null }, "tool_calls"),
    ];
    expect(respond(values).output.map(({ type }) => type)).toEqual(["function_call"]);
    expect(bare(respond([chunk({ content: "\n" }), chunk({ content: " Hi" }), stop]).output)).toEqual([said("\n Hi")]);
    expect(bare(respond([chunk({ content: " " }), stop]).output)).toEqual([said(" ")]);
  });

  test("V9: of an empty answer is a whole response", () => {
    expect(respond([chunk({ role: "assistant", content: "" }), stop])).toMatchObject({ status: "completed", output: [] });
  });

  test("V6: ends with every item in order", () => {
    const values = [
      calls(
        { index: 0, id: "a", function: { name: "f", arguments: "{}" } },
        { index: 1, id: "b", function: { name: "g", arguments: "{}" } },
      ),
      chunk({}, "tool_calls"),
    ];
    expect(respond(values).output).toMatchObject([
      { name: "f", status: "completed" },
      { name: "g", status: "completed" },
    ]);
  });

  test("reads the first of several answers, and all choices where they are one answer in pieces", () => {
    const choice = (index: number, delta: object) => ({ ...chunk({}), choices: [{ index, delta, finish_reason: null }] });
    const values = [
      choice(0, { content: "One" }),
      choice(1, { tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: "{}" } }] }),
      stop,
    ];
    expect(bare(respond(values).output)).toEqual([said("One")]);
    expect(respond(values, {}, { mergeChoices: true }).output.map(({ type }) => type)).toEqual(["message", "function_call"]);
  });

  test("keeps probabilities with the text that they belong to", () => {
    const one = { token: "Hi", logprob: -0.1, bytes: [72, 105], top_logprobs: [] };
    const values = [
      { ...chunk({}), choices: [{ index: 0, delta: { content: "Hi" }, logprobs: { content: [one], refusal: null } }] },
      stop,
    ];
    expect(respond(values).output).toMatchObject([{ content: [{ text: "Hi", logprobs: [one] }] }]);
  });

  test("passes on what Azure's filters found, as its Responses do", () => {
    const prompt = {
      ...chunk({}),
      choices: [],
      prompt_filter_results: [{ prompt_index: 0, content_filter_results: { hate: { filtered: false, severity: "safe" } } }],
    };
    const found = {
      ...chunk({}),
      choices: [
        {
          index: 0,
          delta: {},
          finish_reason: "content_filter",
          content_filter_results: { violence: { filtered: true, severity: "high" } },
        },
      ],
    };
    expect(respond([prompt, chunk({ content: "Hi" }), found])).toMatchObject({
      status: "incomplete",
      content_filters: [
        { blocked: false, source_type: "prompt", content_filter_results: { hate: { severity: "safe" } } },
        { blocked: true, source_type: "completion", content_filter_results: { violence: { severity: "high" } } },
      ],
    });
  });
});

test("content that is a JSON object becomes its text", () => {
  const message = { role: "assistant", content: { title: "Pears", pages: 3 } };
  const reply = { id: "chatcmpl-1", model: "m", choices: [{ index: 0, message, finish_reason: "stop" }] };
  const response = chatCodec().decodeResponse(testCtx(), reply);
  expect(bare(response.output)).toEqual([said('{"title":"Pears","pages":3}')]);
});

describe("the end of a stream", () => {
  test.each([
    ["stop", "completed", null],
    ["tool_calls", "completed", null],
    ["eos", "completed", null],
    ["something_new", "completed", null],
    ["length", "incomplete", "max_output_tokens"],
    ["model_length", "incomplete", "max_output_tokens"],
    ["content_filter", "incomplete", "content_filter"],
  ])("E1: %s means %s", (reason, status, why) => {
    expect(respond([chunk({ content: "Hi" }), chunk({}, reason)])).toMatchObject({
      status,
      incomplete_details: why && { reason: why },
    });
  });

  test("E1: an unknown reason is told as a repair", () => {
    const decoder = chatCodec().createDecoder(testCtx());
    decoder.push(chunk({ content: "Hi" }, "something_new"));
    decoder.end();
    expect(decoder.repairs).toEqual([{ rule: "finish-reason-unknown", count: 1 }]);
  });

  test("E3: a limit leaves incomplete what it cut off, and nothing else", () => {
    const values = [
      chunk({ content: "Both:" }),
      calls({ index: 0, id: "a", function: { name: "f", arguments: '{"x":1}' } }),
      calls({ index: 1, id: "b", function: { name: "f", arguments: '{"x":' } }),
      chunk({}, "length"),
    ];
    expect(respond(values).output.map((item) => (item as { status: string }).status)).toEqual([
      "completed",
      "completed",
      "incomplete",
    ]);
  });

  test("E4: a refusal is a refusal", () => {
    const values = [chunk({ refusal: "I can" }), chunk({ refusal: "not." }), stop];
    expect(respond(values)).toMatchObject({
      status: "completed",
      output: [{ content: [{ type: "refusal", refusal: "I cannot." }] }],
    });
  });

  test("E5: comes with the stream, not with the reason: usage and nulls may follow", () => {
    const after = { ...chunk({}), choices: [], usage };
    expect(respond([chunk({ content: "Hi" }, "length"), chunk({ content: "" }, null), after])).toMatchObject({
      status: "incomplete",
      usage: { total_tokens: 15 },
    });
    expect(respond([chunk({ content: "Hi" }, "stop", { usage })])).toMatchObject({
      status: "completed",
      usage: { input_tokens: 10 },
    });
  });

  test("E6: without a reason is a truncation that keeps what had come", () => {
    const response = respond([chunk({ content: "Hel" })]);
    expect(outcome(response)).toMatchObject({ state: "truncated", error: { code: "TRUNCATED" } });
    expect(response.output).toMatchObject([{ status: "incomplete", content: [{ text: "Hel" }] }]);
    expect(response.usage?.estimated).toBe(true);
  });

  test("without a finish reason is complete if the server sent the usage and its end mark", () => {
    const streamed = (...values: unknown[]) => {
      const decoder = chatCodec().createDecoder(testCtx());
      const events = [...values.flatMap((value) => decoder.push(value)), ...decoder.end(true)];
      return { last: events.at(-1)?.type, repairs: decoder.repairs };
    };
    const after = { ...chunk({}), choices: [], usage };
    expect(streamed(chunk({ content: "Hi" }), after)).toEqual({
      last: "response.completed",
      repairs: [{ rule: "finish-reason-missing", count: 1 }],
    });
    expect(streamed(chunk({ content: "Hi" }))).toEqual({ last: "response.failed", repairs: [] });
    expect(streamed(chunk({ content: "Hi" }), after, { error: { message: "Oops" } }).last).toBe("response.failed");
  });

  test("E6: that breaks after the reason has lost nothing but figures", () => {
    const decoder = chatCodec().createDecoder(testCtx());
    const events = [
      ...decoder.push(chunk({ content: "Hi" }, "stop")),
      ...decoder.fail(new AntiphonError("CONNECTION_ERROR", "Gone.")),
    ];
    expect(events.at(-1)?.type).toBe("response.completed");
  });

  test("E6: that breaks before it fails with that error; a stop by the caller is a cancellation", () => {
    const broken = (error: AntiphonError) => {
      const decoder = chatCodec().createDecoder(testCtx());
      return [...decoder.push(chunk({ content: "Hi" })), ...decoder.fail(error)].at(-1);
    };
    expect(broken(new AntiphonError("TIMEOUT", "Too slow."))).toMatchObject({
      type: "response.failed",
      response: { error: { code: "timeout" } },
    });
    expect(broken(new AntiphonError("ABORTED", "Stop."))).toMatchObject({
      type: "response.incomplete",
      response: { incomplete_details: { reason: "cancelled" } },
    });
  });

  test("E7, E11: an error inside it fails the response, with the usage that comes along or after", () => {
    const error = {
      message: "Provider returned error",
      code: 502,
      metadata: { raw: '{"error":{"message":"No capacity","type":"overloaded_error"}}' },
    };
    const values = [chunk({ content: "Hel" }), chunk({}, "error", { error }), { ...chunk({}), choices: [], usage }];
    const response = respond(values);
    expect(outcome(response)).toMatchObject({ state: "failed", error: { code: "SERVER_OVERLOADED", message: "No capacity" } });
    expect(response).toMatchObject({ usage: { total_tokens: 15 }, output: [{ status: "incomplete" }] });
  });

  test("E7: an error may hang on the choice, or be no more than a reason", () => {
    const onChoice = {
      ...chunk({}),
      choices: [{ index: 0, delta: {}, finish_reason: "error", error: { code: 429, message: "Slow down" } }],
    };
    expect(outcome(respond([chunk({ content: "Hi" }), onChoice]))).toMatchObject({ error: { code: "RATE_LIMIT" } });
    expect(outcome(respond([chunk({ content: "Hi" }, "error")]))).toMatchObject({ error: { code: "SERVER_ERROR" } });
  });
});

describe("figures", () => {
  const counted = (raw: object) => respond([chunk({ content: "Hi" }, "stop", { usage: raw })]).usage;

  test("U5, U6: details are always there, and the last report stands", () => {
    expect(counted(usage)).toEqual({
      input_tokens: 10,
      output_tokens: 5,
      total_tokens: 15,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    });
    const values = [
      chunk({ content: "Hi" }, null, { usage }),
      chunk({}, "stop", { usage: { ...usage, completion_tokens: 6, total_tokens: 16 } }),
      { ...chunk({}), choices: [], usage: null },
    ];
    expect(respond(values).usage).toMatchObject({ output_tokens: 6, total_tokens: 16 });
    expect(decode(values)[0]).toMatchObject({ type: "response.created", response: { usage: null } });
  });

  test("U3: thoughts count as output, also where the server counts them only in the total", () => {
    const completion_tokens_details = { reasoning_tokens: 350 };
    expect(counted({ prompt_tokens: 288, completion_tokens: 27, total_tokens: 665, completion_tokens_details })).toMatchObject({
      output_tokens: 377,
      output_tokens_details: { reasoning_tokens: 350 },
    });
    expect(counted({ prompt_tokens: 288, completion_tokens: 377, total_tokens: 665, completion_tokens_details })).toMatchObject({
      output_tokens: 377,
    });
  });

  test.each([
    ["OpenAI", { prompt_tokens_details: { cached_tokens: 7 } }],
    ["DeepSeek", { prompt_cache_hit_tokens: 7 }],
    ["Mistral", { num_cached_tokens: 7 }],
  ])("U4: the cache is read where %s tells it", (_, more) => {
    expect(counted({ ...usage, ...more })?.input_tokens_details.cached_tokens).toBe(7);
  });

  test("U4: Groq's own report, cache writes and the server's own price are kept", () => {
    expect(respond([chunk({ content: "Hi" }, "stop", { x_groq: { usage } })]).usage?.total_tokens).toBe(15);
    expect(counted({ ...usage, prompt_tokens_details: { cache_write_tokens: 3 }, cost: 0.25 })).toMatchObject({
      input_tokens_details: { cache_write_tokens: 3 },
      cost: 0.25,
    });
    expect(counted({ ...usage, cost: { total_cost: 0.5 } })).toMatchObject({ cost: 0.5 });
    expect(counted({ ...usage, cost_in_usd_ticks: 25_000_000_000 })).toMatchObject({ cost: 2.5 });
  });
});
