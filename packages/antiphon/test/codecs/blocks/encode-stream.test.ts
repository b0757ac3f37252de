import { describe, expect, test } from "vitest";
import { createBlockEncoder, encodeBlocks, type BlockEvent } from "../../../src/codecs/blocks/index.ts";
import { AntiphonError, expand, Writer, type Item, type ResponseEvent, type ResponseResource } from "../../../src/index.ts";
import { testCtx } from "../../support/ctx.ts";
import { encode, response } from "./support.ts";

/** The blocks of what a writer is told, from its first item to before the usage or final status. */
function blocksOf(write: (writer: Writer) => void): BlockEvent[] {
  const writer = new Writer(testCtx());
  write(writer);
  writer.finish({ status: "completed" });
  return encode(writer.drain()).filter(({ type }) => type.startsWith("block_"));
}

describe("the life of a response", () => {
  const begun = response([], { status: "in_progress", completed_at: null });
  const event = (type: "response.created" | "response.queued" | "response.in_progress"): ResponseEvent => ({
    type,
    sequence_number: 0,
    response: begun,
  });

  test("starts once, whichever of the three beginnings comes first", () => {
    const started = { type: "status", status: "started", response_id: "resp_1", model: "test-model" };
    for (const type of ["response.created", "response.queued", "response.in_progress"] as const)
      expect(encode([event(type), event("response.in_progress")])[0]).toEqual(started);
    const blocks = encode([event("response.created"), event("response.queued"), event("response.in_progress")]);
    expect(blocks.filter((block) => block.type === "status" && block.status === "started")).toHaveLength(1);
  });

  test("surfaces a keep-alive as a ping", () => {
    expect(encode([event("response.created"), { type: "keepalive", sequence_number: 1 }])[1]).toEqual({
      type: "ping",
    });
  });

  const message = (status: "completed" | "incomplete", content: Extract<Item, { type: "message" }>["content"]): Item => ({
    type: "message",
    id: "msg_1",
    status,
    role: "assistant",
    content,
  });
  const call: Item = {
    type: "function_call",
    id: "fc_1",
    call_id: "call_1",
    name: "clock",
    arguments: "{}",
    status: "completed",
  };
  const text = { type: "output_text" as const, text: "Hi", annotations: [] };
  const short = (reason: string): Partial<ResponseResource> => ({ status: "incomplete", incomplete_details: { reason } });
  const ends: [string, ResponseResource, object][] = [
    ["an answer", response([message("completed", [text])]), { status: "completed", stop_reason: "end_turn" }],
    ["a call", response([message("completed", [text]), call]), { status: "completed", stop_reason: "tool_use" }],
    [
      "a refusal",
      response([message("completed", [{ type: "refusal", refusal: "No." }])]),
      { status: "completed", stop_reason: "refusal" },
    ],
    [
      "a stop sequence",
      response([message("completed", [text])], { stop_sequence: "END" } as Partial<ResponseResource>),
      { status: "completed", stop_reason: "stop_sequence", stop_sequence: "END" },
    ],
    [
      "the token limit",
      response([message("incomplete", [text])], short("max_output_tokens")),
      { status: "completed", stop_reason: "max_tokens" },
    ],
    ["calls of the input", response([], short("tool_calls")), { status: "completed", stop_reason: "tool_use" }],
    ["a content filter", response([], short("content_filter")), { status: "completed", stop_reason: "content_filter" }],
    [
      "a reason of the server's own",
      response([], short("max_tool_calls")),
      { status: "completed", stop_reason: "max_tool_calls" },
    ],
    ["a cancelled stream", response([], short("cancelled")), { status: "cancelled" }],
    ["a response cancelled elsewhere", response([], { status: "cancelled" }), { status: "cancelled" }],
  ];
  test.each(ends)("ends with the right status after %s", (_, ended, status) => {
    expect(encodeBlocks(ended).at(-1)).toEqual({ type: "status", ...status });
  });

  test("tells usage once, before the final status", () => {
    const usage = {
      input_tokens: 10,
      output_tokens: 5,
      total_tokens: 15,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
      output_tokens_details: { reasoning_tokens: 3 },
    };
    expect(encodeBlocks(response([], { usage })).slice(-2)).toEqual([
      {
        type: "usage",
        input_tokens: 10,
        output_tokens: 5,
        total_tokens: 15,
        cached_tokens: 4,
        cache_write_tokens: 2,
        reasoning_tokens: 3,
      },
      { type: "status", status: "completed", stop_reason: "end_turn" },
    ]);
  });

  test("tells the error of a failed response that no error event told", () => {
    const error = { code: "rate_limit_exceeded", message: "Slow down.", request_id: "req_1" };
    expect(encodeBlocks(response([], { status: "failed", error })).slice(-2)).toEqual([
      {
        type: "error",
        error: { type: "server_error", code: "rate_limit_exceeded", message: "Slow down.", param: null, request_id: "req_1" },
      },
      { type: "status", status: "failed" },
    ]);
  });

  test("tells an error once where both events tell it", () => {
    const error = { type: "too_many_requests", code: "rate_limit_exceeded", message: "Slow down.", param: null };
    const failed = response([], { status: "failed", error: { code: "rate_limit_exceeded", message: "Slow down." } });
    const blocks = encode([
      event("response.created"),
      { type: "error", sequence_number: 1, error },
      { type: "response.failed", sequence_number: 2, response: failed },
    ]);
    expect(blocks.slice(1)).toEqual([
      { type: "error", error },
      { type: "status", status: "failed" },
    ]);
  });

  test("aborts what is open and fails when the events stop without an end", () => {
    const writer = new Writer(testCtx());
    writer.summary("Hm", "thought");
    writer.text("Hel", "answer");
    writer.call("call", { call_id: "call_1", name: "clock" });
    writer.args("call", '{"zo');
    const blocks = encode(writer.drain());
    expect(blocks.filter(({ type }) => type === "block_abort")).toEqual([
      { type: "block_abort", index: 0, block: "thinking", summary: [{ type: "summary_text", text: "Hm" }] },
      { type: "block_abort", index: 1, block: "text", text: "Hel", annotations: [] },
      { type: "block_abort", index: 2, block: "tool_use", input: '{"zo' },
    ]);
    expect(blocks.slice(-2)).toMatchObject([
      { type: "error", error: { code: "truncated" } },
      { type: "status", status: "failed" },
    ]);
  });

  test("says nothing after the final status", () => {
    const events = expand(response([]));
    expect(encode([...events, ...events])).toEqual(encode(events));
  });
});

