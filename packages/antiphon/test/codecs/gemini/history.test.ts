import { describe, expect, test } from "vitest";
import { geminiCodec, type GeminiDialect } from "../../../src/codecs/gemini/index.ts";
import { seal } from "../../../src/codecs/shared/envelope.ts";
import { AntiphonError } from "../../../src/core/error.ts";
import type { CreateResponse, InputItem } from "../../../src/model/index.ts";
import { ctxFor } from "./support.ts";

const hi: InputItem = { role: "user", content: "Hi" };
const more: InputItem = { role: "user", content: "And?" };
const call = (call_id: string, name = "clock", args = "{}"): InputItem => ({
  type: "function_call",
  call_id,
  name,
  arguments: args,
});
const output = (call_id: string, text: string): InputItem => ({ type: "function_call_output", call_id, output: text });
const signed = (kind: string, data: string, ...summary: string[]): InputItem => ({
  type: "reasoning",
  summary: summary.map((text) => ({ type: "summary_text", text })),
  encrypted_content: seal({ wire: "gemini", kind, data }),
});

function contents(
  input: InputItem[],
  request: CreateResponse = {},
  dialect?: Partial<GeminiDialect>,
): { contents: { role: string; parts: unknown[] }[]; lost: string[] } {
  const { body, losses } = geminiCodec(dialect).encodeRequest(ctxFor({ model: "any-model", ...request, input }));
  return {
    contents: (body as { contents: { role: string; parts: unknown[] }[] }).contents,
    lost: losses.map(({ path }) => path),
  };
}
const modelParts = (...steps: InputItem[]): { parts: unknown[] | undefined; lost: string[] } => {
  const sent = contents([hi, ...steps, more]);
  return { parts: sent.contents.find(({ role }) => role === "model")?.parts, lost: sent.lost };
};

