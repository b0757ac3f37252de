import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { messagesCodec, messagesServer } from "../../../src/codecs/messages/index.ts";
import { toUsage } from "../../../src/codecs/shared/usage.ts";
import { AntiphonError } from "../../../src/core/error.ts";
import { expand } from "../../../src/core/expand.ts";
import { blankResponse } from "../../../src/core/blank-response.ts";
import { Writer } from "../../../src/core/writer.ts";
import type { Item, ReasoningParam, ResponseEvent, ResponseResource } from "../../../src/model/index.ts";
import { programs, responses } from "../../support/arbitraries.ts";
import { testCtx } from "../../support/ctx.ts";
import { runs } from "../../support/runs.ts";
import { assemble, encode, itemsIn, read, told } from "./support.ts";

const server = messagesServer();

const finished = (...output: Item[]): ResponseResource => ({
  ...blankResponse("resp_1", 1_700_000_000, { model: "m" }),
  status: "completed",
  completed_at: 1_700_000_001,
  output,
});
const written = (program: (writer: Writer) => void): ResponseEvent[] => {
  const writer = new Writer(testCtx({ model: "m" }));
  program(writer);
  writer.finish({ status: "completed" });
  return writer.drain();
};

/** The rule of the wire's streams that a sequence breaks: one message, one block at a time, numbered without gaps. */
function breach(values: readonly { [field: string]: unknown }[]): string | undefined {
  let index = 0;
  let open = false;
  for (const [at, value] of values.entries()) {
    const { type } = value;
    if ((type === "message_start") !== (at === 0)) return `${at}: ${String(type)}`;
    if (type === "content_block_start" && (open || value["index"] !== index)) return `${at}: a block begins inside another`;
    if (type === "content_block_delta" && (!open || value["index"] !== index)) return `${at}: a piece of no block`;
    if (type === "content_block_stop" && (!open || value["index"] !== index)) return `${at}: an end of no block`;
    if (type === "content_block_start") open = true;
    if (type === "content_block_stop") {
      open = false;
      index += 1;
    }
    if (type === "message_delta" && open) return `${at}: the message ends inside a block`;
    if ((type === "message_stop" || type === "error") && at !== values.length - 1) return `${at}: something follows the end`;
  }
  const last = values.at(-1)?.["type"];
  return last === "message_stop" || last === "error" ? undefined : "no end";
}

