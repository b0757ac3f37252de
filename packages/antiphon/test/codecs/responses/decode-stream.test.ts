import { describe, expect, test } from "vitest";
import { responsesCodec } from "../../../src/codecs/responses/index.ts";
import { AntiphonError } from "../../../src/core/error.ts";
import { reduce } from "../../../src/core/reduce.ts";
import { functionCalls, outcome, text, thinking } from "../../../src/core/views.ts";
import type { ResponseEvent } from "../../../src/model/index.ts";
import { decodeValues, foldLaw, lifecycleLaw } from "../../../src/testing/laws.ts";
import { testCtx } from "../../support/ctx.ts";

const response = (fields: object = {}): object => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  status: "in_progress",
  model: "m",
  output: [],
  ...fields,
});
const created = (): object => ({ type: "response.created", sequence_number: 0, response: response() });
const completed = (output: object[] = []): object => ({
  type: "response.completed",
  response: response({ status: "completed", output }),
});
const message = (answer: string): object => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: answer, annotations: [] }],
});
const delta = (piece: string, fields: object = {}): object => ({
  type: "response.output_text.delta",
  item_id: "msg_1",
  output_index: 0,
  content_index: 0,
  delta: piece,
  ...fields,
});
const call = (fields: object = {}): object => ({
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "clock",
  arguments: "",
  status: "in_progress",
  ...fields,
});

/** What the decoder makes of values, which must be lawful whatever went in. */
function decode(...values: object[]): { events: ResponseEvent[]; repairs: string[] } {
  const decoder = responsesCodec().createDecoder(testCtx());
  const events = [...values.flatMap((value) => decoder.push(structuredClone(value))), ...decoder.end()];
  expect(lifecycleLaw(events)).toBeUndefined();
  expect(foldLaw(events)).toBeUndefined();
  return { events, repairs: decoder.repairs.map(({ rule }) => rule) };
}
const deltas = (events: ResponseEvent[], type: string): string =>
  events.flatMap((event) => (event.type === type && "delta" in event ? [String(event.delta)] : [])).join("");

