import { describe, expect, test } from "vitest";
import { geminiCodec } from "../../../src/codecs/gemini/index.ts";
import { unseal } from "../../../src/codecs/shared/envelope.ts";
import { AntiphonError } from "../../../src/core/error.ts";
import { checkLifecycle } from "../../../src/core/lifecycle.ts";
import { finishReason, text, thinking } from "../../../src/core/views.ts";
import { isTerminal } from "../../../src/model/guards.ts";
import type { CreateResponse, Item, ResponseEvent, ResponseResource } from "../../../src/model/index.ts";
import { decodeBytes, decodeValues, foldLaw } from "../../../src/testing/laws.ts";
import { ctxFor } from "./support.ts";

const codec = geminiCodec();
const chunk = (parts: unknown[], candidate: object = {}, rest: object = {}): object => ({
  candidates: [{ content: { parts, role: "model" }, index: 0, ...candidate }],
  ...rest,
});
const stop = { finishReason: "STOP" };

function decode(
  values: unknown[],
  request: CreateResponse = {},
): { events: ResponseEvent[]; response: ResponseResource; items: Item[] } {
  const events = decodeValues(codec, ctxFor(request), values);
  expect(checkLifecycle(events)).toBeUndefined();
  expect(foldLaw(events)).toBeUndefined();
  const last = events.at(-1)!;
  if (!isTerminal(last)) throw new Error("The last event is not terminal.");
  return { events, response: last.response, items: last.response.output };
}
const types = (items: readonly Item[]): string[] => items.map(({ type }) => type);
const envelope = (item: Item | undefined): unknown => (item?.type === "reasoning" ? unseal(item.encrypted_content) : undefined);

