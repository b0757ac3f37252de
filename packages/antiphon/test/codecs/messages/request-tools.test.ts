import { describe, expect, test } from "vitest";
import { functionCallOutput, functionTool, user } from "../../../src/model/index.ts";
import type { CreateResponse, InputItem, JsonSchema, Tool } from "../../../src/model/index.ts";
import { encode, lossesOf, messagesOf, streamOf, streamed } from "./support.ts";

const schema: JsonSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const weather = functionTool("weather", "Tells the weather.", schema);
const toolsOf = (tools: Tool[], more: CreateResponse = {}) => encode({ input: "Hi", tools, ...more }).body.tools;
const choiceOf = (request: CreateResponse) => encode({ input: "Hi", tools: [weather], ...request }).body["tool_choice"];

describe("functions", () => {
  test("T1: a function is declared with its schema, and an empty one with an empty object", () => {
    expect(toolsOf([weather])).toEqual([{ name: "weather", description: "Tells the weather.", input_schema: schema }]);
    const empty = { type: "object", properties: {} };
    for (const parameters of [null, undefined, {}])
      expect(toolsOf([{ type: "function", name: "now", parameters, strict: null }])).toEqual([
        { name: "now", input_schema: empty },
      ]);
  });

  test("T1: strict goes to models that know it, and is a declared loss elsewhere", () => {
    const strict: Tool = { ...weather, strict: true };
    expect(toolsOf([strict])).toMatchObject([{ strict: true, input_schema: { additionalProperties: false } }]);
    expect(lossesOf({ model: "claude-3-5-haiku", input: "Hi", tools: [strict] })).toEqual(["tools[0].strict"]);
  });

  test("T4: a name that the wire refuses is changed both ways, in the call and in the choice", () => {
    const tools: Tool[] = [{ type: "function", name: "weather.now" }];
    const { body } = encode({
      input: [
        user("Go"),
        { type: "function_call", call_id: "a", name: "weather.now", arguments: "{}" },
        functionCallOutput("a", "Sun"),
      ],
      tools,
      tool_choice: { type: "function", name: "weather.now" },
    });
    expect(body.tools?.[0]?.["name"]).toBe("weather_now");
    expect(body.messages[1]?.content[0]?.["name"]).toBe("weather_now");
    expect(body["tool_choice"]).toEqual({ type: "tool", name: "weather_now" });
    const answer = streamed(streamOf([{ type: "tool_use", id: "b", name: "weather_now", input: {} }], "tool_use"), { tools });
    expect(answer.output).toMatchObject([{ type: "function_call", name: "weather.now" }]);
  });

  test("T5: a free-form tool is a function of one text, with its grammar in words, and back", () => {
    const patch: Tool = { type: "custom", name: "patch", format: { type: "grammar", syntax: "lark", definition: "start: WORD" } };
    expect(toolsOf([patch])).toMatchObject([
      { name: "patch", description: expect.stringContaining("start: WORD") as string, input_schema: { required: ["input"] } },
    ]);
    const history: InputItem[] = [
      { type: "custom_tool_call", call_id: "a", name: "patch", input: 'say "hi"' },
      { type: "custom_tool_call_output", call_id: "a", output: "done" },
    ];
    expect(messagesOf([user("Go"), ...history])[1]?.content).toMatchObject([{ name: "patch", input: { input: 'say "hi"' } }]);
    const answer = streamed(streamOf([{ type: "tool_use", id: "b", name: "patch", input: { patch: "+ a\n" } }], "tool_use"), {
      tools: [patch],
    });
    expect(answer.output).toMatchObject([{ type: "custom_tool_call", call_id: "b", name: "patch", input: "+ a\n" }]);
  });

  test("T6: tools of a namespace are flat on the wire, and back in it in the answer", () => {
    const tools: Tool[] = [{ type: "namespace", name: "crm", tools: [{ type: "function", name: "find" }] }];
    expect(toolsOf(tools)).toMatchObject([{ name: "crm__find" }]);
    const answer = streamed(streamOf([{ type: "tool_use", id: "b", name: "crm__find", input: {} }], "tool_use"), { tools });
    expect(answer.output).toMatchObject([{ type: "function_call", name: "find", namespace: "crm" }]);
  });

  test("T10: a failed result is marked as one", () => {
    const failed: InputItem = { type: "function_call_output", call_id: "a", output: "No network", status: "incomplete" };
    const call: InputItem = { type: "function_call", call_id: "a", name: "weather", arguments: "{}" };
    expect(messagesOf([user("Go"), call, failed])[2]?.content).toMatchObject([{ is_error: true }]);
  });

  test.each([
    ["", {}, 0],
    ['{"b":1,"a":"é"}', { b: 1, a: "é" }, 0],
    ['{"city":"Os', { arguments: '{"city":"Os' }, 1],
    ["[1]", { arguments: "[1]" }, 1],
  ])("T11: the arguments %j", (json, input, losses) => {
    const call: InputItem = { type: "function_call", call_id: "a", name: "weather", arguments: json };
    const encoded = encode({ input: [user("Go"), call, functionCallOutput("a", "Sun")] });
    expect(JSON.stringify(encoded.body.messages[1]?.content[0]?.["input"])).toBe(JSON.stringify(input));
    expect(encoded.losses).toHaveLength(losses);
  });

  test("T13: a union at the root is laid out flat, and a reference keeps its definitions", () => {
    const union: JsonSchema = {
      anyOf: [
        { type: "object", properties: { a: { type: "string" }, c: { type: "string" } }, required: ["a", "c"] },
        { type: "object", properties: { b: { type: "string" }, c: { type: "string" } }, required: ["b", "c"] },
      ],
    };
    const encoded = encode({ input: "Hi", tools: [functionTool("f", "", union)] });
    expect(encoded.body.tools?.[0]?.["input_schema"]).toEqual({
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" }, c: { type: "string" } },
      required: ["c"],
    });
    expect(encoded.losses.map(({ path }) => path)).toEqual(["tools[0].parameters"]);
    const referring: JsonSchema = { type: "object", properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { type: "string" } } };
    expect(toolsOf([functionTool("f", "", referring)])?.[0]?.["input_schema"]).toEqual(referring);
  });

  test("T14: the same tools are written the same way", () => {
    const tools = [weather, functionTool("clock", "", {})];
    expect(JSON.stringify(toolsOf(tools))).toBe(JSON.stringify(toolsOf(structuredClone(tools))));
  });

  test("T15: a call of a tool that was not offered is told under its name, and no tools are not sent as a list", () => {
    const answer = streamed(streamOf([{ type: "tool_use", id: "b", name: "stranger", input: {} }], "tool_use"));
    expect(answer.output).toMatchObject([{ type: "function_call", name: "stranger", arguments: "{}" }]);
    expect(encode({ input: "Hi", tools: [] }).body).not.toHaveProperty("tools");
  });
});

