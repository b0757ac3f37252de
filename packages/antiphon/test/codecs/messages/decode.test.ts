import { describe, expect, test } from "vitest";
import { messagesCodec } from "../../../src/codecs/messages/index.ts";
import { unseal } from "../../../src/codecs/shared/envelope.ts";
import { AntiphonError } from "../../../src/core/error.ts";
import { finishReason } from "../../../src/core/views.ts";
import { foldLaw, lifecycleLaw } from "../../../src/testing/laws.ts";
import type { CreateResponse, ResponseEvent } from "../../../src/model/index.ts";
import { testCtx } from "../../support/ctx.ts";
import { bare, decoded, events, model, streamOf, streamed, type Block } from "./support.ts";

const start = {
  type: "message_start",
  message: { id: "msg_1", model, content: [], usage: { input_tokens: 10, output_tokens: 1 } },
};
const end = (stop_reason: string, usage: object = { output_tokens: 5 }) => [
  { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
  { type: "message_stop" },
];
const open = (index: number, content_block: Block) => ({ type: "content_block_start", index, content_block });
const piece = (index: number, delta: Block) => ({ type: "content_block_delta", index, delta });
const close = (index: number) => ({ type: "content_block_stop", index });
const say = (index: number, ...words: string[]) => [
  open(index, { type: "text", text: "" }),
  ...words.map((text) => piece(index, { type: "text_delta", text })),
  close(index),
];
const names = (all: ResponseEvent[]): string[] => all.map(({ type }) => type.replace("response.", ""));

describe("the stream", () => {
  test("V1, V2, V3, ID5, ID6: one message, in the lawful order", () => {
    const all = events([start, ...say(0, "Hel", "lo"), ...end("end_turn")]);
    expect(names(all)).toEqual([
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
    expect(lifecycleLaw(all) ?? foldLaw(all)).toBeUndefined();
  });

  test("ID7: the response's id is made of the message's", () => {
    expect(streamed([start, ...end("end_turn")]).id).toBe("resp_msg_1");
  });

  test("V4, V6: two calls, their names first, their arguments in pieces", () => {
    const use = (index: number, id: string) => open(index, { type: "tool_use", id, name: "weather", input: {} });
    const args = (index: number, partial_json: string) => piece(index, { type: "input_json_delta", partial_json });
    const response = streamed([
      start,
      use(0, "a"),
      args(0, ""),
      args(0, '{"city": '),
      args(0, '"Oslo"}'),
      close(0),
      use(1, "b"),
      close(1),
      ...end("tool_use"),
    ]);
    expect(response.output.map(bare)).toEqual([
      { type: "function_call", call_id: "a", name: "weather", arguments: '{"city": "Oslo"}' },
      { type: "function_call", call_id: "b", name: "weather", arguments: "{}" },
    ]);
    expect(finishReason(response)).toBe("tool_calls");
  });

  test("V5: text, a call and text again are three items", () => {
    const response = streamed(
      streamOf([
        { type: "text", text: "One" },
        { type: "tool_use", id: "a", name: "f", input: {} },
        { type: "text", text: "Two" },
      ]),
    );
    expect(response.output.map(({ type }) => type)).toEqual(["message", "function_call", "message"]);
  });

  test("V7: blocks of text in a row are one part", () => {
    expect(streamed([start, ...say(0, "One, "), ...say(1, "two"), ...end("end_turn")]).output.map(bare)).toEqual([
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "One, two", annotations: [], logprobs: [] }] },
    ]);
  });

  test("V8, V9: empty text makes no item, and an empty answer is a whole one", () => {
    const response = streamed([start, ...say(0, ""), ...end("end_turn")]);
    expect(response).toMatchObject({ status: "completed", output: [] });
  });

  test("V10: pings say nothing, a beginning may hold text, and unknown events are passed over", () => {
    const values = [
      start,
      { type: "ping" },
      open(0, { type: "text", text: "Hel" }),
      piece(0, { type: "text_delta", text: "lo" }),
    ];
    const response = streamed([...values, { type: "news" }, close(0), ...end("end_turn")]);
    expect(response.output).toMatchObject([{ content: [{ text: "Hello" }] }]);
  });

  test("V10: a message that is whole in its beginning is read from there", () => {
    const message = { ...start.message, content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn" };
    expect(streamed([{ type: "message_start", message }, { type: "message_stop" }])).toMatchObject({
      status: "completed",
      output: [{ content: [{ text: "Hi" }] }],
    });
  });
});

describe("the end", () => {
  test.each([
    ["end_turn", "completed", null, "stop"],
    ["stop_sequence", "completed", null, "stop"],
    ["tool_use", "completed", null, "stop"],
    ["max_tokens", "incomplete", "max_output_tokens", "length"],
    ["model_context_window_exceeded", "incomplete", "max_output_tokens", "length"],
    ["pause_turn", "incomplete", "pause_turn", "length"],
    ["compaction", "incomplete", "compaction", "length"],
    ["something_new", "incomplete", "something_new", "length"],
  ])("E1: %s", (reason, status, incomplete, finish) => {
    const response = streamed([start, ...say(0, "Hi"), ...end(reason)]);
    expect(response.status).toBe(status);
    expect(response.incomplete_details?.reason ?? null).toBe(incomplete);
    expect(finishReason(response)).toBe(finish);
  });

  test("E1: the sequence that was met is kept", () => {
    const delta = { stop_reason: "stop_sequence", stop_sequence: "END" };
    expect(streamed([start, { type: "message_delta", delta, usage: {} }, { type: "message_stop" }])).toMatchObject({
      stop_sequence: "END",
      "anthropic:message": { stop_reason: "stop_sequence", stop_sequence: "END" },
    });
  });

  test("E3: a call that was cut off is incomplete, what came before it is not", () => {
    const response = streamed([
      start,
      ...say(0, "Let me see."),
      open(1, { type: "tool_use", id: "a", name: "f", input: {} }),
      piece(1, { type: "input_json_delta", partial_json: '{"city": "Os' }),
      close(1),
      ...end("max_tokens"),
    ]);
    expect(response.output).toMatchObject([
      { type: "message", status: "completed" },
      { type: "function_call", status: "incomplete", arguments: '{"city": "Os' },
    ]);
  });

  test("E4: a refusal is told in a part of its own, after what was said", () => {
    const delta = { stop_reason: "refusal", stop_details: { type: "refusal", explanation: "Not this." } };
    const response = streamed([start, ...say(0, "Well"), { type: "message_delta", delta, usage: {} }, { type: "message_stop" }]);
    expect(response.output).toMatchObject([
      {
        content: [
          { type: "output_text", text: "Well" },
          { type: "refusal", refusal: "Not this." },
        ],
      },
    ]);
    expect(finishReason(response)).toBe("refusal");
    expect(finishReason(streamed([start, ...end("refusal")]))).toBe("refusal");
  });

  test("E6: a stream that just stops is truncated, and keeps what had come", () => {
    const response = streamed([start, open(0, { type: "text", text: "" }), piece(0, { type: "text_delta", text: "Hel" })]);
    expect(response).toMatchObject({ status: "failed", error: { code: "truncated" }, output: [{ status: "incomplete" }] });
  });

  test("E7: an error in the middle fails the response, with the vendor's words", () => {
    const error = { type: "overloaded_error", message: "Overloaded" };
    const all = events([start, ...say(0, "Hi"), { type: "error", error, request_id: "req_1" }, ...end("end_turn")]);
    expect(all.at(-1)).toMatchObject({
      type: "response.failed",
      response: { error: { code: "overloaded_error", message: "Overloaded", request_id: "req_1" } },
    });
    expect(lifecycleLaw(all)).toBeUndefined();
  });

  test("E9: a plain answer is the same response", () => {
    const blocks = [
      { type: "thinking", thinking: "Hm", signature: "SIG" },
      { type: "text", text: "Hi" },
    ];
    const plain = decoded({ content: blocks, stop_reason: "end_turn", usage: { input_tokens: 10, output_tokens: 5 } });
    expect(plain).toEqual(streamed(streamOf(blocks)));
    expect(() => decoded({ content: undefined })).toThrow(AntiphonError);
  });

  test("a caller who stops gets what had come, with the tokens that were counted and a guess of the rest", () => {
    const decoder = messagesCodec().createDecoder(testCtx({ model, input: "Hi" }));
    [start, ...say(0, "Hello there, this is some text.")].forEach((value) => decoder.push(value));
    const last = decoder.fail(new AntiphonError("ABORTED", "Stopped.")).at(-1);
    expect(last).toMatchObject({
      type: "response.incomplete",
      response: { incomplete_details: { reason: "cancelled" }, usage: { input_tokens: 10, estimated: true } },
    });
    expect(decoder.fail(new AntiphonError("ABORTED", "Again."))).toEqual([]);
  });
});

describe("tokens", () => {
  test("of a broken answer are guessed where the server had counted none", () => {
    const decoder = messagesCodec().createDecoder(testCtx({ model, input: "What is the weather like?" }));
    const message = { ...start.message, usage: { input_tokens: 0, output_tokens: 0 } };
    [{ ...start, message }, ...say(0, "Hello there.")].forEach((value) => decoder.push(value));
    const last = decoder.fail(new AntiphonError("ABORTED", "Stopped.")).at(-1);
    expect(last).toMatchObject({ response: { usage: { input_tokens: 7, estimated: true } } });
  });

  const usageOf = (first: object, last: object) =>
    streamed([{ ...start, message: { ...start.message, usage: first } }, ...end("end_turn", last)]).usage;

  test("U2, U5: all input is counted, with what the cache gave and took told apart", () => {
    const first = { input_tokens: 10, cache_read_input_tokens: 100, cache_creation_input_tokens: 50, output_tokens: 1 };
    expect(usageOf(first, { output_tokens: 7 })).toEqual({
      input_tokens: 160,
      output_tokens: 7,
      total_tokens: 167,
      input_tokens_details: { cached_tokens: 100, cache_write_tokens: 50 },
      output_tokens_details: { reasoning_tokens: 0 },
    });
  });

  test("U2: later counts replace earlier ones, and nulls say nothing", () => {
    const last = { input_tokens: 30, output_tokens: 7, cache_read_input_tokens: null };
    expect(usageOf({ input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 2 }, last)).toMatchObject({
      input_tokens: 32,
      output_tokens: 7,
    });
  });

  test("U3: thinking is counted apart", () => {
    const last = { output_tokens: 70, output_tokens_details: { thinking_tokens: 60 } };
    expect(usageOf({ input_tokens: 1 }, last)?.output_tokens_details.reasoning_tokens).toBe(60);
  });

  test("U3: a compaction is a call of the same model, and its tokens are counted", () => {
    const iterations = [
      { type: "compaction", input_tokens: 100, output_tokens: 20 },
      { type: "advisor_message", input_tokens: 1_000, output_tokens: 1_000 },
    ];
    expect(usageOf({ input_tokens: 10 }, { output_tokens: 5, iterations })).toMatchObject({
      input_tokens: 110,
      output_tokens: 25,
    });
  });

  test("U6: nothing is known of them at the start, and the tier at the end", () => {
    const all = events([
      { ...start, message: { ...start.message, usage: { input_tokens: 1, service_tier: "standard" } } },
      ...end("end_turn"),
    ]);
    expect(all[0]).toMatchObject({ response: { usage: null } });
    expect(all.at(-1)).toMatchObject({ response: { service_tier: "default" } });
  });

  test("E11: they are kept where the answer stopped short", () => {
    expect(streamed([start, ...say(0, "Hi"), ...end("max_tokens", { output_tokens: 9 })]).usage?.output_tokens).toBe(9);
  });
});

describe("thinking", () => {
  const think = (...deltas: Block[]) => [
    open(0, { type: "thinking", thinking: "", signature: "" }),
    ...deltas.map((delta) => piece(0, delta)),
    close(0),
  ];
  const thinking = (text: string) => ({ type: "thinking_delta", thinking: text });
  const signature = { type: "signature_delta", signature: "SIG" };

  test("Z2, Z3, Z4: raw thinking with its signature in an envelope, apart from the text", () => {
    const response = streamed([start, ...think(thinking("Hm"), thinking("…"), signature), ...say(1, "Hi"), ...end("end_turn")]);
    const [thought, message] = response.output;
    expect(thought).toMatchObject({ type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "Hm…" }] });
    expect(unseal((thought as { encrypted_content: string }).encrypted_content)).toEqual({
      wire: "messages",
      kind: "signature",
      data: "SIG",
    });
    expect(message).toMatchObject({ type: "message", content: [{ text: "Hi" }] });
  });

  test("Z2: a caller who asked for a summary gets one", () => {
    const request: CreateResponse = { model, reasoning: { effort: "low", summary: "auto" } };
    const all = events([start, ...think(thinking("Hm"), signature), ...end("end_turn")], request);
    expect(names(all)).toContain("reasoning_summary_text.delta");
    expect(all.at(-1)).toMatchObject({ response: { output: [{ summary: [{ type: "summary_text", text: "Hm" }] }] } });
  });

  test("Z4: a signature may come with text in one piece", () => {
    const both = { type: "thinking_delta", thinking: "Hm", signature: "SIG" };
    expect(streamed([start, ...think(both), ...end("end_turn")]).output).toMatchObject([
      { content: [{ text: "Hm" }], encrypted_content: "antiphon:1:messages:signature:SIG" },
    ]);
  });

  test("Z4: a redacted block and thinking that is not shown are items with nothing but their blob", () => {
    const response = streamed([
      start,
      ...think(signature),
      open(1, { type: "redacted_thinking", data: "X" }),
      close(1),
      ...end("end_turn"),
    ]);
    expect(response.output).toMatchObject([
      { type: "reasoning", summary: [], encrypted_content: "antiphon:1:messages:signature:SIG" },
      { type: "reasoning", summary: [], encrypted_content: "antiphon:1:messages:redacted:X" },
    ]);
    expect(response.output.some((item) => "content" in item)).toBe(false);
  });

  test("Z4: thinking between calls keeps its place", () => {
    const response = streamed(
      streamOf(
        [
          { type: "thinking", thinking: "A", signature: "1" },
          { type: "tool_use", id: "a", name: "f", input: {} },
          { type: "thinking", thinking: "B", signature: "2" },
          { type: "tool_use", id: "b", name: "f", input: {} },
        ],
        "tool_use",
      ),
    );
    expect(response.output.map(({ type }) => type)).toEqual(["reasoning", "function_call", "reasoning", "function_call"]);
  });
});

