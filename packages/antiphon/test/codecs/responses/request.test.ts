import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { responsesCodec, responsesServer } from "../../../src/codecs/responses/index.ts";
import { system, user, type CreateResponse } from "../../../src/model/index.ts";
import { roundTripLaw } from "../../../src/testing/laws.ts";
import { testCtx } from "../../support/ctx.ts";
import { runs } from "../../support/runs.ts";

const words = fc.string({ maxLength: 12 });
const requests: fc.Arbitrary<CreateResponse> = fc.record(
  {
    model: words,
    input: fc.oneof(words, fc.array(words.map((content) => user(content)))),
    instructions: fc.option(words),
    previous_response_id: fc.option(words),
    temperature: fc.option(fc.double({ min: 0, max: 2, noNaN: true })),
    top_p: fc.double({ min: 0, max: 1, noNaN: true }),
    max_output_tokens: fc.option(fc.nat()),
    metadata: fc.dictionary(words, words),
    parallel_tool_calls: fc.boolean(),
    store: fc.boolean(),
    seed: fc.nat(),
    stop: fc.array(words),
    tools: fc.array(
      fc.record({ type: fc.constant("function" as const), name: words, parameters: fc.constant({ type: "object" }) }),
    ),
    reasoning: fc.constantFrom({ effort: "high" as const }, { effort: null, summary: "auto" as const }),
    include: fc.constant(["reasoning.encrypted_content" as const]),
    safety_identifier: words,
    prompt_cache_key: words,
    truncation: fc.constantFrom("auto" as const, "disabled" as const),
    service_tier: fc.constant("flex"),
  },
  { requiredKeys: [] },
);

describe("encodeRequest", () => {
  test("round trip: a server reads what was asked, but for declared losses", () => {
    fc.assert(
      fc.property(requests, (request) => {
        expect(roundTripLaw(responsesCodec(), responsesServer(), testCtx(request))).toBeUndefined();
      }),
      { numRuns: runs(200, 20_000) },
    );
  });

  test("streams unless told not to, and leaves the caller's request alone", () => {
    const request: CreateResponse = Object.freeze({ model: "m", input: "Hi", temperature: undefined });
    expect(responsesCodec().encodeRequest(testCtx(request))).toEqual({
      path: "/responses",
      body: { model: "m", input: "Hi", stream: true },
      losses: [],
    });
    expect(responsesCodec().encodeRequest(testCtx({ stream: false })).body).toEqual({ stream: false });
  });

  test("declares what the wire cannot say", () => {
    const { body, losses } = responsesCodec().encodeRequest(testCtx({ input: "Hi", seed: 7, stop: ["."] }));
    expect(body).toEqual({ input: "Hi", stream: true });
    expect(losses.map(({ path }) => path)).toEqual(["seed", "stop"]);
  });

  test("declares what the dialect cannot say", () => {
    const codec = responsesCodec({
      drops: ["truncation"],
      dropsIncludes: ["reasoning.encrypted_content"],
      itemTypes: ["message"],
      toolTypes: ["function"],
      reasoning: "readable",
    });
    const { body, losses } = codec.encodeRequest(
      testCtx({
        input: [user("Hi"), { type: "item_reference", id: "x" }],
        truncation: "auto",
        include: ["reasoning.encrypted_content", "file_search_call.results"],
        tools: [{ type: "web_search" }, { type: "function", name: "clock" }],
      }),
    );
    expect(body).toEqual({
      input: [user("Hi")],
      include: ["file_search_call.results"],
      tools: [{ type: "function", name: "clock" }],
      stream: true,
    });
    expect(losses.map(({ path }) => path)).toEqual(["truncation", "input[1]", "tools[0]", "include[0]"]);
  });

  test("refuses what cannot be left out without changing the question", () => {
    const codec = responsesCodec({ refuses: ["previous_response_id", "background"] });
    expect(() => codec.encodeRequest(testCtx({ previous_response_id: "resp_1" }))).toThrow(
      expect.objectContaining({ code: "UNSUPPORTED", param: "previous_response_id" }),
    );
    expect(codec.encodeRequest(testCtx({ background: false, previous_response_id: null })).body).toEqual({ stream: true });
  });

  test("keeps fields of other wires for servers that take them", () => {
    expect(responsesCodec({ keeps: ["seed"] }).encodeRequest(testCtx({ seed: 7, stop: ["."] }))).toMatchObject({
      body: { seed: 7, stream: true },
      losses: [{ path: "stop" }],
    });
  });

  test("sends instructions as a message where the server takes none in a chain", () => {
    const codec = responsesCodec({ chainedInstructions: false });
    const chained: CreateResponse = { instructions: "Be brief.", input: "Hi", previous_response_id: "resp_1" };
    expect(codec.encodeRequest(testCtx(chained)).body).toMatchObject({ input: [system("Be brief."), user("Hi")] });
    expect(codec.encodeRequest(testCtx(chained)).body).not.toHaveProperty("instructions");
    expect(codec.encodeRequest(testCtx({ instructions: "Be brief.", input: "Hi" })).body).toMatchObject({
      instructions: "Be brief.",
    });
  });

  test("leaves out what other wires keep for themselves, wherever it stands, and nothing of the caller's", () => {
    const part = { type: "input_text" as const, text: "Hi" };
    const tool = { type: "function" as const, name: "f", parameters: { type: "object", properties: { "a:b": {} } } };
    const request = {
      input: [user([{ ...part, "anthropic:cache_control": { type: "ephemeral" } } as never])],
      tools: [tool],
      "google:labels": {},
    };
    const { body, losses } = responsesCodec().encodeRequest(testCtx(request));
    expect(body).toEqual({ input: [user([part])], tools: [tool], stream: true });
    expect(losses.map(({ path }) => path)).toEqual(["input[0].content[0].anthropic:cache_control", "google:labels"]);
    expect(responsesCodec({ envelopes: true }).encodeRequest(testCtx(request as CreateResponse)).losses).toEqual([]);
  });

  test("leaves out reasoning that the server could not read", () => {
    const codec = responsesCodec({ reasoning: "readable" });
    const input = [
      { type: "reasoning" as const, summary: [], encrypted_content: "blob" },
      { type: "reasoning" as const, summary: [{ type: "summary_text" as const, text: "Hm." }], encrypted_content: "blob" },
    ];
    const { body, losses } = codec.encodeRequest(testCtx({ input }));
    expect(body).toMatchObject({ input: [input[1]] });
    expect(losses).toHaveLength(1);
  });
});