describe("blocks of messages", () => {
  test("starts a text block with its content part and stops it with its message", () => {
    const writer = new Writer(testCtx());
    writer.text("Hel");
    writer.text("lo");
    writer.finish({ status: "completed" });
    const heard = new Map<string, BlockEvent[]>();
    const events = writer.drain();
    encodeEach(events, (type, blocks) => heard.set(type, [...(heard.get(type) ?? []), ...blocks]));
    expect(heard.get("response.output_item.added")).toEqual([]);
    expect(heard.get("response.content_part.added")).toEqual([
      { type: "block_start", index: 0, block: "text", item_id: "msg_2" },
    ]);
    expect(heard.get("response.output_text.delta")).toEqual([
      { type: "block_delta", index: 0, block: "text", delta: "Hel" },
      { type: "block_delta", index: 0, block: "text", delta: "lo" },
    ]);
    expect(heard.get("response.content_part.done")).toEqual([]);
    expect(heard.get("response.output_item.done")).toEqual([
      { type: "block_stop", index: 0, block: "text", text: "Hello", annotations: [] },
    ]);
  });

  test("gives each part of a message a block and marks the ends that more follows", () => {
    const blocks = blocksOf((writer) => {
      writer.text("Well.", "m");
      writer.refusal("No.", "m");
    });
    expect(blocks).toEqual([
      { type: "block_start", index: 0, block: "text", item_id: "msg_2" },
      { type: "block_delta", index: 0, block: "text", delta: "Well." },
      { type: "block_stop", index: 0, block: "text", text: "Well.", annotations: [], more: true },
      { type: "block_start", index: 1, block: "refusal", item_id: "msg_2" },
      { type: "block_delta", index: 1, block: "refusal", delta: "No." },
      { type: "block_stop", index: 1, block: "refusal", refusal: "No." },
    ]);
  });

  test("tells an annotation when it comes and again with the whole", () => {
    const annotation = {
      type: "url_citation" as const,
      url: "https://example.com",
      title: "Example",
      start_index: 0,
      end_index: 2,
    };
    const blocks = blocksOf((writer) => {
      writer.text("Hi");
      writer.annotate(annotation);
    });
    expect(blocks.slice(2)).toEqual([
      { type: "block_delta", index: 0, block: "text", delta: "", annotation },
      { type: "block_stop", index: 0, block: "text", text: "Hi", annotations: [annotation] },
    ]);
  });

  test("aborts the block of a message that was cut off", () => {
    const writer = new Writer(testCtx());
    writer.text("Hel");
    writer.fail(new AntiphonError("ABORTED", "Stopped."));
    expect(encode(writer.drain()).slice(-3)).toMatchObject([
      { type: "block_abort", index: 0, block: "text", text: "Hel" },
      { type: "usage", estimated: true },
      { type: "status", status: "cancelled" },
    ]);
  });

  test("carries a message without words whole", () => {
    const empty: Item = { type: "message", id: "msg_1", status: "completed", role: "assistant", content: [] };
    expect(encodeBlocks(response([empty])).slice(1, 3)).toEqual([
      { type: "block_start", index: 0, block: "item", item: { ...empty, status: "in_progress" } },
      { type: "block_stop", index: 0, block: "item", item: empty },
    ]);
  });
});