describe("what compatible servers leave out", () => {
  test("deltas without any opening event still make a message", () => {
    const { events } = decode(delta("Hel"), delta("lo"), completed());
    expect(text(reduce(events))).toBe("Hello");
  });

  test("deltas without ids or indices find their place", () => {
    const bare = (piece: string): object => ({ type: "response.output_text.delta", delta: piece });
    const { events } = decode(created(), bare("Hel"), bare("lo"), completed());
    expect(text(reduce(events))).toBe("Hello");
  });

  test("text that comes only in its done event is streamed as a delta too", () => {
    const { events, repairs } = decode(
      created(),
      { type: "response.output_text.done", item_id: "msg_1", output_index: 0, content_index: 0, text: "Hello" },
      completed(),
    );
    expect(deltas(events, "response.output_text.delta")).toBe("Hello");
    expect(repairs).toContain("delta-missing");
  });

  test("arguments that come only in their done event are streamed as a delta too", () => {
    const { events } = decode(
      created(),
      { type: "response.output_item.added", output_index: 0, item: call() },
      { type: "response.function_call_arguments.done", item_id: "fc_1", output_index: 0, arguments: '{"zone":"CET"}' },
      { type: "response.output_item.done", output_index: 0, item: call({ arguments: '{"zone":"CET"}', status: "completed" }) },
      completed([call({ arguments: '{"zone":"CET"}', status: "completed" })]),
    );
    expect(deltas(events, "response.function_call_arguments.delta")).toBe('{"zone":"CET"}');
  });

  test("arguments that come only in the finished item are streamed as a delta too", () => {
    const done = call({ arguments: '{"zone":"CET"}', status: "completed" });
    const { events } = decode(created(), { type: "response.output_item.done", output_index: 0, item: done }, completed([done]));
    expect(deltas(events, "response.function_call_arguments.delta")).toBe('{"zone":"CET"}');
    expect(functionCalls(reduce(events))).toHaveLength(1);
  });

  test("an answer that comes only in the terminal event is streamed before it", () => {
    const { events, repairs } = decode(created(), completed([message("Hello")]));
    expect(deltas(events, "response.output_text.delta")).toBe("Hello");
    expect(repairs).toContain("item-not-streamed");
  });

  test("a terminal event without output gets the streamed items", () => {
    const { events } = decode(created(), delta("Hello"), completed());
    expect(text(reduce(events))).toBe("Hello");
  });

  test("ids that change on the way are those of the first announcement", () => {
    const { events, repairs } = decode(
      created(),
      { type: "response.output_item.added", output_index: 0, item: call({ id: "fc_a" }) },
      { type: "response.function_call_arguments.delta", item_id: "fc_b", output_index: 0, delta: "{}" },
      { type: "response.function_call_arguments.done", item_id: "fc_c", output_index: 0, arguments: "{}" },
      { type: "response.output_item.done", output_index: 0, item: call({ id: "fc_d", arguments: "{}", status: "completed" }) },
      {
        type: "response.completed",
        response: response({
          id: "resp_9",
          status: "completed",
          output: [call({ id: "fc_e", arguments: "{}", status: "completed" })],
        }),
      },
    );
    expect(functionCalls(reduce(events))[0]?.id).toBe("fc_a");
    expect(repairs).toEqual(expect.arrayContaining(["item-id", "response-id"]));
  });

  test("indices with a gap are closed up", () => {
    const { events } = decode(
      created(),
      { type: "response.output_item.added", output_index: 1, item: { ...call(), id: "fc_1" } },
      { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 1, delta: "{}" },
      { type: "response.output_item.done", output_index: 1, item: call({ arguments: "{}", status: "completed" }) },
      completed([call({ arguments: "{}", status: "completed" })]),
    );
    expect(functionCalls(reduce(events))).toHaveLength(1);
  });

  test("parts whose index leaves a gap move up, and their text is streamed once", () => {
    const part = (text: string): object => ({ type: "output_text", text, annotations: [] });
    const at = (content_index: number): object => ({ item_id: "msg_1", output_index: 0, content_index });
    const partOf = (index: number, text: string): object[] => [
      { type: "response.content_part.added", ...at(index), part: part("") },
      delta(text, at(index)),
      { type: "response.output_text.done", ...at(index), text },
      { type: "response.content_part.done", ...at(index), part: part(text) },
    ];
    const added = { type: "response.output_item.added", output_index: 0, item: { ...message(""), content: [] } };
    const whole = { ...message(""), content: [part("Hel"), part("lo")] };
    const { events, repairs } = decode(
      created(),
      added,
      ...partOf(1, "Hel"),
      ...partOf(2, "lo"),
      { type: "response.output_item.done", output_index: 0, item: structuredClone(whole) },
      completed([whole]),
    );
    expect(deltas(events, "response.output_text.delta")).toBe("Hello");
    expect(repairs).toContain("part-index");
    expect(repairs).not.toContain("delta-missing");
  });

  test("a delta whose part was never added and whose index leaves a gap opens the first part", () => {
    const done = { type: "response.output_item.done", output_index: 0, item: message("Hi") };
    const { events } = decode(created(), delta("Hi", { content_index: 1 }), done, completed([message("Hi")]));
    expect(deltas(events, "response.output_text.delta")).toBe("Hi");
  });

  test("missing and wrong numbers are given anew, from where the server began", () => {
    const { events, repairs } = decode({ ...created(), sequence_number: 7 }, delta("Hi", { sequence_number: 99 }), completed());
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index + 7));
    expect(repairs).toContain("sequence-number");
  });

  test("a response gets every field of the specification", () => {
    const { events } = decode(created(), completed());
    expect(reduce(events)).toMatchObject({
      tools: [],
      tool_choice: "auto",
      top_p: 1,
      metadata: {},
      service_tier: "default",
      usage: null,
    });
  });

  test("older and foreign names of events are understood", () => {
    const at = { item_id: "rs_1", output_index: 0, content_index: 0 };
    const { events } = decode(
      created(),
      { type: "response.reasoning_text.delta", ...at, delta: "Hm." },
      { type: "response.reasoning_text.done", ...at, text: "Hm." },
      completed(),
    );
    expect(thinking(reduce(events))).toBe("Hm.");
    expect(events.some((event) => event.type.includes("reasoning_text"))).toBe(false);
  });

  test("things that are no events are passed over", () => {
    const decoder = responsesCodec().createDecoder(testCtx());
    expect([null, 3, "x", [], {}].flatMap((value) => decoder.push(value))).toEqual([]);
    expect(decoder.repairs).toEqual([{ rule: "not-an-event", count: 5 }]);
  });
});

describe("what is unknown is kept", () => {
  test("events, items and fields pass as they came", () => {
    const odd = { type: "some_future_call", id: "x_1", status: "completed", deep: { er: [1, { two: 3 }] } };
    const future = {
      type: "response.some_future_call.progress",
      output_index: 0,
      item_id: "x_1",
      percent: 50,
      sequence_number: 2,
    };
    const { events } = decode(
      created(),
      { type: "response.output_item.added", output_index: 0, item: odd, sequence_number: 1 },
      future,
      { type: "response.output_item.done", output_index: 0, item: odd, sequence_number: 3 },
      { ...completed([odd]), sequence_number: 4, extra: "kept" },
    );
    expect(events).toContainEqual(future);
    expect(events.at(-1)).toMatchObject({ extra: "kept", response: { output: [odd] } });
  });

  test("a lawful event is the very object that went in", () => {
    const decoder = responsesCodec().createDecoder(testCtx());
    decoder.push(created());
    decoder.push({
      type: "response.output_item.added",
      sequence_number: 1,
      output_index: 0,
      item: { ...message(""), content: [], status: "in_progress" },
    });
    decoder.push({
      type: "response.content_part.added",
      sequence_number: 2,
      output_index: 0,
      item_id: "msg_1",
      content_index: 0,
      part: { type: "output_text", text: "", annotations: [] },
    });
    const event = delta("Hi", { sequence_number: 3 });
    expect(decoder.push(event)[0]).toBe(event);
    expect(decoder.repairs.filter(({ rule }) => rule !== "response-field-missing")).toEqual([]);
  });
});