describe("server-side tools", () => {
  const use = (name: string, input: object, more: object = {}): Block => ({
    type: "server_tool_use",
    id: "srv_1",
    name,
    input,
    ...more,
  });
  const result = (type: string, content: unknown): Block => ({ type, tool_use_id: "srv_1", content });
  const outputOf = (...blocks: Block[]) => streamed(streamOf(blocks)).output;

  test("a web search shows its progress, its query and its sources, and keeps its blocks", () => {
    const found = [
      { type: "web_search_result", url: "https://example.com", title: "Example", encrypted_content: "E", page_age: null },
    ];
    const blocks = [use("web_search", { query: "cats" }), result("web_search_tool_result", found)];
    const all = events(streamOf(blocks));
    expect(names(all).filter((name) => name.startsWith("web_search_call"))).toEqual([
      "web_search_call.in_progress",
      "web_search_call.searching",
      "web_search_call.completed",
    ]);
    expect(all.at(-1)).toMatchObject({
      response: {
        output: [
          {
            type: "web_search_call",
            id: "srv_1",
            status: "completed",
            action: { type: "search", query: "cats", sources: [{ type: "url", url: "https://example.com", title: "Example" }] },
            "anthropic:blocks": blocks,
          },
        ],
      },
    });
  });

  test("a search that failed has failed, and the answer goes on", () => {
    const error = { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" };
    expect(
      outputOf(use("web_search", { query: "x" }), result("web_search_tool_result", error), { type: "text", text: "Hm" }),
    ).toMatchObject([
      { type: "web_search_call", status: "failed" },
      { type: "message", status: "completed" },
    ]);
  });

  test("a page that was fetched is a page that was opened", () => {
    expect(
      outputOf(use("web_fetch", { url: "https://example.com" }), result("web_fetch_tool_result", { type: "web_fetch_result" })),
    ).toMatchObject([{ type: "web_search_call", action: { type: "open_page", url: "https://example.com" } }]);
  });

  test("code comes in pieces, and its item waits for the container", () => {
    const pieces = ['{"co', 'de": "print(', '1)\\n"}'].map((partial_json) =>
      piece(0, { type: "input_json_delta", partial_json }),
    );
    const ran = {
      type: "code_execution_result",
      stdout: "1\n",
      stderr: "",
      return_code: 0,
      content: [{ type: "code_execution_output", file_id: "file_1" }],
    };
    const all = events([
      start,
      open(0, use("code_execution", {})),
      ...pieces,
      close(0),
      open(1, result("code_execution_tool_result", ran)),
      close(1),
      ...say(2, "Done."),
      { type: "message_delta", delta: { stop_reason: "end_turn", container: { id: "cntr_1", expires_at: "…" } }, usage: {} },
      { type: "message_stop" },
    ]);
    expect(lifecycleLaw(all) ?? foldLaw(all)).toBeUndefined();
    const deltas = all.flatMap((event) =>
      event.type === "response.code_interpreter_call_code.delta" ? [(event as { delta: string }).delta] : [],
    );
    expect(deltas.join("")).toBe("print(1)\n");
    expect(deltas.length).toBeGreaterThan(1);
    expect(all.at(-1)).toMatchObject({
      response: {
        output: [
          {
            type: "code_interpreter_call",
            code: "print(1)\n",
            container_id: "cntr_1",
            outputs: [
              { type: "logs", logs: "1\n" },
              { type: "anthropic:file", file_id: "file_1" },
            ],
          },
          { type: "message" },
        ],
      },
    });
  });

  test("a container that the caller named is known from the start", () => {
    const request: CreateResponse = { model, tools: [{ type: "code_interpreter", container: "cntr_9" }] };
    const ran = result("bash_code_execution_tool_result", { type: "bash_code_execution_result", stdout: "ok" });
    const response = streamed(streamOf([use("bash_code_execution", { command: "ls" }), ran]), request);
    expect(response.output).toMatchObject([{ code: "ls", container_id: "cntr_9", outputs: [{ logs: "ok" }] }]);
  });

  test("a call of an MCP server, and one that failed", () => {
    const call = { type: "mcp_tool_use", id: "mcp_1", name: "read", server_name: "docs", input: { page: 1 } };
    const gave = (is_error: boolean) => ({
      type: "mcp_tool_result",
      tool_use_id: "mcp_1",
      is_error,
      content: [{ type: "text", text: "words" }],
    });
    expect(outputOf(call, gave(false))).toMatchObject([
      {
        type: "mcp_call",
        id: "mcp_1",
        server_label: "docs",
        name: "read",
        arguments: '{"page":1}',
        output: "words",
        status: "completed",
      },
    ]);
    expect(outputOf(call, gave(true))).toMatchObject([{ type: "mcp_call", status: "failed", error: "words" }]);
    expect(names(events(streamOf([call, gave(true)])))).toContain("mcp_call.failed");
  });

  test("a search for tools, and the tools that it found", () => {
    const weather = { type: "function" as const, name: "weather", parameters: { type: "object" } };
    const references = [{ type: "tool_reference", tool_name: "weather" }];
    const response = streamed(
      streamOf([
        use("tool_search_tool_regex", { pattern: "weather" }),
        result("tool_search_tool_result", { type: "tool_search_tool_search_result", tool_references: references }),
      ]),
      { model, tools: [weather] },
    );
    expect(response.output).toMatchObject([
      { type: "tool_search_call", call_id: "srv_1", arguments: { pattern: "weather" }, execution: "server" },
      { type: "tool_search_output", call_id: "srv_1", tools: [weather] },
    ]);
  });

  test("a result of a call in an earlier answer is an item of its own", () => {
    const ran = result("code_execution_tool_result", { type: "code_execution_result", stdout: "42" });
    expect(outputOf(ran)).toMatchObject([
      { type: "code_interpreter_call", id: "srv_1_result", outputs: [{ logs: "42" }], "anthropic:blocks": [ran] },
    ]);
  });

  test("a call that code made keeps the name of the code", () => {
    const caller = { type: "code_execution_20250825", tool_id: "srv_1" };
    expect(outputOf({ type: "tool_use", id: "a", name: "f", input: {}, caller })).toMatchObject([{ "anthropic:caller": caller }]);
  });

  test("a tool and a block that the vocabulary does not know are kept whole", () => {
    const advice = [use("advisor", {}), result("advisor_tool_result", { type: "advisor_result", text: "Ship it." })];
    const swap = { type: "fallback", from: { model: "a" }, to: { model: "b" } };
    const response = streamed(streamOf([...advice, swap]));
    expect(response.output).toMatchObject([
      { type: "anthropic:server_tool_call", name: "advisor", output: { text: "Ship it." }, "anthropic:blocks": advice },
      { type: "anthropic:fallback", "anthropic:blocks": [swap] },
    ]);
    expect(response.model).toBe("b");
  });

  test("a compaction is an item with its block in an envelope", () => {
    const values = [
      start,
      open(0, { type: "compaction", content: null }),
      piece(0, { type: "compaction_delta", content: "Before: …", encrypted_content: "E" }),
      close(0),
      ...end("end_turn"),
    ];
    const [item] = streamed(values).output;
    expect(item?.type).toBe("compaction");
    expect(JSON.parse(unseal((item as { encrypted_content: string }).encrypted_content)!.data)).toEqual({
      type: "compaction",
      content: "Before: …",
      encrypted_content: "E",
    });
  });
});

describe("citations", () => {
  const cite = (index: number, citation: Block) => piece(index, { type: "citations_delta", citation });
  const page = {
    type: "web_search_result_location",
    url: "https://example.com",
    title: "Example",
    cited_text: "…",
    encrypted_index: "I",
  };

  test("V14: they stand on the span that they back, though they come before it", () => {
    const response = streamed([
      start,
      ...say(0, "It is "),
      open(1, { type: "text", text: "", citations: [] }),
      cite(1, page),
      piece(1, { type: "text_delta", text: "blue" }),
      close(1),
      ...say(2, "."),
      ...end("end_turn"),
    ]);
    expect(response.output).toMatchObject([
      {
        content: [
          {
            text: "It is blue.",
            annotations: [{ type: "url_citation", url: "https://example.com", title: "Example", start_index: 6, end_index: 10 }],
          },
        ],
      },
    ]);
  });

  test.each([
    [
      { type: "char_location", document_index: 0, document_title: "Facts", start_char_index: 0, end_char_index: 4, file_id: "f" },
      "f",
      "Facts",
    ],
    [{ type: "page_location", document_index: 0, document_title: null, start_page_number: 1, end_page_number: 2 }, "", undefined],
    [
      { type: "content_block_location", document_index: 0, document_title: "D", start_block_index: 0, end_block_index: 1 },
      "",
      "D",
    ],
    [{ type: "search_result_location", source: "Handbook", title: "H", search_result_index: 0 }, "Handbook", "H"],
  ])("V14: $type of a document is a citation of a file", (location, file_id, filename) => {
    const citation = { ...location, cited_text: "blue" };
    const response = decoded({ content: [{ type: "text", text: "blue", citations: [citation] }], stop_reason: "end_turn" });
    expect(response.output).toMatchObject([
      {
        content: [
          {
            annotations: [{ type: "file_citation", file_id, filename: filename ?? "", index: 4, "anthropic:citation": citation }],
          },
        ],
      },
    ]);
  });

  test("V14: a search result with an address is a citation of a page", () => {
    const citation = { type: "search_result_location", source: "https://example.com", title: "H", cited_text: "x" };
    expect(decoded({ content: [{ type: "text", text: "blue", citations: [citation] }] }).output).toMatchObject([
      { content: [{ annotations: [{ type: "url_citation", url: "https://example.com" }] }] },
    ]);
  });
});