describe("blocks of calls", () => {
  test("starts a call with its item and emits its arguments as they come", () => {
    const blocks = blocksOf((writer) => {
      writer.call("a", { call_id: "call_1", name: "clock", namespace: "time" });
      writer.args("a", '{"zone":');
      writer.args("a", '"UTC"}');
    });
    expect(blocks).toEqual([
      {
        type: "block_start",
        index: 0,
        block: "tool_use",
        id: "call_1",
        name: "clock",
        input_type: "json",
        item_id: "fc_2",
        extra: { namespace: "time" },
      },
      { type: "block_delta", index: 0, block: "tool_use", delta: '{"zone":' },
      { type: "block_delta", index: 0, block: "tool_use", delta: '"UTC"}' },
      { type: "block_stop", index: 0, block: "tool_use", input: '{"zone":"UTC"}', extra: { namespace: "time" } },
    ]);
  });

  test("tells the input of a free-form tool like arguments, and that it is text", () => {
    const blocks = blocksOf((writer) => {
      writer.customCall("a", { call_id: "call_1", name: "patch" });
      writer.args("a", "*** Begin");
    });
    expect(blocks).toMatchObject([
      { type: "block_start", block: "tool_use", id: "call_1", name: "patch", input_type: "text" },
      { type: "block_delta", block: "tool_use", delta: "*** Begin" },
      { type: "block_stop", block: "tool_use", input: "*** Begin" },
    ]);
  });

  test("keeps parallel calls apart by index", () => {
    const blocks = blocksOf((writer) => {
      writer.call("a", { call_id: "call_1", name: "clock" });
      writer.call("b", { call_id: "call_2", name: "clock" });
      writer.args("b", "{}");
      writer.args("a", "[]");
    });
    expect(blocks.filter(({ type }) => type === "block_delta")).toEqual([
      { type: "block_delta", index: 1, block: "tool_use", delta: "{}" },
      { type: "block_delta", index: 0, block: "tool_use", delta: "[]" },
    ]);
  });
});