describe("text", () => {
  test("V1 V2 V3 ID5 streams in one message, opened, closed and numbered", () => {
    const { events, response } = decode([chunk([{ text: "Hel" }]), chunk([{ text: "lo" }], stop)]);
    expect(events.map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(text(response)).toBe("Hello");
  });

  test("V8 empty and role-only chunks say nothing, and open nothing", () => {
    const { items } = decode([
      chunk([]),
      { candidates: [{ content: { role: "model" } }] },
      chunk([{ text: "" }]),
      chunk([{}], stop),
    ]);
    expect(items).toEqual([]);
  });

  test("V9 an empty answer is a whole response", () => {
    expect(decode([{ candidates: [{ finishReason: "STOP" }] }]).response).toMatchObject({ status: "completed", output: [] });
  });

  test("V11 several parts of a chunk, of several kinds, all count", () => {
    const { items } = decode([
      chunk(
        [
          { text: "Look: " },
          { functionCall: { name: "a", args: {} } },
          { inlineData: { mimeType: "image/png", data: "AAAA" } },
          { text: "Done." },
        ],
        stop,
      ),
    ]);
    expect(types(items)).toEqual(["message", "function_call", "image_generation_call", "message"]);
  });

  test("a list of chunks is a stream of them", () => {
    const { response } = decode([[chunk([{ text: "a" }]), chunk([{ text: "b" }], stop)]]);
    expect(text(response)).toBe("ab");
  });

  test("Q5 log probabilities stand with the text", () => {
    const logprobsResult = {
      chosenCandidates: [{ token: "Hi", tokenId: 1, logProbability: -0.1 }],
      topCandidates: [
        {
          candidates: [
            { token: "Hi", logProbability: -0.1 },
            { token: "Yo", logProbability: -2 },
          ],
        },
      ],
    };
    expect(decode([chunk([{ text: "Hi" }], { ...stop, logprobsResult })]).items[0]).toMatchObject({
      content: [{ logprobs: [{ token: "Hi", logprob: -0.1, top_logprobs: [{ token: "Hi" }, { token: "Yo", logprob: -2 }] }] }],
    });
  });

  test("only the first of several candidates counts, and the rest is reported", () => {
    const decoder = codec.createDecoder(ctxFor({}));
    decoder.push({
      candidates: [
        { index: 0, content: { parts: [{ text: "a" }] }, ...stop },
        { index: 1, content: { parts: [{ text: "b" }] } },
      ],
    });
    const last = decoder.end().at(-1);
    expect(last && isTerminal(last) && text(last.response)).toBe("a");
    expect(decoder.repairs).toEqual([{ rule: "candidate-ignored", count: 1 }]);
  });
});

describe("the response", () => {
  test("ID6 ID7 has the server's id under our prefix, its model and its time, from the first event on", () => {
    const { events, response } = decode([
      chunk([{ text: "a" }], {}, { responseId: "abc", modelVersion: "gemini-9", createTime: "2026-01-02T03:04:05.6Z" }),
      chunk([{ text: "b" }], stop, { responseId: "abc" }),
    ]);
    expect(response).toMatchObject({ id: "resp_abc", model: "gemini-9", created_at: 1_767_323_045 });
    const ids = events.flatMap((event) => ("response" in event ? [(event.response as ResponseResource).id] : []));
    expect(new Set(ids)).toEqual(new Set(["resp_abc"]));
  });

  test("makes an id where the server gives none", () => {
    expect(decode([chunk([{ text: "a" }], stop)]).response.id).toBe("resp_1");
  });

  test("U3 U4 U6 counts thoughts as output and what tools read as input, by the last report", () => {
    const first = { usageMetadata: { promptTokenCount: 10, totalTokenCount: 10 } };
    const last = {
      promptTokenCount: 30,
      toolUsePromptTokenCount: 5,
      cachedContentTokenCount: 8,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 7,
      totalTokenCount: 62,
      serviceTier: "standard",
    };
    const { events, response } = decode([
      chunk([{ text: "a" }], {}, first),
      chunk([{ text: "b" }], stop, { usageMetadata: last }),
    ]);
    expect(response.usage).toEqual({
      input_tokens: 35,
      output_tokens: 27,
      total_tokens: 62,
      input_tokens_details: { cached_tokens: 8 },
      output_tokens_details: { reasoning_tokens: 7 },
    });
    expect(response.service_tier).toBe("default");
    expect(events[0]).toMatchObject({ type: "response.created", response: { usage: null } });
  });

  test("U5 a report without counts changes nothing, and details are always there", () => {
    const { response } = decode([
      chunk([{ text: "a" }], {}, { usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 } }),
      chunk([{ text: "b" }], stop, { usageMetadata: { trafficType: "ON_DEMAND" } }),
    ]);
    expect(response.usage).toMatchObject({ input_tokens: 3, output_tokens: 0, output_tokens_details: { reasoning_tokens: 0 } });
  });

  test("E5 a usage report after the finish reason still counts", () => {
    const { response } = decode([
      chunk([{ text: "a" }], stop),
      { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 } },
    ]);
    expect(response).toMatchObject({ status: "completed", usage: { total_tokens: 7 } });
  });
});

