import { describe, expect, test } from "vitest";
import { openaiDialect } from "../../../src/codecs/chat/index.ts";
import type { CreateResponse, TextFormat } from "../../../src/model/index.ts";
import { bare, calls, chunk, decode, encode, respond } from "./support.ts";

const ask = (more: CreateResponse, dialect = {}) => encode({ model: "m", input: "Hi", ...more }, dialect);

describe("fields of a request", () => {
  test("Q3: nothing is sent that was not asked for, and null is not given", () => {
    expect(ask({}).body).toEqual({
      model: "m",
      messages: [{ role: "user", content: "Hi" }],
      stream: true,
      stream_options: { include_usage: true },
    });
    const nulls = {
      temperature: null,
      tools: null,
      text: null,
      reasoning: null,
      include: null,
      stop: null,
      store: null,
      metadata: null,
    };
    expect(ask(nulls)).toEqual(ask({}));
  });

  test("Q6: nulls inside are not given either", () => {
    const { body, lost } = ask({
      reasoning: { effort: null, summary: null },
      text: { format: null, verbosity: null },
      stream_options: null,
      previous_response_id: null,
    });
    expect(body).toEqual(ask({}).body);
    expect(lost).toEqual([]);
  });

  test("U1: usage is asked for in streams, and only of servers that take the option", () => {
    expect(ask({ stream: false }).body).toEqual({ model: "m", messages: [{ role: "user", content: "Hi" }], stream: false });
    expect(ask({}, { usageOption: false }).body).not.toHaveProperty("stream_options");
    expect(ask({ stream_options: { include_obfuscation: false } }).body["stream_options"]).toEqual({
      include_usage: true,
      include_obfuscation: false,
    });
  });

  test("Q1: the limit goes under the server's name for it", () => {
    expect(ask({ max_output_tokens: 9 }).body["max_tokens"]).toBe(9);
    expect(ask({ max_output_tokens: 9 }, openaiDialect).body["max_completion_tokens"]).toBe(9);
    expect(ask({ max_output_tokens: 9 }, { drops: ["max_tokens"] }).lost).toEqual(["max_output_tokens"]);
  });

  test("Q2, Q4: what the wire has under the same name goes as it is, or under the server's name", () => {
    const fields = {
      temperature: 0.5,
      top_p: 0.9,
      presence_penalty: 1,
      frequency_penalty: -1,
      seed: 7,
      stop: ["."],
      user: "u",
      safety_identifier: "s",
      metadata: { a: "b" },
      service_tier: "flex",
      prompt_cache_key: "k",
    };
    expect(ask(fields)).toMatchObject({ body: fields, lost: [] });
    expect(ask(fields, { renames: { seed: "random_seed" }, drops: ["metadata"] })).toMatchObject({
      body: { random_seed: 7 },
      lost: ["metadata"],
    });
  });

  test("Q4: what the wire has no word for is declared, and what makes no difference is not", () => {
    expect(
      ask({ store: true, truncation: "auto", max_tool_calls: 3, context_management: [{}], include: ["file_search_call.results"] })
        .lost,
    ).toEqual(["max_tool_calls", "context_management", "include[0]", "store", "truncation"]);
    const { body, lost } = ask({
      store: false,
      truncation: "disabled",
      background: false,
      include: ["reasoning.encrypted_content"],
    });
    expect(body).toEqual(ask({}).body);
    expect(lost).toEqual([]);
  });

  test.each(["previous_response_id", "conversation", "prompt", "background"])(
    "%s would change the question, and is refused",
    (field) => {
      expect(() => ask({ [field]: field === "background" ? true : { id: "x" } })).toThrow(
        expect.objectContaining({ code: "UNSUPPORTED", param: field }),
      );
    },
  );

  test("Q4: fields beyond the vocabulary go to servers that take them, and are declared elsewhere", () => {
    const extra = { prediction: { type: "content", content: "x" }, client_metadata: { a: "b" } } as CreateResponse;
    const { body, lost } = ask(extra, openaiDialect);
    expect(body["prediction"]).toEqual({ type: "content", content: "x" });
    expect(lost).toEqual(["client_metadata"]);
    expect(ask(extra).lost).toEqual(["prediction", "client_metadata"]);
  });

  test("fields that the server wants in every request are added", () => {
    expect(ask({}, { adds: { usage: { include: true } } }).body["usage"]).toEqual({ include: true });
  });

  test("Q5, Q7: probabilities are asked for by either field", () => {
    expect(ask({ include: ["message.output_text.logprobs"] }).body).toMatchObject({ logprobs: true });
    expect(ask({ top_logprobs: 2 }).body).toMatchObject({ logprobs: true, top_logprobs: 2 });
  });
});