describe("calls and their results", () => {
  test("M1 M2 M4 ID1 stand in one turn, results in the next, in the order of the calls and under the calls' ids", () => {
    const sent = contents([
      hi,
      { role: "assistant", content: "Let me look." },
      { ...call("call_a", "clock", '{"zone":"Oslo"}'), id: "fc_1" },
      call("call_b", "weather"),
      output("call_b", "Sunny"),
      output("call_a", "12:00"),
      more,
    ]);
    expect(sent.contents).toEqual([
      { role: "user", parts: [{ text: "Hi" }] },
      {
        role: "model",
        parts: [
          { text: "Let me look." },
          { functionCall: { id: "call_a", name: "clock", args: { zone: "Oslo" } } },
          { functionCall: { id: "call_b", name: "weather", args: {} } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "call_a", name: "clock", response: { output: "12:00" } } },
          { functionResponse: { id: "call_b", name: "weather", response: { output: "Sunny" } } },
        ],
      },
      { role: "user", parts: [{ text: "And?" }] },
    ]);
    expect(sent.lost).toEqual([]);
  });

  test("M3 a message between a call and its result goes with the call", () => {
    const sent = contents([hi, call("a"), { role: "assistant", content: "Wait." }, output("a", "1"), more]);
    expect(sent.contents.map(({ role, parts }) => [role, parts.length])).toEqual([
      ["user", 1],
      ["model", 2],
      ["user", 1],
      ["user", 1],
    ]);
  });

  test("ID4 sends no ids in a dialect without them", () => {
    const sent = contents([hi, call("a"), output("a", "1")], {}, { callIds: false });
    expect(sent.contents.slice(1)).toEqual([
      { role: "model", parts: [{ functionCall: { name: "clock", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { name: "clock", response: { output: "1" } } }] },
    ]);
  });

  test("ID10 of two results of one call the last one counts, and ids that come again belong to their own turn", () => {
    const sent = contents([hi, call("a"), output("a", "old"), output("a", "new"), more, call("a"), output("a", "later")]);
    const answers = sent.contents
      .flatMap(({ parts }) => parts)
      .filter((part) => JSON.stringify(part).includes("functionResponse"));
    expect(answers).toMatchObject([
      { functionResponse: { response: { output: "new" } } },
      { functionResponse: { response: { output: "later" } } },
    ]);
  });

  test("M10 a call without a result gets a stand-in, a result without a call is refused", () => {
    expect(contents([hi, call("a"), more]).lost).toEqual(["input"]);
    expect(() => contents([hi, output("gone", "1")])).toThrow(AntiphonError);
  });

  test("T5 T6 free-form calls go as one string, calls of a namespace under their flat name, and so do their results", () => {
    const sent = contents(
      [
        hi,
        { type: "custom_tool_call", call_id: "a", name: "patch", input: "+x" },
        { type: "function_call", call_id: "b", name: "send", namespace: "mail", arguments: "{}" },
        { type: "custom_tool_call_output", call_id: "a", output: "ok" },
        output("b", "sent"),
      ],
      {
        tools: [
          { type: "custom", name: "patch" },
          { type: "namespace", name: "mail", tools: [{ type: "function", name: "send" }] },
        ],
      },
    );
    expect(sent.contents.slice(1)).toMatchObject([
      { parts: [{ functionCall: { name: "patch", args: { input: "+x" } } }, { functionCall: { name: "mail__send" } }] },
      { parts: [{ functionResponse: { name: "patch" } }, { functionResponse: { name: "mail__send" } }] },
    ]);
  });

  test.each([
    ["", {}, []],
    [" ", {}, []],
    ['{"b":1,"a":"é"}', { b: 1, a: "é" }, []],
    ["[1]", { arguments: [1] }, ["input"]],
    ['{"a":', { arguments: '{"a":' }, ["input"]],
  ])("T11 takes the arguments %j", (json, args, lost) => {
    const sent = contents([hi, call("a", "clock", json), output("a", "1")]);
    expect(sent.contents[1]?.parts).toEqual([{ functionCall: { id: "a", name: "clock", args } }]);
    expect(sent.lost).toEqual(lost);
  });

  test.each([
    ["plain text", "21 °C", { output: "21 °C" }],
    ["an object", '{"a":1,"b":[2]}', { a: 1, b: [2] }],
    ["a list", "[1,2]", { output: [1, 2] }],
    ["an object that looks like a wrapper", '{"output":"x"}', { output: { output: "x" } }],
    ["an object that would not survive", '{"id":12345678901234567890}', { output: '{"id":12345678901234567890}' }],
    ["spaced JSON", '{ "a": 1 }', { output: '{ "a": 1 }' }],
    ["a number", "42", { output: "42" }],
    ["nothing", "", { output: "" }],
  ])("T12 wraps %s into an object", (_, text, response) => {
    const sent = contents([hi, call("a"), output("a", text)]);
    expect(sent.contents[2]?.parts).toEqual([{ functionResponse: { id: "a", name: "clock", response } }]);
  });

  test("T10 says a failed result as an error", () => {
    const sent = contents([
      hi,
      call("a"),
      { type: "function_call_output", call_id: "a", output: "Broken.", status: "incomplete" },
    ]);
    expect(sent.contents[2]?.parts).toMatchObject([{ functionResponse: { response: { error: "Broken." } } }]);
  });

  const pictured: InputItem = {
    type: "function_call_output",
    call_id: "a",
    output: [
      { type: "input_text", text: "A map: " },
      { type: "input_image", image_url: "data:image/png;base64,AAAA" },
      { type: "input_text", text: "done" },
    ],
  };

  test("T9 B7 puts media into the result where the model takes them there", () => {
    const sent = contents([hi, call("a"), pictured]);
    expect(sent.contents[2]?.parts).toEqual([
      {
        functionResponse: {
          id: "a",
          name: "clock",
          response: { output: "A map: done" },
          parts: [{ inlineData: { mimeType: "image/png", data: "AAAA" } }],
        },
      },
    ]);
    expect(sent.lost).toEqual([]);
  });

  test("T9 B7 lets media follow in a user message elsewhere, and declares it", () => {
    const sent = contents([hi, call("a"), pictured, more], { model: "gemini-2.5-flash" });
    expect(sent.contents.slice(2)).toEqual([
      { role: "user", parts: [{ functionResponse: { id: "a", name: "clock", response: { output: "A map: done" } } }] },
      {
        role: "user",
        parts: [
          { text: "The function clock also returned:" },
          { inlineData: { mimeType: "image/png", data: "AAAA" } },
          { text: "And?" },
        ],
      },
    ]);
    expect(sent.lost).toEqual(["input[2].output"]);
  });
});

