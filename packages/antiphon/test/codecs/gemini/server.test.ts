import { describe, expect, test } from "vitest";
import { geminiCodec, geminiRoute, geminiServer } from "../../../src/codecs/gemini/index.ts";
import { seal } from "../../../src/codecs/shared/envelope.ts";
import { blankResponse } from "../../../src/core/blank-response.ts";
import { AntiphonError } from "../../../src/core/error.ts";
import { expand } from "../../../src/core/expand.ts";
import { Writer } from "../../../src/core/writer.ts";
import type { CreateResponse, Item, ResponseResource } from "../../../src/model/index.ts";
import { ctxFor } from "./support.ts";

const server = geminiServer();
const hi = [{ role: "user", parts: [{ text: "Hi" }] }];
const refusal = (body: unknown): AntiphonError => {
  try {
    server.decodeRequest(body);
  } catch (error) {
    if (error instanceof AntiphonError) return error;
  }
  throw new Error("Nothing was thrown.");
};

describe("the route", () => {
  test.each([
    ["/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse", { model: "gemini-2.5-flash", stream: true }],
    ["/v1beta/models/gemini-2.5-flash:generateContent", { model: "gemini-2.5-flash", stream: false }],
    [
      "/v1/projects/p/locations/l/publishers/google/models/gemini-3-pro:generateContent",
      { model: "gemini-3-pro", stream: false },
    ],
    ["/v1beta/tunedModels/mine:generateContent", { model: "tunedModels/mine", stream: false }],
    ["/models/openai%2Fgpt-5.2:generateContent", { model: "openai/gpt-5.2", stream: false }],
    ["/v1beta/models/gemini-2.5-flash:countTokens", undefined],
    ["/v1beta/models/gemini-2.5-flash:toString", undefined],
    ["/v1beta/models", undefined],
    ["/v1/responses", undefined],
  ])("%s", (path, route) => {
    expect(geminiRoute(path)).toEqual(route);
  });
});

