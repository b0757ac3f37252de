import { describe, expect, test } from "vitest";
import { chatCodec, chatServer, openaiDialect } from "../../../src/codecs/chat/index.ts";
import { blankResponse } from "../../../src/core/blank-response.ts";
import { AntiphonError } from "../../../src/core/error.ts";
import { Writer } from "../../../src/core/writer.ts";
import type { CreateResponse, Item, Usage } from "../../../src/model/index.ts";
import { testCtx } from "../../support/ctx.ts";

const server = chatServer();
const read = (more: object): CreateResponse =>
  server.decodeRequest({ model: "m", messages: [{ role: "user", content: "Hi" }], ...more });
const inputOf = (...messages: object[]) => read({ messages }).input;
const hi = { type: "message", role: "user", content: "Hi" };

describe("reading a request", () => {
  test("A8: a system message at the very head is the instructions; every other message stays in its place", () => {
    expect(
      server.decodeRequest({
        model: "m",
        messages: [
          {
            role: "system",
            content: [
              { type: "text", text: "Be " },
              { type: "text", text: "brief." },
            ],
          },
          { role: "system", content: "And kind." },
          { role: "user", content: "Hi" },
        ],
      }),
    ).toEqual({
      model: "m",
      instructions: "Be brief.",
      input: [{ type: "message", role: "system", content: "And kind." }, hi],
      store: false,
    });
    expect(inputOf({ role: "developer", content: "Be brief." }, { role: "user", content: "Hi" })).toEqual([
      { type: "message", role: "developer", content: "Be brief." },
      hi,
    ]);
  });

  test("A9: response_format and verbosity are text", () => {
    const schema = { type: "object" };
    expect(
      read({ response_format: { type: "json_schema", json_schema: { name: "x", schema, strict: true } }, verbosity: "low" }).text,
    ).toEqual({
      format: { type: "json_schema", name: "x", schema, strict: true },
      verbosity: "low",
    });
    expect(read({ response_format: { type: "json_object" } }).text).toEqual({ format: { type: "json_object" } });
  });

  test("limits, probabilities and effort have one name each", () => {
    expect(read({ max_tokens: 5, logprobs: true, top_logprobs: 2, reasoning_effort: "low" })).toMatchObject({
      max_output_tokens: 5,
      include: ["message.output_text.logprobs"],
      top_logprobs: 2,
      reasoning: { effort: "low" },
    });
    expect(read({ max_completion_tokens: 6, max_tokens: 5, reasoning: { effort: "high" } })).toMatchObject({
      max_output_tokens: 6,
      reasoning: { effort: "high" },
    });
    expect(read({ thinking: { type: "disabled" } }).reasoning).toEqual({ effort: "none" });
    expect(read({ thinking: { type: "enabled" } }).reasoning).toBeUndefined();
  });

  test("nothing is kept unless asked for, as clients of this wire expect", () => {
    expect(read({}).store).toBe(false);
    expect(read({ store: true }).store).toBe(true);
  });

  test("T1, T2: tools nested, flat and of the old kind, and every form of choice", () => {
    const parameters = { type: "object", properties: {} };
    const tool = { type: "function", name: "f", parameters };
    expect(read({ tools: [{ type: "function", function: { name: "f", parameters, strict: null } }] }).tools).toEqual([tool]);
    expect(read({ tools: [tool] }).tools).toEqual([tool]);
    expect(read({ functions: [{ name: "f", parameters }], function_call: { name: "f" } })).toMatchObject({
      tools: [tool],
      tool_choice: { type: "function", name: "f" },
    });
    expect(
      read({
        tools: [
          { type: "custom", custom: { name: "p", format: { type: "grammar", grammar: { syntax: "regex", definition: "a+" } } } },
        ],
      }).tools,
    ).toEqual([{ type: "custom", name: "p", format: { type: "grammar", syntax: "regex", definition: "a+" } }]);
    expect(
      read({
        web_search_options: {
          search_context_size: "high",
          user_location: { type: "approximate", approximate: { city: "Oslo" } },
        },
      }).tools,
    ).toEqual([{ type: "web_search", search_context_size: "high", user_location: { type: "approximate", city: "Oslo" } }]);
    expect(read({ tool_choice: "any" }).tool_choice).toBe("required");
    expect(read({ tool_choice: { type: "tool", name: "f" } }).tool_choice).toEqual({ type: "function", name: "f" });
    expect(
      read({
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "f" } }] },
        },
      }).tool_choice,
    ).toEqual({
      type: "allowed_tools",
      mode: "auto",
      tools: [{ type: "function", name: "f" }],
    });
  });

  test("calls and their results, also of free-form tools and of the old kind", () => {
    expect(
      inputOf(
        {
          role: "assistant",
          content: "Wait.",
          tool_calls: [
            { id: "a", type: "function", function: { name: "f", arguments: "{}" } },
            { id: "b", type: "custom", custom: { name: "p", input: "x" } },
          ],
        },
        { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "1" }] },
        { role: "tool", tool_call_id: "b", content: "2" },
        { role: "assistant", content: null, function_call: { name: "g", arguments: "{}" } },
        { role: "function", name: "g", content: "3" },
      ),
    ).toEqual([
      { type: "message", role: "assistant", content: "Wait." },
      { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
      { type: "custom_tool_call", call_id: "b", name: "p", input: "x" },
      { type: "function_call_output", call_id: "a", output: [{ type: "input_text", text: "1" }] },
      { type: "custom_tool_call_output", call_id: "b", output: "2" },
      { type: "function_call", call_id: "call_3", name: "g", arguments: "{}" },
      { type: "function_call_output", call_id: "call_3", output: "3" },
    ]);
  });

  test("results without an id belong to the calls in their order", () => {
    const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
    const items = inputOf(
      { role: "assistant", tool_calls: [call("a"), call("b"), call("c")] },
      { role: "tool", tool_call_id: "b", content: "2" },
      { role: "tool", content: "1" },
      { role: "tool", content: "3" },
    );
    expect(items?.slice(3)).toEqual([
      { type: "function_call_output", call_id: "b", output: "2" },
      { type: "function_call_output", call_id: "a", output: "1" },
      { type: "function_call_output", call_id: "c", output: "3" },
    ]);
  });

  test("documents by URL and by bytes, as Mistral has them, go back as they came", () => {
    const content = [
      { type: "document_url", document_url: "https://a.example/a.pdf", document_name: "a.pdf" },
      { type: "document_url", document_url: "data:application/pdf;base64,JVBERi0=" },
    ];
    expect(inputOf({ role: "user", content })).toMatchObject([
      {
        content: [
          { type: "input_file", file_url: "https://a.example/a.pdf", filename: "a.pdf" },
          { type: "input_file", file_data: "data:application/pdf;base64,JVBERi0=" },
        ],
      },
    ]);
    const request = read({ messages: [{ role: "user", content }] });
    const { body } = chatCodec({ fileUrls: "document_url" }).encodeRequest(testCtx(request));
    expect(body).toMatchObject({ messages: [{ role: "user", content }] });
  });

  test("F1, F2, F3: pictures, files, sound and video", () => {
    const content = [
      { type: "text", text: "See" },
      { type: "image_url", image_url: { url: "https://a.example/i.png", detail: "high" } },
      { type: "image_url", image_url: "https://a.example/j.png" },
      { type: "input_audio", input_audio: { data: "SUQz", format: "mp3" } },
      { type: "file", file: { file_data: "data:application/pdf;base64,JVBERi0=", filename: "a.pdf" } },
      { type: "file", file: { file_id: "f_1" } },
      { type: "video_url", video_url: { url: "https://a.example/v.mp4" } },
    ];
    expect(inputOf({ role: "user", content })).toMatchObject([
      {
        content: [
          { type: "input_text", text: "See" },
          { type: "input_image", image_url: "https://a.example/i.png", detail: "high" },
          { type: "input_image", image_url: "https://a.example/j.png" },
          { type: "input_audio", input_audio: { data: "SUQz", format: "mp3" } },
          { type: "input_file", file_data: "data:application/pdf;base64,JVBERi0=", filename: "a.pdf" },
          { type: "input_file", file_id: "f_1" },
          { type: "input_video", video_url: "https://a.example/v.mp4" },
        ],
      },
    ]);
  });

  test("fields beyond the vocabulary stay for an upstream of the same wire", () => {
    const request = read({ prediction: { type: "content", content: "x" }, logit_bias: { "1": 2 } });
    expect(chatCodec(openaiDialect).encodeRequest(testCtx(request)).body).toMatchObject({
      prediction: { type: "content", content: "x" },
      logit_bias: { "1": 2 },
    });
  });

  test.each([
    ["n", { n: 2 }],
    ["messages", { messages: "Hi" }],
    ["messages[0].role", { messages: [{ role: "robot", content: "Hi" }] }],
    ["messages[0].content", { messages: [{ role: "user", content: 5 }] }],
    ["messages[0].content[0].type", { messages: [{ role: "user", content: [{ type: "hologram" }] }] }],
    ["messages[0].tool_call_id", { messages: [{ role: "tool", content: "1" }] }],
    ["temperature", { temperature: 3 }],
    ["tools[0].type", { tools: [{ type: "teleport" }] }],
    ["tool_choice", { tool_choice: "perhaps" }],
    ["tool_choice", { tool_choice: "__proto__" }],
    ["tool_choice", { tool_choice: "constructor" }],
    ["response_format.type", { response_format: { type: "poem" } }],
    ["reasoning_effort", { reasoning_effort: "utmost" }],
    ["instructions", { instructions: "Be brief." }],
  ])("refuses what it cannot read, and names %s", (param, more) => {
    expect(() => read(more)).toThrow(expect.objectContaining({ code: "BAD_REQUEST", param }));
  });

  test("Q10: refuses a body that is no object", () => {
    expect(() => server.decodeRequest([])).toThrow(expect.objectContaining({ code: "BAD_REQUEST" }));
  });
});