describe("thoughts and signatures", () => {
  test("Z6 a signature returns to the byte on the call that it came on, and on no other", () => {
    const sent = modelParts(signed("call", "S/1+=", "I should look."), call("a"), call("b"), output("a", "1"), output("b", "2"));
    expect(sent.parts).toEqual([
      { text: "I should look.", thought: true },
      { functionCall: { id: "a", name: "clock", args: {} }, thoughtSignature: "S/1+=" },
      { functionCall: { id: "b", name: "clock", args: {} } },
    ]);
    expect(sent.lost).toEqual([]);
  });

  test("Z6 signatures return to text, to a thought and to an empty part of their own", () => {
    const sent = modelParts(
      signed("thought", "T", "Hm."),
      signed("text", "X"),
      {
        role: "assistant",
        content: [
          { type: "output_text", text: "One." },
          { type: "output_text", text: "Two." },
        ],
      },
      signed("part", "P"),
    );
    expect(sent.parts).toEqual([
      { text: "Hm.", thought: true, thoughtSignature: "T" },
      { text: "One.", thoughtSignature: "X" },
      { text: "Two." },
      { text: "", thoughtSignature: "P" },
    ]);
  });

  test("Z6 a thought without a signature goes back as a thought", () => {
    expect(modelParts(signed("thought", "", "Hm."), { role: "assistant", content: "Yes." })).toEqual({
      parts: [{ text: "Hm.", thought: true }, { text: "Yes." }],
      lost: [],
    });
  });

  test("Z6 a signature whose part is gone is declared, not put on another", () => {
    const sent = modelParts(signed("call", "S"), { role: "assistant", content: "Yes." }, signed("text", "X"));
    expect(sent).toEqual({ parts: [{ text: "Yes." }], lost: ["input[1]", "input[3]"] });
  });

  test.each([
    ["another wire's envelope", seal({ wire: "messages", kind: "signature", data: "s" })],
    ["a provider's own blob", "gAAAAA"],
    ["no blob at all", undefined],
  ])("Z7 Z9 drops reasoning with %s, and declares it", (_, encrypted_content) => {
    const foreign: InputItem = {
      type: "reasoning",
      id: "rs_1",
      summary: [{ type: "summary_text", text: "Hm." }],
      encrypted_content,
    };
    expect(modelParts(foreign, { role: "assistant", content: "Yes." })).toEqual({
      parts: [{ text: "Yes." }],
      lost: ["input[1]"],
    });
  });

  test("Z11 reasoning that nothing follows is no turn of its own", () => {
    const sent = contents([hi, signed("call", "S")]);
    expect(sent).toEqual({ contents: [{ role: "user", parts: [{ text: "Hi" }] }], lost: ["input[1]"] });
  });

  test("Z6 a stand-in signs the first call of a turn that has none, only for models that the dialect says demand one", () => {
    const input = [
      hi,
      call("a"),
      call("b"),
      output("a", "1"),
      output("b", "2"),
      signed("call", "S"),
      call("c"),
      output("c", "3"),
    ];
    const signatures = (model: string, dialect?: Partial<GeminiDialect>): unknown[] =>
      contents(input, { model }, dialect)
        .contents.flatMap(({ parts }) => parts as { functionCall?: object; thoughtSignature?: string }[])
        .filter(({ functionCall }) => functionCall)
        .map(({ thoughtSignature }) => thoughtSignature);
    expect(signatures("gemini-3-flash-preview")).toEqual(["skip_thought_signature_validator", undefined, "S"]);
    expect(signatures("gemini-2.5-flash")).toEqual([undefined, undefined, "S"]);
    expect(signatures("gemini-3-flash-preview", { families: [{ match: /gemini-3/, dummySignature: undefined }] })).toEqual([
      undefined,
      undefined,
      "S",
    ]);
  });
});

describe("what the server's own tools did", () => {
  test("M15 code goes back with its result and its pictures, signed", () => {
    const sent = modelParts(signed("code", "C"), {
      type: "code_interpreter_call",
      id: "ci_8x",
      status: "completed",
      container_id: "",
      code: "plot()",
      outputs: [
        { type: "logs", logs: "ok\n" },
        { type: "image", url: "data:image/png;base64,AAAA" },
      ],
    });
    expect(sent.parts).toEqual([
      { executableCode: { id: "8x", language: "PYTHON", code: "plot()" }, thoughtSignature: "C" },
      { codeExecutionResult: { id: "8x", outcome: "OUTCOME_OK", output: "ok\n" } },
      { inlineData: { mimeType: "image/png", data: "AAAA" } },
    ]);
  });

  test("F4 M15 pictures, sounds and unknown parts go back as they came", () => {
    const sent = modelParts(
      signed("media", "M"),
      { type: "image_generation_call", id: "ig_1", status: "completed", result: "AAAA", output_format: "webp" },
      { type: "google:media", id: "media_1", status: "completed", mime_type: "audio/wav", data: "UklG" },
      { type: "google:part", id: "part_1", status: "completed", part: { future: { x: 1 } } },
    );
    expect(sent).toEqual({
      parts: [
        { inlineData: { mimeType: "image/webp", data: "AAAA" }, thoughtSignature: "M" },
        { inlineData: { mimeType: "audio/wav", data: "UklG" } },
        { future: { x: 1 } },
      ],
      lost: [],
    });
  });

  test("M15 a search that the server showed goes back as its parts, once", () => {
    const shown = { toolCall: { id: "s", toolType: "GOOGLE_SEARCH_WEB", args: { queries: ["x"] } }, thoughtSignature: "S1" };
    const answer = { toolResponse: { id: "s", toolType: "GOOGLE_SEARCH_WEB", response: {} }, thoughtSignature: "S2" };
    const sent = modelParts(
      signed("tool", JSON.stringify(shown)),
      { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } },
      signed("tool", JSON.stringify(answer)),
      { role: "assistant", content: "Found." },
    );
    expect(sent).toEqual({ parts: [shown, answer, { text: "Found." }], lost: [] });
  });

  test("M15 calls of MCP servers go back in the model's own turn", () => {
    const sent = modelParts({
      type: "mcp_call",
      id: "mcp_1",
      server_label: "docs",
      name: "read",
      arguments: '{"a":1}',
      output: "text",
    });
    expect(sent.parts).toEqual([
      { functionCall: { name: "docs_read", args: { a: 1 } } },
      { functionResponse: { name: "docs_read", response: { result: "text" } } },
    ]);
  });
});