describe("calls", () => {
  test("V4 V6 E2 ID4 come whole, several at once, with made-up ids where the model gives none; the answer ends for tool calls", () => {
    const { events, response, items } = decode([
      chunk([{ functionCall: { name: "a", args: { x: 1 } } }, { functionCall: { id: "own", name: "b" } }], {
        ...stop,
        finishMessage: "Model generated function call(s).",
      }),
    ]);
    expect(items).toMatchObject([
      { type: "function_call", call_id: "call_2", name: "a", arguments: '{"x":1}', status: "completed" },
      { type: "function_call", call_id: "own", name: "b", arguments: "{}", status: "completed" },
    ]);
    expect(finishReason(response)).toBe("tool_calls");
    expect(events.filter(({ type }) => type === "response.function_call_arguments.done")).toHaveLength(2);
  });

  test("V5 text, a call and text again are three items", () => {
    const { items } = decode([chunk([{ text: "a" }]), chunk([{ functionCall: { name: "f" } }]), chunk([{ text: "b" }], stop)]);
    expect(types(items)).toEqual(["message", "function_call", "message"]);
  });

  test("T5 T6 unwraps free-form calls and splits flat names", () => {
    const { items } = decode(
      [
        chunk(
          [{ functionCall: { name: "patch", args: { input: "+é\n" } } }, { functionCall: { name: "mail__send", args: {} } }],
          stop,
        ),
      ],
      {
        tools: [
          { type: "custom", name: "patch" },
          { type: "namespace", name: "mail", tools: [{ type: "function", name: "send" }] },
        ],
      },
    );
    expect(items).toMatchObject([
      { type: "custom_tool_call", name: "patch", input: "+é\n" },
      { type: "function_call", name: "send", namespace: "mail" },
    ]);
  });

  test("J2 J3 the hidden function's arguments are the answer's text, and the answer just stops", () => {
    const request: CreateResponse = {
      model: "gemini-2.5-flash",
      tools: [{ type: "function", name: "look" }],
      text: { format: { type: "json_schema", name: "thing", schema: { type: "object", properties: {} } } },
    };
    const { response, items } = decode(
      [chunk([{ functionCall: { name: "thing", args: { a: 1 } }, thoughtSignature: "S" }], stop)],
      request,
    );
    expect(types(items)).toEqual(["message"]);
    expect(text(response)).toBe('{"a":1}');
    expect(finishReason(response)).toBe("stop");
  });

  test("puts together arguments that come value by value", () => {
    const part = (functionCall: object): object => chunk([{ functionCall }]);
    const { items } = decode([
      part({ name: "f", id: "c1", willContinue: true }),
      part({ partialArgs: [{ jsonPath: "$.city", stringValue: "Os", willContinue: true }], willContinue: true }),
      part({
        partialArgs: [
          { jsonPath: "$.city", stringValue: "lo" },
          { jsonPath: "$.days[0].hot", boolValue: true },
        ],
        willContinue: true,
      }),
      part({
        partialArgs: [
          { jsonPath: "$.days[1]", numberValue: 2 },
          { jsonPath: "$['a b']", nullValue: "NULL_VALUE" },
        ],
        willContinue: true,
      }),
      part({ partialArgs: [{ jsonPath: "$.__proto__.evil", stringValue: "x" }], willContinue: true }),
      part({}),
      chunk([{ text: "." }], stop),
    ]);
    expect(items).toMatchObject([{ type: "function_call", call_id: "c1", name: "f" }, { type: "message" }]);
    const { arguments: json } = items[0] as { arguments: string };
    expect(json).toBe('{"city":"Oslo","days":[{"hot":true},2],"a b":null,"__proto__":{"evil":"x"}}');
    expect(Reflect.get({}, "evil")).toBeUndefined();
  });

  test("B3 never tells a call of which only a piece came", () => {
    const { items, response } = decode([
      chunk([{ functionCall: { name: "f", willContinue: true } }]),
      { candidates: [{ finishReason: "MAX_TOKENS" }] },
    ]);
    expect(items).toEqual([]);
    expect(response.status).toBe("incomplete");
  });
});

