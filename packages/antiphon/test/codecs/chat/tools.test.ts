import { describe, expect, test } from "vitest";
import { openaiDialect } from "../../../src/codecs/chat/index.ts";
import { functionCallOutput, user, type CreateResponse, type Tool } from "../../../src/model/index.ts";
import { calls, chunk, encode, respond, bare } from "./support.ts";

const schema = { type: "object", properties: { city: { type: "string" } } };
const weather: Tool = { type: "function", name: "weather", description: "Tells the weather.", parameters: schema };
const ask = (more: CreateResponse, dialect = {}) => encode({ model: "m", input: "Hi", ...more }, dialect);

describe("tools", () => {
  test("T1: a function is nested; without parameters it has an empty object; strict is sent where it is true", () => {
    const tools: Tool[] = [
      { ...weather, strict: true },
      { type: "function", name: "clock", parameters: null, strict: null },
      { type: "function", name: "beep", parameters: {} },
    ];
    expect(ask({ tools }).body["tools"]).toEqual([
      { type: "function", function: { name: "weather", description: "Tells the weather.", parameters: schema, strict: true } },
      { type: "function", function: { name: "clock", parameters: { type: "object", properties: {} } } },
      { type: "function", function: { name: "beep", parameters: { type: "object", properties: {} } } },
    ]);
    expect(ask({ tools: [{ ...weather, strict: true }] }, { strictTools: false }).body["tools"]).toMatchObject([
      { function: expect.not.objectContaining({ strict: true }) },
    ]);
  });

  test("T4, T6: names are made to fit, namespaces are flattened, and both come back", () => {
    const long = "a".repeat(80);
    const tools: Tool[] = [
      { type: "function", name: "read.file" },
      { type: "function", name: long },
      { type: "namespace", name: "mail", tools: [{ type: "function", name: "send" }] },
    ];
    const { body, lost } = ask({ tools, tool_choice: { type: "function", name: "read.file" } });
    const names = (body["tools"] as { function: { name: string } }[]).map((tool) => tool.function.name);
    expect(names).toEqual(["read_file", expect.stringMatching(/^a{55}_[0-9a-f]{8}$/), "mail__send"]);
    expect(body["tool_choice"]).toEqual({ type: "function", function: { name: "read_file" } });
    expect(lost).toEqual([]);
    const called = names.map((name, index) => ({
      index,
      id: `c${index}`,
      type: "function",
      function: { name, arguments: "{}" },
    }));
    expect(bare(respond([calls(...called), chunk({}, "tool_calls")], { tools }).output)).toEqual([
      { type: "function_call", call_id: "c0", name: "read.file", arguments: "{}" },
      { type: "function_call", call_id: "c1", name: long, arguments: "{}" },
      { type: "function_call", call_id: "c2", name: "send", namespace: "mail", arguments: "{}" },
    ]);
  });

  test("T5: a free-form tool is native where the server has them", () => {
    const tools: Tool[] = [
      {
        type: "custom",
        name: "patch",
        description: "Patches.",
        format: { type: "grammar", syntax: "lark", definition: "start: /a/" },
      },
    ];
    const { body, lost } = ask({ tools, tool_choice: { type: "custom", name: "patch" } }, openaiDialect);
    expect(body["tools"]).toEqual([
      {
        type: "custom",
        custom: {
          name: "patch",
          description: "Patches.",
          format: { type: "grammar", grammar: { syntax: "lark", definition: "start: /a/" } },
        },
      },
    ]);
    expect(body["tool_choice"]).toEqual({ type: "custom", custom: { name: "patch" } });
    expect(lost).toEqual([]);
    const pieces = [
      calls({ index: 0, id: "c", type: "custom", custom: { name: "patch", input: "*** Be" } }),
      calls({ index: 0, custom: { input: "gin" } }),
      chunk({}, "tool_calls"),
    ];
    expect(bare(respond(pieces, { tools }, openaiDialect).output)).toEqual([
      { type: "custom_tool_call", call_id: "c", name: "patch", input: "*** Begin" },
    ]);
  });

  test("T5: elsewhere a function stands in for it, streamed and unwrapped, and its grammar is declared lost", () => {
    const tools: Tool[] = [
      { type: "custom", name: "patch", format: { type: "grammar", syntax: "lark", definition: "start: /a/" } },
    ];
    const history = [
      user("Go"),
      { type: "custom_tool_call", call_id: "c", name: "patch", input: 'a "b"' } as const,
      { type: "custom_tool_call_output", call_id: "c", output: "ok" } as const,
    ];
    const { body, lost } = ask({ tools, input: history });
    expect(body["tools"]).toMatchObject([
      { type: "function", function: { name: "patch", description: expect.stringContaining("start: /a/") } },
    ]);
    expect(body.messages[1]).toMatchObject({
      tool_calls: [{ type: "function", function: { name: "patch", arguments: '{"input":"a \\"b\\""}' } }],
    });
    expect(lost).toEqual(["tools[0].format"]);
    const pieces = ['{"inp', 'ut":"line\\', 'nnext"', "}"].map((args, index) =>
      calls({
        index: 0,
        ...(index === 0 ? { id: "d", function: { name: "patch", arguments: args } } : { function: { arguments: args } }),
      }),
    );
    expect(bare(respond([...pieces, chunk({}, "tool_calls")], { tools }).output)).toEqual([
      { type: "custom_tool_call", call_id: "d", name: "patch", input: "line\nnext" },
    ]);
  });

  test("T8: a server-side tool is declared lost, but for a web search where it is an option and the vendor's own", () => {
    const tools: Tool[] = [
      weather,
      { type: "code_interpreter", container: { type: "auto" } },
      { type: "web_search", search_context_size: "low", user_location: { city: "Oslo" } },
    ];
    expect(ask({ tools }).lost).toEqual(["tools[1]", "tools[2]"]);
    const { body, lost } = ask({ tools }, { webSearch: true });
    expect(body["web_search_options"]).toEqual({
      search_context_size: "low",
      user_location: { type: "approximate", approximate: { city: "Oslo" } },
    });
    expect(lost).toEqual(["tools[1]"]);
    const own: Tool = { type: "openrouter:web_search", parameters: { max_uses: 1 } };
    expect(ask({ tools: [own] }, { vendor: "openrouter" })).toMatchObject({ body: { tools: [own] }, lost: [] });
    expect(ask({ tools: [own] }).lost).toEqual(["tools[0]"]);
  });

  test("T2: every form of tool_choice", () => {
    const tools: Tool[] = [weather, { type: "function", name: "clock" }];
    const choice = (tool_choice: CreateResponse["tool_choice"], dialect = {}) =>
      ask({ tools, tool_choice }, dialect).body["tool_choice"];
    expect(choice(null)).toBeUndefined();
    expect(choice("auto")).toBe("auto");
    expect(choice("none")).toBe("none");
    expect(choice("required")).toBe("required");
    expect(choice("required", { requiredChoice: "any" })).toBe("any");
    expect(choice({ type: "function", name: "clock" })).toEqual({ type: "function", function: { name: "clock" } });
    expect(
      choice({ type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "clock" }] }, openaiDialect),
    ).toEqual({
      type: "allowed_tools",
      allowed_tools: { mode: "required", tools: [{ type: "function", function: { name: "clock" } }] },
    });
    expect(ask({ tools, tool_choice: { type: "web_search" } })).toMatchObject({ lost: ["tool_choice"] });
    expect(() => choice({ type: "function", name: "nobody" })).toThrow(
      expect.objectContaining({ code: "BAD_REQUEST", param: "tool_choice" }),
    );
  });

  test("T2: without allowed_tools only the allowed ones are sent, and that is declared", () => {
    const tools: Tool[] = [weather, { type: "function", name: "clock" }];
    const { body, lost } = ask({
      tools,
      tool_choice: { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "clock" }] },
    });
    expect(body).toMatchObject({ tools: [{ function: { name: "clock" } }], tool_choice: "required" });
    expect(lost).toEqual(["tools", "tool_choice"]);
  });

  test("T2, T15: without tools there is neither a list nor a choice", () => {
    const { body, lost } = ask({ tools: [{ type: "image_generation" }], tool_choice: "required", parallel_tool_calls: false });
    expect(body).not.toHaveProperty("tools");
    expect(body).not.toHaveProperty("tool_choice");
    expect(body).not.toHaveProperty("parallel_tool_calls");
    expect(lost).toEqual(["tools[0]", "tool_choice"]);
    expect(ask({ tools: [], tool_choice: "auto" })).toMatchObject({ lost: [] });
  });

  test("T15: a call of a tool that was never offered is passed on", () => {
    const output = respond(
      [calls({ index: 0, id: "c", function: { name: "nobody", arguments: "{}" } }), chunk({}, "tool_calls")],
      {},
    ).output;
    expect(bare(output)).toEqual([{ type: "function_call", call_id: "c", name: "nobody", arguments: "{}" }]);
  });

  test("T3: parallel_tool_calls goes with tools, and null is not given", () => {
    expect(ask({ tools: [weather], parallel_tool_calls: false }).body["parallel_tool_calls"]).toBe(false);
    expect(ask({ tools: [weather], parallel_tool_calls: null }).body).not.toHaveProperty("parallel_tool_calls");
    expect(ask({ tools: [weather], parallel_tool_calls: false }, { drops: ["parallel_tool_calls"] }).lost).toEqual([
      "parallel_tool_calls",
    ]);
  });

  test("T11: arguments go back as the model wrote them, broken or not; only none at all become an object", () => {
    const sent = (args: string) => {
      const input = [
        { type: "function_call", call_id: "a", name: "weather", arguments: args } as const,
        functionCallOutput("a", "1"),
      ];
      return encode({ input }).body.messages[0];
    };
    for (const args of ['{"b":1,"a":2}', '{"city":"Zürich"}', '{"city":"Os'])
      expect(sent(args)).toMatchObject({ tool_calls: [{ function: { arguments: args } }] });
    expect(sent("")).toMatchObject({ tool_calls: [{ function: { arguments: "{}" } }] });
  });

  test("T14: the same tools are always the same text", () => {
    const request: CreateResponse = { tools: [weather, { type: "custom", name: "patch" }] };
    expect(JSON.stringify(ask(request).body)).toBe(JSON.stringify(ask(structuredClone(request)).body));
  });
});