describe("asking for thinking", () => {
  test("Z10: the effort goes into whichever fields the server has", () => {
    const asked = (effort: "none" | "high" | "xhigh", dialect = {}) => ask({ reasoning: { effort } }, dialect);
    expect(asked("high").body["reasoning_effort"]).toBe("high");
    expect(asked("high", { thinking: ["reasoning"] }).body["reasoning"]).toEqual({ effort: "high" });
    expect(asked("none", { thinking: ["thinking", "reasoning_effort"] }).body).toMatchObject({ thinking: { type: "disabled" } });
    expect(asked("none", { thinking: ["thinking", "reasoning_effort"] }).body).not.toHaveProperty("reasoning_effort");
    expect(asked("high", { thinking: ["thinking", "reasoning_effort"] }).body).toMatchObject({
      thinking: { type: "enabled" },
      reasoning_effort: "high",
    });
    expect(asked("none", { thinking: ["enable_thinking"] })).toMatchObject({ body: { enable_thinking: false }, lost: [] });
  });

  test("Z10: an effort that the server cannot be told is declared", () => {
    const reasoning = { effort: "xhigh" as const, summary: "auto" as const };
    expect(ask({ reasoning }, { efforts: { xhigh: "high" } })).toMatchObject({
      body: { reasoning_effort: "high" },
      lost: ["reasoning.summary", "reasoning.effort"],
    });
    expect(ask({ reasoning }, { thinking: ["thinking"] })).toMatchObject({
      body: { thinking: { type: "enabled" } },
      lost: ["reasoning.summary", "reasoning.effort"],
    });
    expect(ask({ reasoning }, { thinking: [] }).lost).toEqual(["reasoning.summary", "reasoning.effort"]);
    expect(ask({ reasoning: {} }).lost).toEqual([]);
  });
});

describe("typed answers", () => {
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };
  const format: TextFormat = { type: "json_schema", name: "place", description: "A place.", schema, strict: true };

  test("J1, J5: a schema and verbosity go natively, and plain text is not a format", () => {
    expect(ask({ text: { format, verbosity: "low" } }).body).toMatchObject({
      response_format: { type: "json_schema", json_schema: { name: "place", description: "A place.", schema, strict: true } },
      verbosity: "low",
    });
    expect(ask({ text: { format: { type: "text" } } }).body).not.toHaveProperty("response_format");
  });

  test("J4: json_object goes as it is; the word JSON in the prompt is the caller's affair", () => {
    expect(ask({ text: { format: { type: "json_object" } } })).toMatchObject({
      body: { response_format: { type: "json_object" } },
      lost: [],
    });
    expect(ask({ text: { format: { type: "json_object" } } }, { formats: [] }).lost).toEqual(["text.format"]);
  });

  test("J2: without schemas a hidden tool is forced, or any where the caller has tools too", () => {
    const dialect = { formats: ["json_object" as const] };
    const { body, lost } = ask({ text: { format } }, dialect);
    expect(body).toMatchObject({
      tools: [{ type: "function", function: { name: "place", description: "A place.", parameters: schema, strict: true } }],
      tool_choice: { type: "function", function: { name: "place" } },
    });
    expect(lost).toEqual([]);
    const tools = [{ type: "function" as const, name: "place" }];
    expect(ask({ text: { format }, tools }, { ...dialect, requiredChoice: "any" as const }).body).toMatchObject({
      tools: [{ function: { name: "place" } }, { function: { name: "place_2" } }],
      tool_choice: "any",
    });
    expect(ask({ text: { format }, tools, tool_choice: "none" }, dialect).body["tool_choice"]).toEqual({
      type: "function",
      function: { name: "place_2" },
    });
  });

  test("J2: servers that cannot force a thinking model are only offered the hidden tool", () => {
    const text = { format: { type: "json_schema" as const, name: "place", schema: { type: "object" } } };
    const { body } = ask({ text }, { formats: [], hiddenTool: "offered" });
    expect(body).toMatchObject({ tools: [{ type: "function" }] });
    expect(body).not.toHaveProperty("tool_choice");
  });

  test("J2: the hidden call streams as text and ends as any answer does", () => {
    const values = [
      calls({ index: 0, id: "c", type: "function", function: { name: "place", arguments: "" } }),
      calls({ index: 0, function: { arguments: '{"city":' } }),
      calls({ index: 0, function: { arguments: '"Oslo"}' } }),
      chunk({}, "tool_calls"),
    ];
    const dialect = { formats: [] };
    const events = decode(values, { text: { format } }, dialect);
    expect(events.flatMap((event) => (event.type === "response.output_text.delta" ? [event.delta] : []))).toEqual([
      '{"city":',
      '"Oslo"}',
    ]);
    const response = respond(values, { text: { format } }, dialect);
    expect(response.status).toBe("completed");
    expect(bare(response.output)).toMatchObject([
      { type: "message", content: [{ type: "output_text", text: '{"city":"Oslo"}' }] },
    ]);
  });

  test("J2: a caller's own call beside the hidden one stays a call", () => {
    const tools = [{ type: "function" as const, name: "weather" }];
    const values = [calls({ index: 0, id: "c", function: { name: "weather", arguments: "{}" } }), chunk({}, "tool_calls")];
    expect(bare(respond(values, { text: { format }, tools }, { formats: [] }).output)).toMatchObject([
      { type: "function_call", name: "weather" },
    ]);
  });
});