describe("thoughts", () => {
  test("Z2 Z3 are summaries, one paragraph whatever the chunks, and never text", () => {
    const { events, response, items } = decode([
      chunk([{ text: "**Plan**\n", thought: true }]),
      chunk([{ text: "Think.", thought: true }]),
      chunk([{ text: "Yes." }], stop),
    ]);
    expect(types(items)).toEqual(["reasoning", "message"]);
    expect(items[0]).toMatchObject({ summary: [{ type: "summary_text", text: "**Plan**\nThink." }] });
    expect(envelope(items[0])).toEqual({ wire: "gemini", kind: "thought", data: "" });
    expect([thinking(response), text(response)]).toEqual(["**Plan**\nThink.", "Yes."]);
    expect(events.filter(({ type }) => type === "response.reasoning_summary_text.delta")).toHaveLength(2);
  });

  test("Z6 a signature on a call stands right before it, with the thought that led to it", () => {
    const { items } = decode([
      chunk([{ text: "Look it up.", thought: true }]),
      chunk([{ functionCall: { name: "f" }, thoughtSignature: "a+/=" }, { functionCall: { name: "g" } }], stop),
    ]);
    expect(types(items)).toEqual(["reasoning", "function_call", "function_call"]);
    expect(items[0]).toMatchObject({ summary: [{ text: "Look it up." }] });
    expect(envelope(items[0])).toEqual({ wire: "gemini", kind: "call", data: "a+/=" });
  });

  test("Z6 a signature on text, on an empty part or on a thought is kept with what it sat on", () => {
    const { items } = decode([
      chunk([{ text: "Hm.", thought: true, thoughtSignature: "T" }]),
      chunk([{ text: "The ", thoughtSignature: "X" }]),
      chunk([{ text: "end" }]),
      chunk([{ text: "", thoughtSignature: "P" }], stop),
    ]);
    expect(types(items)).toEqual(["reasoning", "reasoning", "message", "reasoning"]);
    expect([0, 1, 3].map((index) => envelope(items[index]))).toEqual([
      { wire: "gemini", kind: "thought", data: "T" },
      { wire: "gemini", kind: "text", data: "X" },
      { wire: "gemini", kind: "part", data: "P" },
    ]);
    expect(items[2]).toMatchObject({ content: [{ text: "The end" }] });
  });

  test("Z6 the signature alone does not make a thought", () => {
    expect(text(decode([chunk([{ text: "Said.", thoughtSignature: "X" }], stop)]).response)).toBe("Said.");
  });

  test("Z6 text after a signature of its own is another message", () => {
    const { items } = decode([chunk([{ text: "a" }, { text: "", thoughtSignature: "P" }, { text: "b" }], stop)]);
    expect(types(items)).toEqual(["message", "reasoning", "message"]);
  });

  test("Z6 goes back as it came", () => {
    const parts = [
      { text: "Plan.", thought: true },
      { functionCall: { id: "c", name: "f", args: { x: 1 } }, thoughtSignature: "S1" },
      { functionCall: { id: "d", name: "g", args: {} } },
    ];
    const { items } = decode([chunk(parts, stop)]);
    const results = ["c", "d"].map((call_id) => ({ type: "function_call_output" as const, call_id, output: "1" }));
    const { body, losses } = codec.encodeRequest(ctxFor({ input: [{ role: "user", content: "Hi" }, ...items, ...results] }));
    expect((body as { contents: { parts: unknown }[] }).contents[1]?.parts).toEqual(parts);
    expect(losses).toEqual([]);
  });
});