describe("a request", () => {
  test("is read with the model and the method that its URL told", () => {
    expect(server.decodeRequest({ contents: hi, model: "models/gemini-2.5-flash", stream: true })).toEqual({
      model: "gemini-2.5-flash",
      stream: true,
      input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Hi" }] }],
    });
  });

  test("is read in either spelling, with lone values in the place of lists", () => {
    expect(
      server.decodeRequest({
        contents: { parts: { text: "Hi" } },
        system_instruction: { parts: { text: "Be brief." } },
        generation_config: { max_output_tokens: 5, response_mime_type: "application/json" },
        tools: { function_declarations: [{ name: "f", parameters: { type: "OBJECT", properties: { a: { type: "STRING" } } } }] },
        tool_config: { function_calling_config: { mode: "ANY", allowed_function_names: ["f"] } },
      }),
    ).toEqual({
      instructions: "Be brief.",
      input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Hi" }] }],
      max_output_tokens: 5,
      text: { format: { type: "json_object" } },
      tools: [{ type: "function", name: "f", parameters: { type: "object", properties: { a: { type: "string" } } } }],
      tool_choice: { type: "function", name: "f" },
    });
  });

  test("keeps what we have no words for, under its maker's prefix", () => {
    const request = server.decodeRequest({
      contents: hi,
      cachedContent: "cachedContents/1",
      generationConfig: { topK: 40, temperature: 1, thinkingConfig: { thinkingBudget: 2000, includeThoughts: true } },
      toolConfig: { retrievalConfig: { languageCode: "de" } },
      tools: [{ urlContext: {} }, { googleSearch: { timeRangeFilter: {} } }],
    });
    expect(request).toMatchObject({
      temperature: 1,
      reasoning: { effort: "medium", summary: "auto" },
      tools: [{ type: "google:urlContext" }, { type: "google:googleSearch", timeRangeFilter: {} }],
      "google:cachedContent": "cachedContents/1",
      "google:generationConfig": { topK: 40, thinkingConfig: { thinkingBudget: 2000 } },
      "google:toolConfig": { retrievalConfig: { languageCode: "de" } },
    });
  });

  test("ID4 matches results with calls by name and order where there are no ids", () => {
    const call = (name: string): object => ({ functionCall: { name, args: {} } });
    const result = (name: string, output: string): object => ({ functionResponse: { name, response: { output } } });
    const { input } = server.decodeRequest({
      contents: [
        ...hi,
        { role: "model", parts: [call("a"), call("b"), call("a")] },
        { role: "user", parts: [result("b", "B"), result("a", "A1"), result("a", "A2")] },
      ],
    });
    const ids = new Map(
      (input as { type: string; call_id: string; output?: string; name?: string }[])
        .filter(({ type }) => type === "function_call_output")
        .map(({ call_id, output }) => [output, call_id]),
    );
    const calls = (input as { type: string; call_id: string }[])
      .filter(({ type }) => type === "function_call")
      .map(({ call_id }) => call_id);
    expect([ids.get("A1"), ids.get("B"), ids.get("A2")]).toEqual(calls);
    expect(new Set(calls).size).toBe(3);
  });

  test("is read as one answer where a client kept each chunk of it as a content of its own", () => {
    const kept = [
      [{ text: "Let me ", thought: true }],
      [{ text: "look.", thought: true }],
      [{ text: "It " }],
      [{ text: "is" }, { text: "!" }],
      [{ text: "" }],
    ];
    const { input } = server.decodeRequest({ contents: [...hi, ...kept.map((parts) => ({ role: "model", parts })), ...hi] });
    expect(input).toMatchObject([
      { role: "user" },
      { type: "reasoning", summary: [{ text: "Let me look." }] },
      { role: "assistant", content: [{ text: "It is" }, { text: "!" }] },
      { role: "user" },
    ]);
  });

  test.each([
    ["not an object", 3, undefined],
    ["no contents", { contents: [] }, "contents"],
    ["a content that is none", { contents: [3] }, "contents[0]"],
    ["an unknown role", { contents: [{ role: "robot", parts: [] }] }, "contents[0].role"],
    ["a part of no kind that a user may send", { contents: [{ parts: [{ executableCode: {} }] }] }, "contents[0].parts[0]"],
    [
      "a result that nothing waits for",
      { contents: [{ parts: [{ functionResponse: { name: "f", response: {} } }] }] },
      "contents[0].parts[0]",
    ],
    [
      "a call without a name",
      { contents: [{ role: "model", parts: [{ functionCall: {} }] }] },
      "contents[0].parts[0].functionCall.name",
    ],
    ["several candidates", { contents: hi, generationConfig: { candidateCount: 2 } }, "generationConfig.candidateCount"],
    [
      "a temperature that is no number",
      { contents: hi, generationConfig: { temperature: "hot" } },
      "generationConfig.temperature",
    ],
    ["a configuration that is no object", { contents: hi, generationConfig: 3 }, "generationConfig"],
    [
      "a function without a name",
      { contents: hi, tools: [{ functionDeclarations: [{}] }] },
      "tools[0].functionDeclarations[0].name",
    ],
    [
      "a choice of no function",
      { contents: hi, toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] } } },
      "toolConfig.functionCallingConfig.allowedFunctionNames",
    ],
  ])("Q10 is refused for %s", (_, body, param) => {
    const error = refusal(body);
    expect([error.code, error.param]).toEqual(["BAD_REQUEST", param]);
  });
});

const response = (output: Item[], fields: Partial<ResponseResource> = {}): ResponseResource => ({
  ...blankResponse("resp_1", 1_700_000_000, { model: "some-model" }),
  status: "completed",
  output,
  ...fields,
});
const message = (text: string): Item => ({
  type: "message",
  id: "msg_1",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});
const call: Item = {
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "clock",
  arguments: '{"zone":"Oslo"}',
  status: "completed",
};
const chunks = (whole: ResponseResource, request: CreateResponse = {}): unknown[] => {
  const encoder = server.createEncoder(request);
  return [...expand(whole).flatMap((event) => encoder.push(event)), ...encoder.end()];
};