describe("streams", () => {
  test("V10: text is one block, numbered from 0, and the end tells reason and tokens", () => {
    const events = written((writer) => {
      writer.response({
        usage: { ...usage, input_tokens: 30, input_tokens_details: { cached_tokens: 20, cache_write_tokens: 4 } },
      });
      writer.text("Hel");
      writer.text("lo");
    });
    expect(told(events)).toEqual([
      {
        type: "message_start",
        message: {
          id: "msg_resp_1",
          type: "message",
          role: "assistant",
          model: "m",
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 0, output_tokens: 0 },
        },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hel" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "lo" } },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn", stop_sequence: null },
        usage: { input_tokens: 6, cache_creation_input_tokens: 4, cache_read_input_tokens: 20, output_tokens: 5 },
      },
      { type: "message_stop" },
    ]);
  });

  test("V4: calls that came side by side are told one after the other", () => {
    const values = told(
      written((writer) => {
        writer.call("0", { call_id: "a", name: "weather" });
        writer.call("1", { call_id: "b", name: "clock" });
        writer.args("1", '{"zone":');
        writer.args("0", '{"city":"Oslo"}');
        writer.args("1", '"CET"}');
      }),
    );
    expect(breach(values)).toBeUndefined();
    expect(assemble(values)).toMatchObject({
      stop_reason: "tool_use",
      content: [
        { type: "tool_use", id: "a", name: "weather", input: { city: "Oslo" } },
        { type: "tool_use", id: "b", name: "clock", input: { zone: "CET" } },
      ],
    });
  });

  test("a free-form call is told in the JSON that stands in for it", () => {
    const values = told(
      written((writer) => {
        writer.customCall("0", { call_id: "a", name: "patch" });
        writer.args("0", 'say "');
        writer.args("0", 'hi"\n');
        writer.customCall("1", { call_id: "b", name: "patch" });
      }),
    );
    expect(assemble(values)["content"]).toMatchObject([{ input: { input: 'say "hi"\n' } }, { input: { input: "" } }]);
  });

  test("ID2: an id that the wire refuses is spelled out, and understood when it comes back", () => {
    const values = told(written((writer) => writer.call("0", { call_id: "functions.foo:0", name: "foo" })));
    const [block] = assemble(values)["content"] as { id: string }[];
    expect(block?.id).toMatch(/^[a-zA-Z0-9_-]+$/);
    const results = itemsIn([{ role: "user", content: [{ type: "tool_result", tool_use_id: block?.id, content: "ok" }] }]);
    expect(results).toEqual([{ type: "function_call_output", call_id: "functions.foo:0", output: "ok" }]);
  });

  test.each([
    ["max_output_tokens", "max_tokens"],
    ["content_filter", "refusal"],
    ["pause_turn", "pause_turn"],
    ["tool_calls", "tool_use"],
    ["cancelled", "max_tokens"],
  ])("E1: an answer that is incomplete for %s ends for %s", (reason, stop_reason) => {
    const response: ResponseResource = {
      ...finished(),
      status: "incomplete",
      completed_at: null,
      incomplete_details: { reason },
    };
    expect(told(expand(response)).at(-2)).toMatchObject({ delta: { stop_reason } });
    expect(server.encodeResponse(response)).toMatchObject({ stop_reason });
  });

  test("E4: a refusal ends for that reason, with its words", () => {
    const events = written((writer) => writer.refusal("I won't."));
    expect(assemble(told(events))).toMatchObject({
      content: [],
      stop_reason: "refusal",
      stop_details: { type: "refusal", explanation: "I won't." },
    });
  });

  test("E6, E7: a failed answer ends with an error and no end of the message", () => {
    const writer = new Writer(testCtx());
    writer.text("Hel");
    writer.fail(new AntiphonError("SERVER_OVERLOADED", "Busy."));
    const values = told(writer.drain());
    expect(values.at(-1)).toMatchObject({ type: "error", error: { type: "overloaded_error", message: "Busy." } });
    expect(values.some(({ type }) => type === "message_stop")).toBe(false);
  });

  test("U1: the end counts tokens also where nobody did", () => {
    for (const usage of [toUsage({}), null]) {
      const response = { ...finished(), usage };
      expect(server.encodeResponse(response)).toMatchObject({ usage: { input_tokens: 0, output_tokens: 0 } });
      expect(told(expand(response)).at(-2)).toMatchObject({ type: "message_delta", usage: { output_tokens: 0 } });
    }
  });

  test("V13: frames carry the event's name, nothing closes the stream, and a keep-alive is a ping", () => {
    const [start] = told(written((writer) => writer.start()));
    expect(server.encodeFrame(start)).toBe(`event: message_start\ndata: ${JSON.stringify(start)}\n\n`);
    expect(server.lastFrame).toBe("");
    expect(told([{ type: "keepalive", sequence_number: 3 }])).toEqual([{ type: "ping" }]);
  });

  test("any program of a writer gives a lawful stream of the wire", () => {
    fc.assert(
      fc.property(programs, (program) => {
        const values = told(written((writer) => program.forEach((step) => step(writer))));
        expect(breach(values)).toBeUndefined();
      }),
      { numRuns: runs(150, 10_000) },
    );
  });

  test("any response is told plainly as its stream is put together", () => {
    fc.assert(
      fc.property(responses, (response) => {
        if (response.status === "failed") return;
        const values = told(expand(response));
        expect(breach(values)).toBeUndefined();
        const { content, ...rest } = assemble(values);
        const plain = server.encodeResponse(response) as { content: { type: string }[] };
        expect(rest).toMatchObject({ stop_reason: (plain as { stop_reason?: unknown }).stop_reason });
        // A streamed citation may back more of the text than the plain one.
        const others = (blocks: unknown): unknown => (blocks as { type: string }[]).filter(({ type }) => type !== "text");
        const words = (blocks: unknown): string => (blocks as { text?: string }[]).map(({ text = "" }) => text).join("");
        expect(others(content)).toEqual(others(plain.content));
        expect(words(content)).toBe(words(plain.content));
      }),
      { numRuns: runs(150, 10_000) },
    );
  });
});