describe("what else a model makes", () => {
  test("D9 code and its result are one call of the interpreter, pictures among its outputs", () => {
    const { events, items } = decode([
      chunk([{ executableCode: { language: "PYTHON", code: "plot()", id: "x1" }, thoughtSignature: "C" }]),
      chunk([{ codeExecutionResult: { outcome: "OUTCOME_OK", output: "ok\n", id: "x1" } }]),
      chunk([{ inlineData: { mimeType: "image/png", data: "AAAA" } }]),
      chunk([{ text: "See." }], stop),
    ]);
    expect(types(items)).toEqual(["reasoning", "code_interpreter_call", "message"]);
    expect(items[1]).toMatchObject({
      id: "ci_x1",
      code: "plot()",
      status: "completed",
      outputs: [
        { type: "logs", logs: "ok\n" },
        { type: "image", url: "data:image/png;base64,AAAA" },
      ],
    });
    expect(events.map(({ type }) => type)).toContain("response.code_interpreter_call_code.done");
    expect(events.map(({ type }) => type)).toContain("response.code_interpreter_call.interpreting");
  });

  test("code that failed is a failed call, code without a result a call without outputs", () => {
    const { items } = decode([
      chunk(
        [
          { executableCode: { code: "1/0" } },
          { codeExecutionResult: { outcome: "OUTCOME_FAILED", output: "ZeroDivisionError" } },
          { executableCode: { code: "2" } },
        ],
        stop,
      ),
    ]);
    expect(items).toMatchObject([
      { type: "code_interpreter_call", status: "failed", outputs: [{ logs: "ZeroDivisionError" }] },
      { type: "code_interpreter_call", status: "completed", outputs: null },
    ]);
  });

  test("F4 a picture is an image generation call with its result", () => {
    expect(decode([chunk([{ inlineData: { mimeType: "image/webp", data: "AAAA" } }], stop)]).items).toMatchObject([
      { type: "image_generation_call", status: "completed", result: "AAAA", output_format: "webp" },
    ]);
  });

  test("a picture that is a thought is no deliverable", () => {
    expect(decode([chunk([{ inlineData: { mimeType: "image/png", data: "AAAA" }, thought: true }], stop)]).items).toMatchObject([
      { type: "google:media", thought: true, data: "AAAA" },
    ]);
  });

  test("F3 pieces of sound are one recording", () => {
    const piece = (bytes: string): object => ({ inlineData: { mimeType: "audio/L16;rate=24000", data: btoa(bytes) } });
    expect(decode([chunk([piece("ab")]), chunk([piece("cdef")]), chunk([piece("g")], stop)]).items).toMatchObject([
      { type: "google:media", status: "completed", mime_type: "audio/L16;rate=24000", data: btoa("abcdefg") },
    ]);
  });

  test("a call of an MCP server is told with its answer, and is not the caller's to answer", () => {
    const { response, items } = decode(
      [
        chunk([{ functionCall: { name: "docs_read_page", args: { p: 1 } } }], stop),
        chunk([{ functionResponse: { name: "docs_read_page", response: { result: "text", more: 1 } } }]),
        chunk([{ text: "It says." }], stop),
      ],
      { tools: [{ type: "mcp", server_label: "docs", server_url: "https://m.example" }] },
    );
    expect(items).toMatchObject([
      { type: "mcp_call", server_label: "docs", name: "read_page", arguments: '{"p":1}', output: "text" },
      { type: "message" },
    ]);
    expect(finishReason(response)).toBe("stop");
  });

  test("D9 a search that the server shows is told at once, and its parts are kept", () => {
    const call = { toolCall: { id: "s", toolType: "GOOGLE_SEARCH_WEB", args: { queries: ["a", "b"] } }, thoughtSignature: "S" };
    const { items } = decode([
      chunk([call]),
      chunk([{ toolResponse: { id: "s", response: {} } }, { text: "x" }], {
        ...stop,
        groundingMetadata: { webSearchQueries: ["a", "b"] },
      }),
    ]);
    expect(types(items)).toEqual(["reasoning", "web_search_call", "reasoning", "message"]);
    expect(items[1]).toMatchObject({ action: { type: "search", queries: ["a", "b"] } });
    expect(envelope(items[0])).toEqual({ wire: "gemini", kind: "tool", data: JSON.stringify(call) });
  });

  test("M14 a part of a kind that nobody knows is kept as it is", () => {
    expect(decode([chunk([{ hologram: { x: 1 }, thoughtSignature: "S" }], stop)]).items).toMatchObject([
      { type: "google:part", part: { hologram: { x: 1 }, thoughtSignature: "S" } },
    ]);
  });
});