describe("blocks of thinking", () => {
  test("marks raw thoughts and summaries apart in one block, and stops it with all that the item holds", () => {
    const blocks = blocksOf((writer) => {
      writer.summary("First.", "t");
      writer.nextPart("t");
      writer.summary("Second.", "t");
      writer.reasoning("Hm.", "t");
      writer.set("t", { encrypted_content: "blob" });
    });
    expect(blocks).toEqual([
      { type: "block_start", index: 0, block: "thinking", item_id: "rs_2", extra: { status: "in_progress" } },
      { type: "block_delta", index: 0, block: "thinking", source: "summary", part: 0, delta: "" },
      { type: "block_delta", index: 0, block: "thinking", source: "summary", part: 0, delta: "First." },
      { type: "block_delta", index: 0, block: "thinking", source: "summary", part: 1, delta: "" },
      { type: "block_delta", index: 0, block: "thinking", source: "summary", part: 1, delta: "Second." },
      { type: "block_delta", index: 0, block: "thinking", source: "reasoning", part: 0, delta: "" },
      { type: "block_delta", index: 0, block: "thinking", source: "reasoning", part: 0, delta: "Hm." },
      {
        type: "block_stop",
        index: 0,
        block: "thinking",
        summary: [
          { type: "summary_text", text: "First." },
          { type: "summary_text", text: "Second." },
        ],
        content: [{ type: "reasoning_text", text: "Hm." }],
        encrypted_content: "blob",
        extra: { status: "completed" },
      },
    ]);
  });

  test("stops thinking at output_item.done, where the blob comes", () => {
    const item: Item = {
      type: "reasoning",
      id: "rs_1",
      summary: [{ type: "summary_text", text: "Hm." }],
      encrypted_content: "blob",
    };
    const heard: [string, string[]][] = [];
    encodeEach(expand(response([item])), (type, blocks) => heard.push([type, blocks.map((block) => block.type)]));
    expect(heard.filter(([, blocks]) => blocks.some((type) => type.startsWith("block_")))).toEqual([
      ["response.output_item.added", ["block_start"]],
      ["response.reasoning_summary_part.added", ["block_delta"]],
      ["response.reasoning_summary_text.delta", ["block_delta"]],
      ["response.output_item.done", ["block_stop"]],
    ]);
  });

  test("starts and stops a thought that is only a blob, even where its item was never added", () => {
    const item: Item = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "blob" };
    const pair = [
      { type: "block_start", index: 0, block: "thinking", item_id: "rs_1" },
      { type: "block_stop", index: 0, block: "thinking", summary: [], encrypted_content: "blob" },
    ];
    const events = expand(response([item]));
    expect(encode(events).slice(1, 3)).toEqual(pair);
    expect(encode(events.filter(({ type }) => type !== "response.output_item.added")).slice(1, 3)).toEqual(pair);
  });
});

describe("blocks of other items", () => {
  test("carries a hosted item whole, with the pieces of its code", () => {
    const item: Item = {
      type: "code_interpreter_call",
      id: "ci_1",
      status: "completed",
      code: "1+1",
      container_id: "c_1",
      outputs: null,
    };
    expect(encodeBlocks(response([item])).slice(1, -1)).toEqual([
      { type: "block_start", index: 0, block: "item", item: { ...item, status: "in_progress", code: "" } },
      { type: "block_delta", index: 0, block: "item", delta: "1+1" },
      { type: "block_stop", index: 0, block: "item", item },
    ]);
  });

  test("leaves out progress of hosted tools and extension events", () => {
    const begin = expand(response([]))[0]!;
    const progress: ResponseEvent[] = [
      { type: "response.web_search_call.searching", sequence_number: 1, item_id: "ws_1", output_index: 0 },
      { type: "acme:note", sequence_number: 2, body: "Hm." },
    ];
    expect(encode([begin, ...progress]).filter(({ type }) => type.startsWith("block_"))).toEqual([]);
  });
});

describe("starts that events left out", () => {
  test("starts a text block at a delta without a part", () => {
    const [created] = expand(response([]));
    const ids = { item_id: "msg_1", output_index: 0, content_index: 0 };
    const blocks = encode([created!, { type: "response.output_text.delta", sequence_number: 1, ...ids, delta: "Hi" }]);
    expect(blocks.slice(1, 3)).toEqual([
      { type: "block_start", index: 0, block: "text", item_id: "msg_1" },
      { type: "block_delta", index: 0, block: "text", delta: "Hi" },
    ]);
  });

  test("tells text that came whole, without deltas, in one delta", () => {
    const item: Item = {
      type: "message",
      id: "msg_1",
      status: "completed",
      role: "assistant",
      content: [{ type: "output_text", text: "Hi", annotations: [] }],
    };
    const events = expand(response([item])).filter(({ type }) => type !== "response.output_text.delta");
    expect(encode(events).slice(1, -1)).toEqual([
      { type: "block_start", index: 0, block: "text", item_id: "msg_1" },
      { type: "block_delta", index: 0, block: "text", delta: "Hi" },
      { type: "block_stop", index: 0, block: "text", text: "Hi", annotations: [] },
    ]);
  });
});

function encodeEach(events: ResponseEvent[], hear: (type: string, blocks: BlockEvent[]) => void): void {
  const encoder = createBlockEncoder();
  for (const event of events) hear(event.type, encoder.push(event));
}