test("a call of a toolset goes back under its name, and so does its result", () => {
  const click = {
    type: "tool_use",
    id: "a",
    name: "left_click",
    input: { x: 1 },
    toolset_name: "computer",
    caller: { type: "direct" },
  };
  const [call] = streamed(streamOf([click], "tool_use")).output;
  expect(call).toMatchObject({ type: "function_call", "anthropic:toolset_name": "computer" });
  expect(call).not.toHaveProperty("anthropic:caller");
  const messages = messagesOf([user("Go"), call!, functionCallOutput("a", "done")]);
  expect(messages[1]?.content).toMatchObject([{ toolset_name: "computer" }]);
  expect(messages[2]?.content).toMatchObject([{ type: "tool_result", toolset_name: "computer" }]);
});

describe("the choice of tools", () => {
  test.each([
    ["auto", { type: "auto" }],
    ["none", { type: "none" }],
    ["required", { type: "any" }],
    [
      { type: "function", name: "weather" },
      { type: "tool", name: "weather" },
    ],
    [null, undefined],
  ] as const)("T2: %j", (tool_choice, expected) => {
    expect(choiceOf({ tool_choice })).toEqual(expected);
  });

  test("T2: a server-side tool may be chosen too", () => {
    const request: CreateResponse = { input: "Hi", tools: [{ type: "web_search" }], tool_choice: { type: "web_search" } };
    expect(encode(request).body["tool_choice"]).toEqual({ type: "tool", name: "web_search" });
  });

  test("T2: where only some tools are allowed, the others are not declared", () => {
    const encoded = encode({
      input: "Hi",
      tools: [weather, functionTool("clock", "", {})],
      tool_choice: { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "clock" }] },
    });
    expect(encoded.body.tools?.map(({ name }) => name)).toEqual(["clock"]);
    expect(encoded.body["tool_choice"]).toEqual({ type: "any" });
    expect(encoded.losses.map(({ path }) => path)).toEqual(["tool_choice"]);
  });

  test("T2: a tool that is not there cannot be chosen", () => {
    expect(() => choiceOf({ tool_choice: { type: "function", name: "clock" } })).toThrow(/clock/);
    expect(encode({ input: "Hi", tools: [], tool_choice: "required" }).body).not.toHaveProperty("tool_choice");
    expect(lossesOf({ input: "Hi", tools: [], tool_choice: "required" })).toEqual(["tool_choice"]);
  });

  test("T3: calls one at a time", () => {
    expect(choiceOf({ parallel_tool_calls: false })).toEqual({ type: "auto", disable_parallel_tool_use: true });
    expect(choiceOf({ parallel_tool_calls: true, tool_choice: "required" })).toEqual({
      type: "any",
      disable_parallel_tool_use: false,
    });
    expect(choiceOf({ parallel_tool_calls: null })).toBeUndefined();
  });

  test("Z5: a model that thinks cannot be made to call a tool", () => {
    const request: CreateResponse = { input: "Hi", tools: [weather], tool_choice: "required", reasoning: { effort: "low" } };
    expect(encode(request).body["tool_choice"]).toEqual({ type: "auto" });
    expect(lossesOf(request)).toEqual(["tool_choice"]);
  });
});