describe("the end", () => {
  test.each([
    ["STOP", "completed", null],
    ["MAX_TOKENS", "incomplete", "max_output_tokens"],
    ["SAFETY", "incomplete", "content_filter"],
    ["RECITATION", "incomplete", "content_filter"],
    ["LANGUAGE", "incomplete", "content_filter"],
    ["BLOCKLIST", "incomplete", "content_filter"],
    ["PROHIBITED_CONTENT", "incomplete", "content_filter"],
    ["SPII", "incomplete", "content_filter"],
    ["MODEL_ARMOR", "incomplete", "content_filter"],
    ["IMAGE_SAFETY", "incomplete", "content_filter"],
    ["IMAGE_PROHIBITED_CONTENT", "incomplete", "content_filter"],
    ["IMAGE_RECITATION", "incomplete", "content_filter"],
    ["SOMETHING_NEW", "incomplete", "something_new"],
    [2, "incomplete", "max_output_tokens"],
  ])("E1 E3 %s is %s", (reason, status, why) => {
    const { response } = decode([chunk([{ text: "Par" }], { finishReason: reason })]);
    expect(response.status).toBe(status);
    expect(response.incomplete_details?.reason ?? null).toBe(why);
    expect(response.output).toMatchObject([{ status, content: [{ text: "Par" }] }]);
  });

  test.each([
    "OTHER",
    "IMAGE_OTHER",
    "NO_IMAGE",
    "MALFORMED_FUNCTION_CALL",
    "MALFORMED_RESPONSE",
    "UNEXPECTED_TOOL_CALL",
    "TOO_MANY_TOOL_CALLS",
    "MISSING_THOUGHT_SIGNATURE",
  ])("E1 E11 %s is a failure that keeps what came, and its usage", (reason) => {
    const usageMetadata = { promptTokenCount: 3, totalTokenCount: 3 };
    const { response } = decode([chunk([{ text: "Par" }], { finishReason: reason, finishMessage: "Why." }, { usageMetadata })]);
    expect(response).toMatchObject({
      status: "failed",
      error: { code: reason.toLowerCase(), message: "Why." },
      usage: { input_tokens: 3 },
      output: [{ content: [{ text: "Par" }] }],
    });
  });

  test("T15 a call that was not offered is a call all the same", () => {
    const { response } = decode([chunk([{ functionCall: { name: "gone" } }], { finishReason: "UNEXPECTED_TOOL_CALL" })]);
    expect(finishReason(response)).toBe("tool_calls");
  });

  test("E1 a blocked prompt is an answer that was filtered", () => {
    expect(decode([{ promptFeedback: { blockReason: "SAFETY" } }]).response).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "content_filter" },
      output: [],
    });
  });

  test("E6 a stream that just stops is truncated, with what had come", () => {
    const { response } = decode([chunk([{ text: "Par" }]), { usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 } }]);
    expect(response).toMatchObject({
      status: "failed",
      error: { code: "truncated" },
      usage: { input_tokens: 3 },
      output: [{ status: "incomplete", content: [{ text: "Par" }] }],
    });
  });

  test("E3 E6 an answer that is cut off in a thought, a recording or code keeps what had come, as incomplete", () => {
    const sound = { inlineData: { mimeType: "audio/wav", data: "UklG" } };
    for (const end of [[], [{ candidates: [{ finishReason: "MAX_TOKENS" }] }]]) {
      const thought = decode([chunk([{ text: "Hm", thought: true }]), ...end]).items[0];
      expect(thought).toMatchObject({ status: "incomplete", summary: [{ text: "Hm" }] });
      expect(envelope(thought)).toEqual({ wire: "gemini", kind: "thought", data: "" });
      expect(decode([chunk([sound]), ...end]).items).toMatchObject([{ status: "incomplete", data: "UklG" }]);
      expect(decode([chunk([{ executableCode: { code: "1" } }]), ...end]).items).toMatchObject([
        { status: "incomplete", code: "1" },
      ]);
    }
  });

  test("E5 a finish reason that more content follows was not the last word", () => {
    expect(decode([chunk([{ text: "a" }], stop), chunk([{ text: "b" }])]).response.error?.code).toBe("truncated");
    expect(decode([chunk([{ text: "a" }], stop), chunk([{ text: "b" }], stop)]).response.status).toBe("completed");
    expect(decode([chunk([{ text: "a" }], stop), chunk([], { finishReason: null })]).response.status).toBe("completed");
  });

  test("E7 an error in the stream fails the response, under a code that can be read back", () => {
    const error = {
      code: 429,
      message: "Slow down.",
      status: "RESOURCE_EXHAUSTED",
      details: [{ violations: [{ quotaId: "GenerateContentInputTokensPerModelPerMinute" }] }],
    };
    const { response } = decode([chunk([{ text: "Par" }]), { error }, chunk([{ text: "more" }], stop)]);
    expect(response).toMatchObject({
      status: "failed",
      error: { code: "token_rate_limit", message: "Slow down." },
      output: [{ content: [{ text: "Par" }] }],
    });
  });

  test("E7 an error that stands bare behind the events is read, whatever the finish reason before it", () => {
    const error = { error: { code: 503, message: "Busy.", status: "UNAVAILABLE" } };
    const stream = `data: ${JSON.stringify(chunk([{ text: "Par" }], stop))}\r\n\r\n${JSON.stringify(error, null, 2)}\r\n`;
    const last = decodeBytes(codec, ctxFor({}), [new TextEncoder().encode(stream)]).at(-1);
    expect(last).toMatchObject({ type: "response.failed", response: { error: { code: "server_overloaded", message: "Busy." } } });
  });

  test("V10 values that are no chunks are passed over, and reported", () => {
    const decoder = codec.createDecoder(ctxFor({}));
    for (const value of [null, 3, { hello: 1 }, chunk([{ text: "a" }], stop)]) decoder.push(value);
    expect(decoder.end().at(-1)?.type).toBe("response.completed");
    expect(decoder.repairs).toEqual([{ rule: "not-a-chunk", count: 3 }]);
  });

  test("a stop by the caller ends the response as cancelled, once", () => {
    const decoder = codec.createDecoder(ctxFor({}));
    decoder.push(chunk([{ text: "Par" }]));
    const events = decoder.fail(new AntiphonError("ABORTED", "Stopped."));
    expect(events.at(-1)).toMatchObject({
      type: "response.incomplete",
      response: { incomplete_details: { reason: "cancelled" } },
    });
    expect([
      ...decoder.fail(new AntiphonError("TIMEOUT", "Late.")),
      ...decoder.end(),
      ...decoder.push(chunk([{ text: "x" }])),
    ]).toEqual([]);
  });
});