describe("decodeRequest", () => {
  const server = responsesServer();

  test("keeps everything that it does not know", () => {
    const body = { model: "m", input: [{ role: "user", content: "Hi", mood: "good" }], client_metadata: { a: "b" } };
    expect(server.decodeRequest(body)).toEqual(body);
  });

  test("reads hosted tools and items under their prefixed names", () => {
    const body = {
      input: [{ type: "openai:web_search_call", id: "ws_1", status: "completed" }],
      tools: [{ type: "openai:web_search" }],
    };
    expect(server.decodeRequest(body)).toEqual({
      input: [{ type: "web_search_call", id: "ws_1", status: "completed" }],
      tools: [{ type: "web_search" }],
    });
  });

  const bad: [string, unknown, string | undefined][] = [
    ["a body that is no object", [], undefined],
    ["a number as model", { model: 3 }, "model"],
    ["a number as input", { input: 3 }, "input"],
    ["a string as item", { input: ["Hi"] }, "input[0]"],
    ["a message without content", { input: [{ role: "user" }] }, "input[0].content"],
    ["an output without a call id", { input: [{ type: "function_call_output", output: "x" }] }, "input[0].call_id"],
    ["a call without arguments", { input: [{ type: "function_call", call_id: "c", name: "n" }] }, "input[0].arguments"],
    ["a free call without input", { input: [{ type: "custom_tool_call", call_id: "c", name: "n" }] }, "input[0].input"],
    ["a tool without a type", { tools: [{ name: "x" }] }, "tools[0].type"],
    ["a namespace without tools", { tools: [{ type: "namespace", name: "n" }] }, "tools[0].tools"],
    [
      "a tool without a name in a namespace",
      { tools: [{ type: "namespace", name: "n", tools: [{ type: "custom" }] }] },
      "tools[0].tools[0].name",
    ],
    ["a number among added tools", { input: [{ type: "additional_tools", tools: [1] }] }, "input[0].tools[0]"],
    ["a choice of tools that lists none", { tool_choice: { type: "allowed_tools", tools: null } }, "tool_choice.tools"],
    [
      "a choice of a tool without a type",
      { tool_choice: { type: "allowed_tools", tools: [{ name: "f" }] } },
      "tool_choice.tools[0].type",
    ],
    [
      "a grammar that is no text",
      { tools: [{ type: "custom", name: "g", format: { type: "grammar", syntax: {} } }] },
      "tools[0].format",
    ],
    [
      "a rule that names no tools of a server",
      { tools: [{ type: "openai:mcp", server_label: "a", allowed_tools: "t" }] },
      "tools[0].allowed_tools",
    ],
    ["a container that is a number", { tools: [{ type: "code_interpreter", container: 1 }] }, "tools[0].container"],
    [
      "domains that are no list",
      { tools: [{ type: "web_search", filters: { allowed_domains: "a.example" } }] },
      "tools[0].filters",
    ],
    ["a temperature out of range", { temperature: 3 }, "temperature"],
    ["a broken token limit", { max_output_tokens: 1.5 }, "max_output_tokens"],
    ["a string as store", { store: "yes" }, "store"],
  ];
  test.each(bad)("refuses %s and names the field", (_, body, param) => {
    expect(() => server.decodeRequest(body)).toThrow(expect.objectContaining({ code: "BAD_REQUEST", ...(param && { param }) }));
  });
});