describe("an answer", () => {
  test("streams as chunks that are whole answer objects, thoughts marked, calls in one piece, the end last", () => {
    const thought: Item = {
      type: "reasoning",
      id: "rs_1",
      status: "completed",
      summary: [{ type: "summary_text", text: "Hm." }],
      encrypted_content: seal({ wire: "gemini", kind: "call", data: "S" }),
    };
    const usage = {
      input_tokens: 5,
      output_tokens: 9,
      total_tokens: 14,
      input_tokens_details: { cached_tokens: 2 },
      output_tokens_details: { reasoning_tokens: 4 },
    };
    const fields = { modelVersion: "some-model", responseId: "1" };
    const parts = (...list: unknown[]): object => ({
      candidates: [{ content: { parts: list, role: "model" }, index: 0 }],
      ...fields,
    });
    expect(chunks(response([message("Wait."), thought, call], { usage }))).toEqual([
      parts({ text: "Wait." }),
      parts({ text: "Hm.", thought: true }),
      parts({ functionCall: { id: "call_1", name: "clock", args: { zone: "Oslo" } }, thoughtSignature: "S" }),
      {
        candidates: [{ content: { parts: [{ text: "" }], role: "model" }, finishReason: "STOP", index: 0 }],
        usageMetadata: {
          promptTokenCount: 5,
          cachedContentTokenCount: 2,
          candidatesTokenCount: 5,
          thoughtsTokenCount: 4,
          totalTokenCount: 14,
        },
        ...fields,
      },
    ]);
  });

  test("is one object where it is not streamed", () => {
    expect(server.encodeResponse(response([message("Wait."), call]))).toMatchObject({
      candidates: [
        {
          content: { parts: [{ text: "Wait." }, { functionCall: { name: "clock" } }], role: "model" },
          finishReason: "STOP",
          index: 0,
        },
      ],
      modelVersion: "some-model",
      responseId: "1",
    });
  });

  test("streams deltas as they come", () => {
    const writer = new Writer(ctxFor({}));
    const encoder = server.createEncoder({});
    const texts: unknown[] = [];
    for (const delta of ["a", "b", "c"]) {
      writer.text(delta);
      texts.push(...writer.drain().flatMap((event) => encoder.push(event)));
    }
    expect(JSON.stringify(texts).match(/"text":"."/g)).toEqual(['"text":"a"', '"text":"b"', '"text":"c"']);
  });

  test.each([
    ["max_output_tokens", "MAX_TOKENS"],
    ["content_filter", "SAFETY"],
    ["cancelled", "CANCELLED"],
  ])("that stopped for %s ends with %s", (reason, finishReason) => {
    const stopped = response([message("Par")], { status: "incomplete", incomplete_details: { reason } });
    expect(chunks(stopped).at(-1)).toMatchObject({ candidates: [{ finishReason }] });
  });

  test("E7 that failed ends with an error in the place of a chunk", () => {
    const failed = response([message("Par")], { status: "failed", error: { code: "server_is_overloaded", message: "Busy." } });
    const last = chunks(failed).at(-1);
    expect(last).toMatchObject({ error: { code: 503, status: "UNAVAILABLE", message: "Busy." } });
    expect(server.encodeFrame(last)).toMatch(/^data: \{"error":.*\}\r\n\r\n$/);
    expect(server.encodeResponse(failed)).toEqual(last);
  });

  test("V13 goes out as server-sent events, without a mark at the end", () => {
    expect(server.encodeFrame({ a: "é\n" })).toBe('data: {"a":"é\\n"}\r\n\r\n');
    expect(server.lastFrame).toBe("");
  });

  test("says a refusal as text and a free-form call as a function's", () => {
    const items: Item[] = [
      { type: "message", id: "m", status: "completed", role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
      { type: "custom_tool_call", id: "c", call_id: "call_2", name: "patch", input: "+x", status: "completed" },
    ];
    expect(chunks(response(items))).toMatchObject([
      { candidates: [{ content: { parts: [{ text: "No." }] } }] },
      { candidates: [{ content: { parts: [{ functionCall: { id: "call_2", name: "patch", args: { input: "+x" } } }] } }] },
      {},
    ]);
  });

  test.each(["null", "", '{"zone": "Os'])("says a call whose arguments are %j without any", (json) => {
    const call: Item = { type: "function_call", id: "f", call_id: "call_3", name: "clock", arguments: json, status: "completed" };
    expect(JSON.stringify(chunks(response([call]))[0])).toContain('{"id":"call_3","name":"clock","args":{}}');
  });

  test("shows calls of MCP servers only to clients that asked for them", () => {
    const items: Item[] = [{ type: "mcp_call", id: "m", server_label: "docs", name: "read", arguments: "{}", output: "text" }];
    expect(chunks(response(items))).toHaveLength(1);
    expect(chunks(response(items), { tools: [{ type: "mcp", server_label: "docs" }] })).toHaveLength(2);
  });
});

test("Z6 a word that stands in for a signature is none", () => {
  const part = { functionCall: { name: "f" }, thoughtSignature: "skip_thought_signature_validator" };
  const { input } = server.decodeRequest({ contents: [...hi, { role: "model", parts: [part] }] });
  expect((input as Item[]).map(({ type }) => type)).toEqual(["message", "function_call"]);
});

describe("Z7 ID8 reasoning of another wire", () => {
  const foreign: Item[] = [
    { type: "reasoning", id: "rs_a", summary: [{ type: "summary_text", text: "Hm, ünïcode." }], encrypted_content: "gAAAA_blob" },
    { type: "reasoning", id: "rs_b", summary: [], content: [{ type: "reasoning_text", text: "Raw." }] },
    { type: "reasoning", id: "rs_c", summary: [], encrypted_content: seal({ wire: "messages", kind: "signature", data: "x:y" }) },
  ];

  test.each(foreign.map((item) => [item.id, item] as const))(
    "%s comes back whole from a client that knows only signatures",
    (_, item) => {
      const answer = server.encodeResponse(response([item, call])) as { candidates: { content: object }[] };
      const contents = [
        ...hi,
        answer.candidates[0]!.content,
        { role: "user", parts: [{ functionResponse: { id: "call_1", name: "clock", response: { output: "12" } } }] },
      ];
      const { input } = server.decodeRequest({ contents });
      expect((input as unknown[])[1]).toEqual(item);
      expect((input as unknown[])[2]).toMatchObject({ type: "function_call", call_id: "call_1" });
    },
  );

  test("several in a row, and one that nothing follows, each have a part of their own", () => {
    const answer = server.encodeResponse(response([foreign[0]!, foreign[2]!, message("x"), foreign[1]!])) as {
      candidates: { content: object }[];
    };
    const { input } = server.decodeRequest({ contents: [...hi, answer.candidates[0]!.content, ...hi] });
    expect((input as Item[]).map(({ type, id }) => id ?? type)).toEqual([
      "message",
      "rs_a",
      "rs_c",
      "message",
      "rs_b",
      "message",
    ]);
  });

  test("is not sent to Gemini as if it were its own", () => {
    const answer = server.encodeResponse(response([foreign[0]!, call])) as { candidates: { content: object }[] };
    const { input } = server.decodeRequest({ contents: [...hi, answer.candidates[0]!.content, ...hi] });
    const { body, losses } = geminiCodec().encodeRequest(ctxFor({ input }));
    const sent = JSON.stringify(body);
    expect(sent).not.toContain("gAAAA_blob");
    expect(sent.match(/"thoughtSignature":"[^"]*"/g)).toEqual(['"thoughtSignature":"skip_thought_signature_validator"']);
    expect(losses.map(({ path }) => path)).toContain("input[1]");
  });
});
