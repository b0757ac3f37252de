import { describe, expect, test } from "vitest";
import { createBlockDecoder, decodeBlocks } from "../../../src/codecs/blocks/index.ts";
import {
  AntiphonError,
  finishReason,
  functionCalls,
  outcome,
  reduce,
  text,
  thinking,
  type ResponseEvent,
} from "../../../src/index.ts";
import { foldLaw, lifecycleLaw } from "../../../src/testing/laws.ts";
import { testCtx } from "../../support/ctx.ts";
import { bare, decode, decodeWith, types } from "./support.ts";

const started = { type: "status", status: "started", response_id: "resp_b", model: "block-model" };
const completed = { type: "status", status: "completed", stop_reason: "end_turn" };

/** The events of these blocks inside a whole stream, without the response's own. */
function inner(...blocks: object[]): ResponseEvent[] {
  const events = decode([started, ...blocks, completed]);
  expect(lifecycleLaw(events)).toBeUndefined();
  expect(foldLaw(events)).toBeUndefined();
  return events.slice(2, -1);
}

describe("the life of a response", () => {
  test("begins with created and in_progress, under the id and model that the wire tells", () => {
    const events = decode([started, completed]);
    expect(types(events)).toEqual(["response.created", "response.in_progress", "response.completed"]);
    for (const event of events) expect(event).toMatchObject({ response: { id: "resp_b", model: "block-model" } });
  });

  const ends: [string, string, object, string][] = [
    ["end_turn", "response.completed", { status: "completed", incomplete_details: null }, "stop"],
    ["stop_sequence", "response.completed", { status: "completed" }, "stop"],
    ["tool_use", "response.completed", { status: "completed" }, "stop"],
    ["refusal", "response.completed", { status: "completed" }, "stop"],
    [
      "max_tokens",
      "response.incomplete",
      { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
      "length",
    ],
    ["content_filter", "response.incomplete", { incomplete_details: { reason: "content_filter" } }, "content_filter"],
    ["pause_turn", "response.incomplete", { incomplete_details: { reason: "pause_turn" } }, "length"],
  ];
  test.each(ends)("ends for %s with %s", (stop_reason, type, response, finish) => {
    const last = decode([started, { ...completed, stop_reason }]).at(-1)!;
    expect(last).toMatchObject({ type, response });
    expect(finishReason(reduce([last]))).toBe(finish);
  });

  test("keeps the sequence that stopped it beside the response's own fields", () => {
    const last = decode([started, { ...completed, stop_reason: "stop_sequence", stop_sequence: "END" }]).at(-1);
    expect(last).toMatchObject({ response: { status: "completed", stop_sequence: "END" } });
  });

  test("takes a final status without a stop reason for the end of the turn", () => {
    expect(decode([started, { type: "status", status: "completed" }]).at(-1)).toMatchObject({ type: "response.completed" });
  });

  test("ends a cancelled response as incomplete, with what had come", () => {
    const events = decode([
      started,
      { type: "block_delta", index: 0, block: "text", delta: "Hel" },
      { type: "status", status: "cancelled" },
    ]);
    expect(lifecycleLaw(events)).toBeUndefined();
    expect(events.at(-1)).toMatchObject({
      type: "response.incomplete",
      response: { incomplete_details: { reason: "cancelled" }, output: [{ status: "incomplete" }], usage: { estimated: true } },
    });
  });

  test("writes an error and a failure for an error and a failed status", () => {
    const error = { type: "too_many_requests", code: "rate_limit_exceeded", message: "Slow down.", param: null };
    const events = decode([
      started,
      { type: "error", error: { ...error, request_id: "req_1" } },
      { type: "status", status: "failed" },
    ]);
    expect(events.slice(2).map(bare)).toMatchObject([
      { type: "error", error },
      {
        type: "response.failed",
        response: { status: "failed", error: { code: "rate_limit_exceeded", message: "Slow down.", request_id: "req_1" } },
      },
    ]);
    expect(outcome(reduce(events))).toMatchObject({ state: "failed", error: { code: "RATE_LIMIT" } });
  });

  test("reads an error whose fields are not nested", () => {
    const events = decode([
      { type: "error", code: "overloaded_error", message: "Busy." },
      { type: "status", status: "failed" },
    ]);
    expect(outcome(reduce(events))).toMatchObject({ error: { code: "SERVER_OVERLOADED", message: "Busy." } });
  });

  test("fails with the error that was told when the stream then just stops", () => {
    expect(decode([started, { type: "error", error: { message: "Busy.", code: "overloaded_error" } }]).at(-1)).toMatchObject({
      type: "response.failed",
      response: { error: { code: "overloaded_error" } },
    });
  });

  test("is truncated when the stream stops without a final status", () => {
    const events = decode([started, { type: "block_start", index: 0, block: "text" }]);
    expect(lifecycleLaw(events)).toBeUndefined();
    expect(outcome(reduce(events))?.state).toBe("truncated");
  });

  test("ends at once, with what had come, when the transport fails", () => {
    const decoder = createBlockDecoder(testCtx());
    const events = [
      ...decoder.push({ type: "block_delta", index: 0, block: "text", delta: "Hel" }),
      ...decoder.fail(new AntiphonError("TIMEOUT", "Nothing came for a minute.")),
      ...decoder.end(),
    ];
    expect(lifecycleLaw(events)).toBeUndefined();
    expect(text(reduce(events))).toBe("Hel");
    expect(outcome(reduce(events))).toMatchObject({ state: "failed", error: { code: "TIMEOUT" } });
  });

  test("drops pings", () => {
    expect(decode([started, { type: "ping" }, completed])).toEqual(decode([started, completed]));
  });

  test("merges usage by the newest value of each field and tells it once, at the end", () => {
    const usages = [
      { type: "usage", input_tokens: 10, output_tokens: 1, cached_tokens: 4 },
      { type: "usage", input_tokens: null, output_tokens: 7, reasoning_tokens: 2 },
    ];
    const events = decode([started, ...usages, completed]);
    expect(events.slice(0, 2)).toMatchObject([{ response: { usage: null } }, { response: { usage: null } }]);
    expect(reduce(events).usage).toEqual({
      input_tokens: 10,
      output_tokens: 7,
      total_tokens: 17,
      input_tokens_details: { cached_tokens: 4 },
      output_tokens_details: { reasoning_tokens: 2 },
    });
  });
});

describe("blocks of messages", () => {
  test("synthesises the content part and the item around a text block", () => {
    const events = inner(
      { type: "block_start", index: 0, block: "text", item_id: "msg_b" },
      { type: "block_delta", index: 0, block: "text", delta: "Hel" },
      { type: "block_delta", index: 0, block: "text", delta: "lo" },
      { type: "block_stop", index: 0, block: "text" },
    );
    expect(types(events)).toEqual([
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
    ]);
    expect(events.at(-1)).toMatchObject({ item: { id: "msg_b", status: "completed", content: [{ text: "Hello" }] } });
  });

  test("writes refusals as refusals", () => {
    const events = inner(
      { type: "block_start", index: 0, block: "refusal" },
      { type: "block_delta", index: 0, block: "refusal", delta: "No." },
      { type: "block_stop", index: 0, block: "refusal" },
    );
    expect(types(events)).toContain("response.refusal.delta");
    expect(events.at(-1)).toMatchObject({ item: { type: "message", content: [{ type: "refusal", refusal: "No." }] } });
  });

  test("joins blocks of one item id into one message as long as more follows", () => {
    const events = inner(
      { type: "block_start", index: 0, block: "text", item_id: "msg_b" },
      { type: "block_stop", index: 0, block: "text", text: "Well.", more: true },
      { type: "block_start", index: 1, block: "tool_use", id: "call_1", name: "clock" },
      { type: "block_start", index: 2, block: "refusal", item_id: "msg_b" },
      { type: "block_stop", index: 2, block: "refusal", refusal: "No." },
      { type: "block_stop", index: 1, block: "tool_use", input: "{}" },
    );
    expect(reduce([...decode([started]).slice(0, 1), ...events]).output).toMatchObject([
      { id: "msg_b", content: [{ text: "Well." }, { refusal: "No." }] },
      { call_id: "call_1", arguments: "{}" },
    ]);
  });

  test("makes each text block a message of its own where none names an item", () => {
    const events = inner(
      { type: "block_start", index: 0, block: "text" },
      { type: "block_stop", index: 0, block: "text", text: "One." },
      { type: "block_start", index: 1, block: "text" },
      { type: "block_stop", index: 1, block: "text", text: "Two." },
    );
    expect(types(events).filter((type) => type === "response.output_item.added")).toHaveLength(2);
  });

  test("keeps every word of two parts of one message that grow at once", () => {
    const events = inner(
      { type: "block_start", index: 0, block: "text", item_id: "msg_b" },
      { type: "block_start", index: 1, block: "text", item_id: "msg_b" },
      { type: "block_delta", index: 0, block: "text", delta: "a" },
      { type: "block_delta", index: 1, block: "text", delta: "b" },
      { type: "block_delta", index: 0, block: "text", delta: "c" },
      { type: "block_stop", index: 0, block: "text", text: "ac" },
      { type: "block_stop", index: 1, block: "text", text: "b" },
    );
    const item = events.at(-1);
    expect(item).toMatchObject({ type: "response.output_item.done" });
    expect(text(reduce([...decode([started]).slice(0, 1), ...events]))).toBe("abc");
  });

  test("marks the message of an aborted block incomplete", () => {
    const events = decode([
      started,
      { type: "block_delta", index: 0, block: "text", delta: "Hel" },
      { type: "block_abort", index: 0, block: "text" },
      { ...completed, stop_reason: "max_tokens" },
    ]);
    expect(lifecycleLaw(events)).toBeUndefined();
    expect(reduce(events)).toMatchObject({
      status: "incomplete",
      output: [{ status: "incomplete", content: [{ text: "Hel" }] }],
    });
  });

  test("does not call a response completed that holds an aborted block", () => {
    const { events, repairs } = decodeWith([
      started,
      { type: "block_start", index: 0, block: "tool_use", id: "call_1", name: "clock" },
      { type: "block_abort", index: 0, block: "tool_use", input: '{"zo' },
      completed,
    ]);
    expect(lifecycleLaw(events)).toBeUndefined();
    expect(reduce(events)).toMatchObject({ status: "incomplete", incomplete_details: { reason: "aborted" } });
    expect(repairs).toEqual([{ rule: "aborted-block", count: 1 }]);
  });
});

describe("blocks of calls", () => {
  test("emits argument deltas of parallel calls, each under its own item", () => {
    const events = inner(
      { type: "block_start", index: 0, block: "tool_use", id: "call_1", name: "clock", item_id: "fc_b" },
      { type: "block_start", index: 1, block: "tool_use", id: "call_2", name: "clock" },
      { type: "block_delta", index: 1, block: "tool_use", delta: "[]" },
      { type: "block_delta", index: 0, block: "tool_use", delta: "{}" },
      { type: "block_stop", index: 0, block: "tool_use" },
      { type: "block_stop", index: 1, block: "tool_use" },
    );
    expect(types(events)).toEqual([
      "response.output_item.added",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.function_call_arguments.done",
      "response.output_item.done",
    ]);
    expect(functionCalls(reduce([...decode([started]).slice(0, 1), ...events]))).toMatchObject([
      { id: "fc_b", call_id: "call_1", name: "clock", arguments: "{}" },
      { call_id: "call_2", name: "clock", arguments: "[]" },
    ]);
  });

  test("writes a call with text input as a call of a free-form tool", () => {
    const events = inner(
      { type: "block_start", index: 0, block: "tool_use", id: "call_1", name: "patch", input_type: "text" },
      { type: "block_delta", index: 0, block: "tool_use", delta: "***" },
      { type: "block_stop", index: 0, block: "tool_use" },
    );
    expect(types(events)).toContain("response.custom_tool_call_input.delta");
    expect(events.at(-1)).toMatchObject({ item: { type: "custom_tool_call", call_id: "call_1", name: "patch", input: "***" } });
  });
});

describe("blocks of thinking", () => {
  test("writes raw thoughts and summaries under their own events", () => {
    const events = inner(
      { type: "block_start", index: 0, block: "thinking", item_id: "rs_b" },
      { type: "block_delta", index: 0, block: "thinking", source: "summary", part: 0, delta: "First." },
      { type: "block_delta", index: 0, block: "thinking", source: "summary", part: 1, delta: "Second." },
      { type: "block_delta", index: 0, block: "thinking", source: "reasoning", part: 0, delta: "Hm." },
      { type: "block_stop", index: 0, block: "thinking", encrypted_content: "blob" },
    );
    expect(types(events)).toEqual([
      "response.output_item.added",
      "response.reasoning_summary_part.added",
      "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.done",
      "response.reasoning_summary_part.done",
      "response.reasoning_summary_part.added",
      "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.done",
      "response.reasoning_summary_part.done",
      "response.content_part.added",
      "response.reasoning.delta",
      "response.reasoning.done",
      "response.content_part.done",
      "response.output_item.done",
    ]);
    expect(bare(events.at(-1)!)).toEqual({
      type: "response.output_item.done",
      output_index: 0,
      item: {
        type: "reasoning",
        id: "rs_b",
        summary: [
          { type: "summary_text", text: "First." },
          { type: "summary_text", text: "Second." },
        ],
        content: [{ type: "reasoning_text", text: "Hm." }],
        encrypted_content: "blob",
      },
    });
  });

  test("takes thinking without a source for raw reasoning", () => {
    const events = inner({ type: "block_delta", index: 0, block: "thinking", delta: "Hm." });
    expect(types(events)).toContain("response.reasoning.delta");
    expect(thinking(reduce([...decode([started]).slice(0, 1), ...events]))).toBe("Hm.");
  });

  test("makes an item of a thought that is only a blob, though nothing started it", () => {
    const events = inner({ type: "block_stop", index: 0, block: "thinking", item_id: "rs_b", encrypted_content: "blob" });
    expect(events.map(bare)).toEqual([
      { type: "response.output_item.added", output_index: 0, item: { type: "reasoning", id: "rs_b", summary: [] } },
      {
        type: "response.output_item.done",
        output_index: 0,
        item: { type: "reasoning", id: "rs_b", summary: [], encrypted_content: "blob" },
      },
    ]);
  });

  test("streams a summary that came only with the stop", () => {
    const events = inner(
      { type: "block_start", index: 0, block: "thinking" },
      { type: "block_stop", index: 0, block: "thinking", summary: [{ type: "summary_text", text: "Hm." }] },
    );
    expect(types(events)).toContain("response.reasoning_summary_text.delta");
  });
});

describe("blocks of other items", () => {
  test("keeps how a hosted tool ended", () => {
    const item = {
      type: "mcp_call",
      id: "mcp_1",
      server_label: "docs",
      name: "read",
      arguments: "{}",
      error: "Gone.",
      status: "failed",
    };
    const events = inner(
      { type: "block_start", index: 0, block: "item", item: { ...item, arguments: "", error: null, status: "in_progress" } },
      { type: "block_delta", index: 0, block: "item", delta: "{}" },
      { type: "block_stop", index: 0, block: "item", item },
    );
    expect(types(events)).toEqual([
      "response.output_item.added",
      "response.mcp_call_arguments.delta",
      "response.mcp_call_arguments.done",
      "response.output_item.done",
    ]);
    expect(events.at(-1)).toMatchObject({ item });
  });

  test("takes over an item that came only with its stop", () => {
    const item = { type: "acme:note", id: "note_1", body: "Hm." };
    expect(inner({ type: "block_stop", index: 0, block: "item", item }).at(-1)).toMatchObject({ item });
  });
});

describe("what a wire left out", () => {
  test("starts the response and the block by itself at a delta", () => {
    const { events, repairs } = decodeWith([{ type: "block_delta", block: "text", delta: "Hi" }, completed]);
    expect(lifecycleLaw(events)).toBeUndefined();
    expect(text(reduce(events))).toBe("Hi");
    expect(repairs).toEqual([{ rule: "block-not-started", count: 1 }]);
  });

  test("stops a block when the next one starts under its index", () => {
    const { events, repairs } = decodeWith([
      { type: "block_start", index: 0, block: "thinking" },
      { type: "block_delta", index: 0, block: "thinking", delta: "Hm." },
      { type: "block_start", index: 0, block: "text" },
      { type: "block_delta", index: 0, block: "text", delta: "Hi" },
      completed,
    ]);
    expect(lifecycleLaw(events)).toBeUndefined();
    expect(reduce(events).output).toMatchObject([{ type: "reasoning" }, { type: "message" }]);
    expect(repairs).toEqual([{ rule: "block-not-stopped", count: 1 }]);
  });

  test("uses an index again once its block has stopped", () => {
    const { events, repairs } = decodeWith([
      { type: "block_start", index: 0, block: "text" },
      { type: "block_stop", index: 0, block: "text", text: "One." },
      { type: "block_start", index: 0, block: "text" },
      { type: "block_stop", index: 0, block: "text", text: "Two." },
      completed,
    ]);
    expect(text(reduce(events))).toBe("One.Two.");
    expect(repairs).toEqual([]);
  });

  test("completes text whose deltas fell short of what its stop tells", () => {
    const events = inner(
      { type: "block_delta", index: 0, block: "text", delta: "Hel" },
      { type: "block_stop", index: 0, block: "text", text: "Hello" },
    );
    expect(events.at(-1)).toMatchObject({ item: { content: [{ text: "Hello" }] } });
  });

  test("does not tell a block twice that stops twice", () => {
    const stop = { type: "block_stop", index: 0, block: "text", text: "Hi" };
    const { events, repairs } = decodeWith([{ type: "block_start", index: 0, block: "text" }, stop, stop, completed]);
    expect(text(reduce(events))).toBe("Hi");
    expect(repairs).toEqual([{ rule: "block-not-started", count: 1 }]);
  });

  test("counts what it cannot read and goes on", () => {
    const { events, repairs } = decodeWith([
      "text",
      { type: "block_sneeze" },
      { type: "block_start", index: 0, block: "image" },
      { type: "status", status: "thinking" },
      completed,
      completed,
    ]);
    expect(reduce(events).status).toBe("completed");
    expect(repairs).toEqual([
      { rule: "unknown-event", count: 2 },
      { rule: "unknown-block", count: 1 },
      { rule: "unknown-status", count: 1 },
      { rule: "after-terminal", count: 1 },
    ]);
  });

  test("never lets extra fields change what an item is", () => {
    const extra = { id: "msg_evil", type: "function_call", content: "x", phase: "commentary" };
    const events = inner(
      { type: "block_start", index: 0, block: "text", item_id: "msg_b", extra },
      { type: "block_stop", index: 0, block: "text" },
    );
    expect(events.at(-1)).toMatchObject({
      item: { type: "message", id: "msg_b", phase: "commentary", content: [{ type: "output_text" }] },
    });
  });
});

test("decodeBlocks folds a whole stream into its response", () => {
  const blocks = [started, { type: "block_delta", index: 0, block: "text", delta: "Hi" }, completed];
  expect(decodeBlocks(testCtx(), blocks)).toEqual(reduce(decode(blocks)));
});