describe("a plain answer", () => {
  test("E9 is the fold of its stream", () => {
    const parts = [
      { text: "Hm.", thought: true },
      { text: "Yes.", thoughtSignature: "X" },
    ];
    const answer = chunk(parts, stop, { responseId: "r", usageMetadata: { promptTokenCount: 1, totalTokenCount: 2 } });
    expect(codec.decodeResponse(ctxFor({}), answer)).toEqual(decode([answer]).response);
  });

  test("is complete without a finish reason, being whole, unless nothing came", () => {
    expect(codec.decodeResponse(ctxFor({}), chunk([{ text: "Yes." }])).status).toBe("completed");
    expect(codec.decodeResponse(ctxFor({}), { candidates: [{ content: {} }] })).toMatchObject({
      status: "failed",
      error: { code: "truncated" },
    });
  });

  test("a list of chunks is one answer", () => {
    expect(text(codec.decodeResponse(ctxFor({}), [chunk([{ text: "a" }]), chunk([{ text: "b" }], stop)]))).toBe("ab");
  });

  test("E8 an error in its place is thrown, and so is anything that is no answer", () => {
    expect(() => codec.decodeResponse(ctxFor({}), { error: { code: 503, status: "UNAVAILABLE", message: "Busy." } })).toThrow(
      "Busy.",
    );
    expect(() => codec.decodeResponse(ctxFor({}), { totalTokens: 3 })).toThrow(
      expect.objectContaining({ code: "PROTOCOL" }) as Error,
    );
  });
});