const usage = {
  input_tokens: 0,
  output_tokens: 5,
  total_tokens: 35,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 0 },
};

describe("thinking of another provider", () => {
  const foreign: Item & ReasoningParam = {
    type: "reasoning",
    id: "rs_9",
    status: "completed",
    summary: [
      { type: "summary_text", text: "First." },
      { type: "summary_text", text: "Then." },
    ],
    encrypted_content: "gAAAA:blob",
  };

  test("ID8, Z7: goes through a client of the wire and comes back as it was, id and blob together", () => {
    const { content } = server.encodeResponse(finished(foreign)) as { content: object[] };
    expect(content).toMatchObject([{ type: "thinking", thinking: "First.Then.", signature: expect.any(String) as string }]);
    const { status: _, ...sent } = foreign;
    expect(itemsIn([{ role: "assistant", content }])).toEqual([sent]);
    expect(assemble(told(expand(finished(foreign))))["content"]).toEqual(content);
  });

  test("Z4: thinking without text is a block with nothing but its signature", () => {
    const { content } = server.encodeResponse(finished({ ...foreign, summary: [] })) as { content: object[] };
    expect(content).toMatchObject([{ type: "thinking", thinking: "" }]);
  });

  test("Z7: it does not reach a server of the wire as if it were signed", () => {
    const { content } = server.encodeResponse(finished(foreign)) as { content: object[] };
    const request = read({
      messages: [
        { role: "user", content: "Hi" },
        { role: "assistant", content: [...content, { type: "text", text: "Yes" }] },
        { role: "user", content: "So?" },
      ],
    });
    const { body, losses } = encode(request);
    expect(body.messages[1]?.content).toEqual([{ type: "text", text: "Yes" }]);
    expect(losses).toHaveLength(1);
  });

  test("a signature that was forged harms nobody", () => {
    const signature = 'antiphon:1:messages-server:reasoning:{"summary":';
    expect(itemsIn([{ role: "assistant", content: [{ type: "thinking", thinking: "Hm", signature }] }])).toMatchObject([
      { type: "reasoning", content: [{ text: "Hm" }] },
    ]);
  });
});

describe("server-side tools of another provider", () => {
  test("a search and a run of code are told as the wire tells its own, and understood when they come back", () => {
    const search: Item = {
      type: "web_search_call",
      id: "ws_1",
      status: "completed",
      action: { type: "search", query: "cats", sources: [{ type: "url", url: "https://example.com" }] },
    };
    const code: Item = {
      type: "code_interpreter_call",
      id: "ci_1",
      status: "completed",
      code: "1",
      container_id: "c",
      outputs: [{ type: "logs", logs: "1" }],
    };
    const mcp: Item = { type: "mcp_call", id: "mcp_1", server_label: "docs", name: "read", arguments: "{}", output: "words" };
    const { content } = server.encodeResponse(finished(search, code, mcp)) as { content: object[] };
    expect(assemble(told(expand(finished(search, code, mcp))))["content"]).toEqual(content);
    expect(itemsIn([{ role: "assistant", content }])).toMatchObject([
      { type: "web_search_call", id: "ws_1", action: { query: "cats", sources: [{ url: "https://example.com" }] } },
      { type: "code_interpreter_call", id: "ci_1", code: "1", outputs: [{ logs: "1" }] },
      { type: "mcp_call", id: "mcp_1", server_label: "docs", name: "read", output: "words" },
    ]);
  });

  test("an item that the wire cannot tell is left out", () => {
    const image: Item = { type: "image_generation_call", id: "ig_1", status: "completed", result: "AAAA" };
    expect(server.encodeResponse(finished(image))).toMatchObject({ content: [], stop_reason: "end_turn" });
  });

  test("V14: a citation of a page is told as one, and comes back as it was", () => {
    const citation = { type: "url_citation" as const, url: "https://example.com", title: "E", start_index: 3, end_index: 7 };
    const message: Item = {
      type: "message",
      id: "msg_1",
      status: "completed",
      role: "assistant",
      content: [{ type: "output_text", text: "Is blue.", annotations: [citation] }],
    };
    const { content } = server.encodeResponse(finished(message)) as { content: object[] };
    expect(content).toMatchObject([
      { text: "Is " },
      { text: "blue", citations: [{ type: "web_search_result_location" }] },
      { text: "." },
    ]);
    expect(itemsIn([{ role: "assistant", content }])).toMatchObject([
      { content: [{ text: "Is blue.", annotations: [citation] }] },
    ]);
  });
});