describe("how streams end", () => {
  const state = (...values: object[]) => {
    const last = reduce(decode(...values).events);
    return { ...outcome(last), text: text(last) };
  };
  const failed = (error: object | null): object => ({ type: "response.failed", response: response({ status: "failed", error }) });

  test("completed", () =>
    expect(state(created(), delta("Hi"), completed([message("Hi")]))).toMatchObject({ state: "completed", text: "Hi" }));

  test.each(["max_output_tokens", "content_filter", "some_new_reason"])(
    "incomplete, with the reason %s and what had come",
    (reason) => {
      const end = { type: "response.incomplete", response: response({ status: "incomplete", incomplete_details: { reason } }) };
      expect(state(created(), delta("Hi"), end)).toMatchObject({ state: "incomplete", reason, text: "Hi" });
    },
  );

  test("failed, with the server's code and what had come", () =>
    expect(state(created(), delta("Hi"), failed({ code: "server_error", message: "Oops" }))).toMatchObject({
      state: "failed",
      text: "Hi",
      error: { code: "SERVER_ERROR", message: "Oops" },
    }));

  test("failed without a reason still says that it failed", () =>
    expect(state(created(), failed(null))).toMatchObject({ state: "failed" }));

  test("cancelled, by status or by event", () => {
    expect(
      state(created(), delta("Hi"), { type: "response.cancelled", response: response({ status: "cancelled" }) }),
    ).toMatchObject({ state: "cancelled", text: "Hi" });
    expect(
      state(created(), {
        type: "response.incomplete",
        response: response({ status: "incomplete", incomplete_details: { reason: "cancelled" } }),
      }),
    ).toMatchObject({ state: "cancelled" });
  });

  test("truncated, wherever the stream stops", () => {
    expect(state(created())).toMatchObject({ state: "truncated", text: "" });
    expect(state(created(), delta("Hi"))).toMatchObject({ state: "truncated", text: "Hi" });
  });

  test("error event before output, nested or flat, with or without response.failed", () => {
    const nested = {
      type: "error",
      error: { type: "insufficient_quota", code: "insufficient_quota", message: "No money.", param: null },
    };
    const flat = { type: "error", code: "rate_limit_exceeded", message: "Slow down.", param: null };
    expect(state(created(), nested)).toMatchObject({ state: "failed", error: { code: "QUOTA_EXCEEDED", message: "No money." } });
    expect(state(created(), flat)).toMatchObject({ state: "failed", error: { code: "RATE_LIMIT" } });
    expect(state(created(), flat, failed(null))).toMatchObject({ state: "failed", error: { code: "RATE_LIMIT" } });
    expect(decode(created(), flat).events[1]).toMatchObject({
      type: "error",
      error: { code: "rate_limit_exceeded", message: "Slow down.", param: null },
    });
  });

  test("error event after output keeps the output", () => {
    const error = { type: "error", code: "server_error", message: "Oops", param: null };
    expect(state(created(), delta("Hi"), error)).toMatchObject({ state: "failed", text: "Hi", error: { code: "SERVER_ERROR" } });
  });

  test("refused", () => {
    const at = { item_id: "msg_1", output_index: 0, content_index: 0 };
    const { events } = decode(created(), { type: "response.refusal.delta", ...at, delta: "I can't." }, completed());
    expect(reduce(events).output).toMatchObject([{ content: [{ type: "refusal", refusal: "I can't." }] }]);
  });

  test("a completed event whose response says incomplete is incomplete", () => {
    const end = {
      type: "response.completed",
      response: response({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }),
    };
    expect(state(created(), delta("Hi"), end)).toMatchObject({ state: "incomplete", reason: "max_output_tokens" });
  });

  test("what follows the terminal event is dropped, and counted", () => {
    const { events, repairs } = decode(created(), completed(), { type: "ping", cost: "0" });
    expect(events.at(-1)?.type).toBe("response.completed");
    expect(repairs).toContain("after-terminal");
  });

  test("a stop by the caller closes what is open and estimates usage", () => {
    const decoder = responsesCodec().createDecoder(testCtx());
    const events = [created(), delta("Half an ans")].flatMap((value) => decoder.push(value));
    events.push(...decoder.fail(new AntiphonError("ABORTED", "Enough.")));
    expect(lifecycleLaw(events)).toBeUndefined();
    expect(events.at(-1)).toMatchObject({
      type: "response.incomplete",
      response: { incomplete_details: { reason: "cancelled" }, usage: { estimated: true } },
    });
    expect(decoder.fail(new AntiphonError("ABORTED", "Again."))).toEqual([]);
  });
});

test("decodeValues and the decoder agree", () => {
  expect(decodeValues(responsesCodec(), testCtx(), [created(), delta("Hi"), completed()])).toEqual(
    decode(created(), delta("Hi"), completed()).events,
  );
});