const usage: Usage = {
  input_tokens: 3,
  output_tokens: 4,
  total_tokens: 7,
  input_tokens_details: { cached_tokens: 1 },
  output_tokens_details: { reasoning_tokens: 2 },
};

describe("telling an answer", () => {
  const tell = (request: CreateResponse, write: (writer: Writer) => void): Record<string, unknown>[] => {
    const writer = new Writer(testCtx(request));
    write(writer);
    const encoder = server.createEncoder(request);
    return [...writer.drain().flatMap((event) => encoder.push(event)), ...encoder.end()] as Record<string, unknown>[];
  };
  const deltas = (chunks: Record<string, unknown>[]) =>
    chunks.map((chunk) => (chunk["choices"] as { delta: object }[])[0]?.delta);

  test("in chunks: the role first, the reason last, every chunk with its head", () => {
    const chunks = tell({ model: "m" }, (writer) => {
      writer.reasoning("Hmm.");
      writer.text("Hi");
      writer.finish({ status: "completed" });
    });
    expect(deltas(chunks)).toEqual([{ role: "assistant", content: "" }, { reasoning_content: "Hmm." }, { content: "Hi" }, {}]);
    expect(chunks.at(-1)).toEqual({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1_700_000_000,
      model: "m",
      service_tier: "default",
      system_fingerprint: null,
      choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: "stop" }],
    });
    expect(server.encodeFrame({ a: 1 }) + server.lastFrame).toBe('data: {"a":1}\n\ndata: [DONE]\n\n');
  });

  test("U1: with a chunk for the usage only where it was asked for, also after the request was copied", () => {
    const write = (writer: Writer) => {
      writer.text("Hi");
      writer.response({ usage });
      writer.finish({ status: "completed" });
    };
    expect(tell(read({ stream: true }), write).at(-1)).not.toHaveProperty("usage");
    const asked = { ...read({ stream: true, stream_options: { include_usage: true } }), model: "other" };
    const chunks = tell(asked, write);
    expect(chunks[0]).toMatchObject({ usage: null });
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: {
        prompt_tokens: 3,
        completion_tokens: 4,
        total_tokens: 7,
        prompt_tokens_details: { cached_tokens: 1 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    });
    expect(JSON.stringify(asked)).not.toContain("include_usage");
  });

  test("with calls by their own index, whatever else there is", () => {
    const chunks = tell({}, (writer) => {
      writer.text("Wait.");
      writer.call("a", { call_id: "call_a", name: "f" });
      writer.customCall("b", { call_id: "call_b", name: "p" });
      writer.args("b", "x");
      writer.args("a", "{}");
      writer.finish({ status: "completed" });
    });
    expect(deltas(chunks).slice(2, -1)).toEqual([
      { tool_calls: [{ index: 0, id: "call_a", type: "function", function: { name: "f", arguments: "" } }] },
      { tool_calls: [{ index: 1, id: "call_b", type: "custom", custom: { name: "p", input: "" } }] },
      { tool_calls: [{ index: 1, custom: { input: "x" } }] },
      { tool_calls: [{ index: 0, function: { arguments: "{}" } }] },
    ]);
    expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: "tool_calls" }] });
  });

  test.each([
    ["length", { status: "incomplete", reason: "max_output_tokens" }],
    ["content_filter", { status: "incomplete", reason: "content_filter" }],
    ["stop", { status: "completed" }],
  ] as const)("E1: that ends with %s", (finish_reason, end) => {
    const chunks = tell({}, (writer) => {
      writer.refusal("No.");
      writer.finish(end);
    });
    expect(deltas(chunks)).toContainEqual({ refusal: "No." });
    expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason }] });
  });

  test("E6, E7: that fails ends with the error and no reason", () => {
    const chunks = tell({}, (writer) => {
      writer.text("Hel");
      writer.fail(new AntiphonError("CONTEXT_LENGTH_EXCEEDED", "Too long."));
    });
    expect(chunks.at(-1)).toEqual({
      error: { message: "Too long.", type: "invalid_request_error", param: null, code: "context_length_exceeded" },
    });
    expect(JSON.stringify(chunks)).not.toContain('"finish_reason":"stop"');
  });

  test("with citations of pages; the wire has no other kind, and clients check", () => {
    const page = { type: "url_citation", url: "https://a.example/", title: "A", start_index: 0, end_index: 2 } as const;
    const chunks = tell({}, (writer) => {
      writer.text("Hi");
      writer.annotate({ type: "file_citation", file_id: "file_1", filename: "a.txt", index: 2 });
      writer.annotate(page);
      writer.finish({ status: "completed" });
    });
    const { type, ...url_citation } = page;
    expect(deltas(chunks).filter((delta) => delta && "annotations" in delta)).toEqual([
      { annotations: [{ type, url_citation }] },
    ]);
  });

  test("in one piece: the same as its chunks", () => {
    const output: Item[] = [
      {
        type: "reasoning",
        id: "rs_1",
        summary: [
          { type: "summary_text", text: "One." },
          { type: "summary_text", text: "Two." },
        ],
        encrypted_content: "blob",
      },
      {
        type: "message",
        id: "msg_1",
        status: "completed",
        role: "assistant",
        content: [
          {
            type: "output_text",
            text: "Hi",
            annotations: [{ type: "url_citation", url: "https://a.example", title: "A", start_index: 0, end_index: 2 }],
          },
        ],
      },
      { type: "web_search_call", id: "ws_1", status: "completed" },
    ];
    const response = { ...blankResponse("resp_chatcmpl-9", 5, { model: "m" }), status: "completed" as const, output, usage };
    expect(server.encodeResponse(response)).toMatchObject({
      id: "chatcmpl-9",
      object: "chat.completion",
      choices: [
        {
          finish_reason: "stop",
          message: {
            role: "assistant",
            content: "Hi",
            refusal: null,
            reasoning_content: "One.\n\nTwo.",
            annotations: [
              { type: "url_citation", url_citation: { url: "https://a.example", title: "A", start_index: 0, end_index: 2 } },
            ],
          },
        },
      ],
      usage: { total_tokens: 7 },
    });
  });

  test("Z4: a thought's blob travels through a client that sends details back", () => {
    const item: Item = {
      type: "reasoning",
      id: "rs_1",
      summary: [],
      content: [{ type: "reasoning_text", text: "Hmm." }],
      encrypted_content: "antiphon:1:messages:signature:abc",
    };
    const response = { ...blankResponse("resp_1", 5, {}), status: "completed" as const, output: [item] };
    const { choices } = server.encodeResponse(response) as { choices: { message: object }[] };
    expect(inputOf({ role: "user", content: "Hi" }, choices[0]!.message)).toEqual([
      hi,
      { type: "reasoning", summary: [], content: item.content, encrypted_content: item.encrypted_content },
    ]);
  });
});