describe("server-side tools", () => {
  test("T8: a web search with its filters, place and limit", () => {
    const user_location = { type: "approximate" as const, city: "Oslo", country: "NO" };
    const search: Tool = { type: "web_search", filters: { allowed_domains: ["example.com"] }, user_location };
    expect(toolsOf([search], { max_tool_calls: 3 })).toEqual([
      { type: "web_search_20250305", name: "web_search", allowed_domains: ["example.com"], user_location, max_uses: 3 },
    ]);
    expect(lossesOf({ input: "Hi", tools: [{ type: "web_search", search_context_size: "low" }] })).toEqual([
      "tools[0].search_context_size",
    ]);
  });

  test("T8: code runs in a container, a new one or one that is used again, with its files", () => {
    const auto = encode({
      input: "Hi",
      tools: [{ type: "code_interpreter", container: { type: "auto", file_ids: ["file_1"] } }],
    });
    expect(auto.body.tools).toEqual([{ type: "code_execution_20250825", name: "code_execution" }]);
    expect(auto.body.messages[0]?.content.at(-1)).toEqual({ type: "container_upload", file_id: "file_1" });
    const again = encode({ input: "Hi", tools: [{ type: "code_interpreter", container: "container_1" }] });
    expect(again.body["container"]).toBe("container_1");
  });

  test("T8, T16: an MCP server is named once and its tools are chosen", () => {
    const mcp: Tool = {
      type: "mcp",
      server_label: "docs",
      server_url: "https://example.com/mcp",
      headers: { Authorization: "Bearer secret" },
      allowed_tools: ["read"],
      require_approval: "never",
    };
    const { body, losses } = encode({ input: "Hi", tools: [mcp] });
    expect(body["mcp_servers"]).toEqual([
      { type: "url", name: "docs", url: "https://example.com/mcp", authorization_token: "secret" },
    ]);
    expect(body.tools).toEqual([
      { type: "mcp_toolset", mcp_server_name: "docs", default_config: { enabled: false }, configs: { read: { enabled: true } } },
    ]);
    expect(losses).toEqual([]);
    const older = encode({ input: "Hi", tools: [mcp] }, { hosted: { ...hostedNone, mcp: "tool_configuration" } });
    expect(older.body).not.toHaveProperty("tools");
    expect(older.body["mcp_servers"]).toMatchObject([{ tool_configuration: { allowed_tools: ["read"] } }]);
  });

  test("T16: a caller who wants to be asked first is told that the wire never asks", () => {
    const mcp: Tool = { type: "mcp", server_label: "docs", server_url: "https://example.com/mcp" };
    expect(() => encode({ input: "Hi", tools: [{ ...mcp, require_approval: "always" }] })).toThrow(/without approval/);
    expect(lossesOf({ input: "Hi", tools: [mcp] })).toEqual(["tools[0].require_approval"]);
    const readOnly: Tool = { ...mcp, require_approval: "never", allowed_tools: { read_only: true } };
    expect(() => encode({ input: "Hi", tools: [readOnly] })).toThrow(/to read-only tools/);
  });

  test("T7: tools that are loaded later, and the search for them", () => {
    expect(toolsOf([{ type: "tool_search" }, { ...weather, defer_loading: true }])).toMatchObject([
      { type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" },
      { name: "weather", defer_loading: true },
    ]);
  });

  test("T8: tools that the server has not are declared losses, its own go out under their names", () => {
    expect(
      lossesOf({ input: "Hi", tools: [{ type: "file_search", vector_store_ids: ["v"] }, { type: "image_generation" }] }),
    ).toEqual(["tools[0]", "tools[1]"]);
    expect(lossesOf({ input: "Hi", tools: [{ type: "web_search" }] }, { hosted: hostedNone })).toEqual(["tools[0]"]);
    const bash: Tool = { type: "anthropic:bash_20250124", name: "bash", "anthropic:cache_control": { type: "ephemeral" } };
    expect(toolsOf([bash])).toEqual([{ type: "bash_20250124", name: "bash", cache_control: { type: "ephemeral" } }]);
  });

  test("a version and options of the wire's own stand in for the dialect's", () => {
    const search = { type: "web_search", "anthropic:type": "web_search_20260318", "anthropic:max_uses": 2 } as Tool;
    expect(toolsOf([search, weather])?.[0]).toEqual({ type: "web_search_20260318", name: "web_search", max_uses: 2 });
  });
});

const hostedNone = { web_search: null, code_interpreter: null, tool_search: null, mcp: null, compaction: null };

describe("typed output", () => {
  const format = { type: "json_schema" as const, name: "place", schema, strict: true };
  const closed = { ...schema, additionalProperties: false };

  test("J1, J2: a model that can be bound to a schema is", () => {
    const { body, losses } = encode({ input: "Hi", text: { format } });
    expect(body["output_config"]).toEqual({ format: { type: "json_schema", schema: closed } });
    expect(losses).toEqual([]);
  });

  test("J2: the older spelling, where the dialect has it", () => {
    const older = { ...traits, typedOutput: "output_format" as const };
    expect(encode({ model: "some-model", input: "Hi", text: { format } }, { model: older }).body["output_format"]).toEqual({
      type: "json_schema",
      schema: closed,
    });
  });

  test("J2: bounds that a grammar cannot keep are put into words, and declared", () => {
    const bounded = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        age: { type: "integer", minimum: 0, description: "In years" },
        mail: { type: "string", format: "email", default: "a@b.c" },
        word: { type: "string", format: "regex" },
        kind: { oneOf: [{ type: "string" }, { type: "null" }] },
        list: { type: "array", items: { type: "object", additionalProperties: true }, minItems: 1, maxItems: 3 },
      },
    };
    const { body, losses } = encode({ input: "Hi", text: { format: { ...format, schema: bounded } } });
    expect((body["output_config"] as { format: object }).format).toEqual({
      type: "json_schema",
      schema: {
        type: "object",
        properties: {
          age: { type: "integer", description: "In years (minimum: 0)" },
          mail: { type: "string", format: "email", description: '(default: "a@b.c")' },
          word: { type: "string", description: '(format: "regex")' },
          kind: { anyOf: [{ type: "string" }, { type: "null" }] },
          list: {
            type: "array",
            items: { type: "object", additionalProperties: false },
            minItems: 1,
            description: "(maxItems: 3)",
          },
        },
        additionalProperties: false,
      },
    });
    expect(losses).toEqual([
      {
        path: "text.format.schema",
        reason: expect.stringMatching(/`additionalProperties`, `format`, `maxItems`, `minimum`, `oneOf`/) as string,
      },
    ]);
  });

  test("J2: a property may be called like a keyword", () => {
    const named = { type: "object", properties: { minimum: { type: "number" }, pattern: { type: "string" } } };
    expect(encode({ input: "Hi", text: { format: { ...format, schema: named } } }).losses).toEqual([]);
  });

  test("J2: elsewhere a tool stands in for the answer, and nobody sees it", () => {
    const request: CreateResponse = { model: "claude-3-5-haiku", input: "Hi", text: { format } };
    const { body } = encode(request);
    expect(body.tools).toMatchObject([{ name: "final_answer", input_schema: schema }]);
    expect(body["tool_choice"]).toEqual({ type: "tool", name: "final_answer" });
    const answer = streamed(
      streamOf([{ type: "tool_use", id: "a", name: "final_answer", input: { city: "Oslo" } }], "tool_use"),
      request,
    );
    expect(answer.status).toBe("completed");
    expect(answer.output).toMatchObject([{ type: "message", content: [{ type: "output_text", text: '{"city":"Oslo"}' }] }]);
  });

  test("J2: beside the caller's tools it is one more, under a name of its own", () => {
    const request: CreateResponse = {
      model: "claude-3-5-haiku",
      input: "Hi",
      text: { format },
      tools: [weather, functionTool("final_answer", "", {})],
    };
    const { body } = encode(request);
    expect(body.tools?.map(({ name }) => name)).toEqual(["weather", "final_answer", "final_answer_"]);
    expect(body["tool_choice"]).toEqual({ type: "any" });
    const answer = streamed(
      streamOf([
        { type: "text", text: "Here it is." },
        { type: "tool_use", id: "a", name: "final_answer_", input: { city: "Oslo" } },
      ]),
      request,
    );
    expect(answer.output).toMatchObject([
      { type: "message", content: [{ text: "Here it is." }] },
      { type: "message", content: [{ text: '{"city":"Oslo"}' }] },
    ]);
  });

  test("J4: JSON without a schema is asked for in words, and declared", () => {
    const { body, losses } = encode({ input: "Hi", text: { format: { type: "json_object" } } });
    expect(body.system?.at(-1)?.["text"]).toMatch(/JSON/);
    expect(losses.map(({ path }) => path)).toEqual(["text.format"]);
  });

  test("plain text needs no word", () => {
    expect(Object.keys(encode({ input: "Hi", text: { format: { type: "text" } } }).body).sort()).toEqual([
      "max_tokens",
      "messages",
      "model",
      "stream",
    ]);
  });
});

const traits = {
  thinking: "none" as const,
  efforts: [],
  maxTokens: 4096,
  sampling: "both" as const,
  prefill: true,
  systemTurns: false,
  typedOutput: "tool" as const,
  strictTools: false,
};