describe("requests", () => {
  test.each<[string, object]>([
    ["messages", { messages: "Hi" }],
    ["messages", { messages: undefined }],
    ["max_tokens", { max_tokens: 0 }],
    ["temperature", { temperature: 2 }],
    ["tools", { tools: {} }],
    ["tools[0].name", { tools: [{ input_schema: {} }] }],
    ["tools[0].input_schema", { tools: [{ name: "f" }] }],
    ["tool_choice", { tool_choice: { type: "some" } }],
    ["messages[0].role", { messages: [{ role: "robot", content: "Hi" }] }],
    ["messages[0].content[0]", { messages: [{ role: "user", content: ["Hi"] }] }],
    ["output_config.format", { output_config: { format: { type: "grammar" } } }],
  ])("Q10: refuses a bad %s, by its name", (param, body) => {
    expect(() => read(body)).toThrow(expect.objectContaining({ code: "BAD_REQUEST", param }));
  });

  test("Q10: refuses a body that is no object", () => {
    expect(() => server.decodeRequest([])).toThrow(AntiphonError);
  });

  test("refuses a thread in words that make the official client send the whole conversation", () => {
    const error = new AntiphonError("UNSUPPORTED", "Threads are not supported; send the whole conversation.", {
      param: "thread",
    });
    expect(() => read({ thread: { type: "create" } })).toThrow(error);
    expect(server.encodeError(error)).toMatchObject({
      status: 400,
      body: { error: { type: "invalid_request_error", details: { error_code: "thread_unsupported_request" } } },
    });
    expect(read({ thread: null })).toEqual(read({}));
  });

  test("Q6: null is nothing", () => {
    expect(read({ system: null, temperature: null, tools: null, tool_choice: null, thinking: null, metadata: null })).toEqual(
      read({}),
    );
  });

  test("a plain answer is the wire's default", () => {
    expect(read({}).stream).toBe(false);
    expect(read({ stream: true }).stream).toBe(true);
  });

  test("S2: the system's first words are the instructions, the others and marked ones are messages", () => {
    expect(read({ system: "Be brief." })).toMatchObject({ instructions: "Be brief." });
    const mark = { type: "ephemeral" };
    const words = (text: string) => ({ type: "text", text });
    const { instructions, input } = read({ system: [words("One."), { ...words("Two."), cache_control: mark }] });
    expect(instructions).toBe("One.");
    expect(input).toMatchObject([
      { role: "system", content: [{ text: "Two.", "anthropic:cache_control": mark }] },
      { role: "user" },
    ]);
    expect(read({ system: [{ ...words("One."), cache_control: mark }] })).not.toHaveProperty("instructions");
  });

  test("Q4: what the vocabulary has no word for is kept under the wire's prefix", () => {
    expect(read({ top_k: 40, cache_control: { type: "ephemeral" } })).toMatchObject({
      "anthropic:top_k": 40,
      "anthropic:cache_control": { type: "ephemeral" },
    });
  });

  test("Q4: settings of the output that the vocabulary has no word for go out again", () => {
    const output_config = { effort: "high", task_budget: { type: "tokens", total: 20_000 } };
    expect(encode(read({ model: "claude-opus-4-8", output_config })).body["output_config"]).toEqual(output_config);
  });

  test("a server of the wire answers a codec of the wire", () => {
    const events = written((writer) => {
      writer.reasoning("Hm");
      writer.text("Hi");
      writer.call("0", { call_id: "a", name: "f" });
      writer.args("0", "{}");
    });
    const decoder = messagesCodec().createDecoder(testCtx());
    const again = told(events).flatMap((value) => decoder.push(value));
    expect(again.at(-1)).toMatchObject({
      type: "response.completed",
      response: { output: [{ type: "reasoning" }, { type: "message" }, { type: "function_call", call_id: "a" }] },
    });
  });
});
