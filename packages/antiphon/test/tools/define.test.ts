import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { AntiphonError } from "../../src/core/error.ts";
import type { FunctionTool, JsonSchema } from "../../src/model/index.ts";
import { customTool, tool } from "../../src/tools/define.ts";
import type { AgentTool, RunnableTool, ToolContext } from "../../src/tools/tool.ts";
import { strictFaults } from "./strict-rules.ts";

const context: ToolContext = { signal: new AbortController().signal, call_id: "call_1", name: "weather", context: undefined };
const parametersOf = ({ definition }: RunnableTool): JsonSchema => (definition as FunctionTool).parameters ?? {};

function failureOf(act: () => unknown): AntiphonError {
  try {
    act();
  } catch (error) {
    if (error instanceof AntiphonError) return error;
  }
  throw new Error("nothing was thrown");
}

const schema: JsonSchema = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer", default: 1 }, note: { type: "string" } },
  required: ["city"],
};

describe("a tool of every library", () => {
  const libraries = {
    zod: tool({
      name: "weather",
      input: z.object({ city: z.string(), days: z.int().default(1), note: z.string().optional() }),
      run: ({ city, days, note }) => `${city} ${days} ${note}`,
    }),
    valibot: tool({
      name: "weather",
      input: toStandardJsonSchema(
        v.object({ city: v.string(), days: v.optional(v.pipe(v.number(), v.integer()), 1), note: v.optional(v.string()) }),
      ),
      run: ({ city, days, note }) => `${city} ${days} ${note}`,
    }),
    arktype: tool({
      name: "weather",
      input: type({ city: "string", days: "number.integer = 1", "note?": "string" }),
      run: ({ city, days, note }) => `${city} ${days} ${note}`,
    }),
    "JSON Schema": tool<{ city: string; days: number; note?: string }>({
      name: "weather",
      input: schema,
      run: ({ city, days, note }) => `${city} ${days} ${note}`,
    }),
  };

  test.each(Object.entries(libraries))("of %s is strict, reads what was left out, and refuses what is wrong", (_, weather) => {
    expect(weather.definition).toMatchObject({ type: "function", name: "weather", strict: true });
    expect(strictFaults(parametersOf(weather))).toEqual([]);
    expect(parametersOf(weather)["required"]).toEqual(["city", "days", "note"]);
    const input = weather.read('{"city":"Oslo","days":null,"note":null}') as { city: string; days: number };
    expect(input).toEqual({ city: "Oslo", days: 1 });
    expect(weather.run(input, context)).toBe("Oslo 1 undefined");
    const failure = failureOf(() => weather.read('{"city":5}'));
    expect(failure.code).toBe("BAD_REQUEST");
    expect(failure.param).toBe("/city");
    expect(failure.message).toMatch(/^The arguments of "weather" do not match its schema:\n- \/city: .+\nCorrect the arguments/);
  });

  test("knows the types of its input", () => {
    expectTypeOf(libraries.zod).toEqualTypeOf<RunnableTool<{ city: string; days: number; note?: string | undefined }>>();
    expectTypeOf(libraries.valibot).toEqualTypeOf<RunnableTool<{ city: string; days: number; note?: string | undefined }>>();
    expectTypeOf(libraries.arktype).toEqualTypeOf<RunnableTool<{ city: string; days: number; note?: string }>>();
    expectTypeOf(tool({ name: "any", input: schema, run: (input) => input })).toEqualTypeOf<RunnableTool>();
    expectTypeOf(libraries.zod).toExtend<AgentTool>();
  });

  test("of a library that cannot tell its JSON Schema asks for it", () => {
    const input = v.object({ city: v.string() });
    const failure = failureOf(() => tool({ name: "weather", input, run: () => "" }));
    expect(failure.code).toBe("INVALID_SCHEMA");
    expect(failure.message).toMatch(/valibot.+`parameters`.+toStandardJsonSchema/);
    const given = tool({ name: "weather", input, parameters: schema, run: ({ city }) => city });
    expect(given.read('{"city":"Oslo","days":null}')).toEqual({ city: "Oslo" });
  });

  test("of a schema without JSON Schema says what the library says", () => {
    const failure = failureOf(() => tool({ name: "calendar", input: z.object({ day: z.date() }), run: () => "" }));
    expect(failure.message).toMatch(/by zod: Date cannot be represented.+`parameters`/);
  });

  test("leaves defaults to the library, whose own may be of another type", () => {
    const input = z.object({ days: z.string().transform(Number).default(5) });
    const parameters: JsonSchema = { type: "object", properties: { days: { type: "string", default: 5 } } };
    expect(tool({ name: "days", input, parameters, run: () => "" }).read("{}")).toEqual({ days: 5 });
  });

  test("may check asynchronously", async () => {
    const input = z.object({ city: z.string().refine(async (city) => city !== "Atlantis", "is no city") });
    const weather = tool({ name: "weather", input, run: () => "" });
    await expect(weather.read('{"city":"Oslo"}')).resolves.toEqual({ city: "Oslo" });
    await expect(weather.read('{"city":"Atlantis"}')).rejects.toThrow("- /city: is no city");
  });
});

describe("what the model wrote", () => {
  const weather = tool({ name: "weather", input: schema, run: () => "" });

  test.each<[string, unknown, unknown]>([
    ["JSON text", '{"city":"Oslo"}', { city: "Oslo", days: 1 }],
    ["a value", { city: "Oslo", days: 2 }, { city: "Oslo", days: 2 }],
    ["more than was asked for", '{"city":"Oslo","days":2,"mood":null}', { city: "Oslo", days: 2, mood: null }],
  ])("is read from %s", (_, written, expected) => {
    expect(weather.read(written)).toEqual(expected);
  });

  test.each<[string, unknown, RegExp]>([
    ["that was cut off", '{"city":"Os', /not valid JSON: .+ Call the tool again with one JSON object\.$/],
    ["that is no object", "[1]", /- \/: must be an object, got \[1\]/],
    ["of nothing", "", /- \/city: is required/],
    ["with many faults", JSON.stringify({ city: 1, days: "x" }), /- \/city: .+\n- \/days: must be a whole number, got "x"/],
    ["that is deeply nested", `{"city":${"[".repeat(5_000)}${"]".repeat(5_000)}}`, /- \/city: must be a string, got \[{60}…/],
  ])("is refused in words %s", (_, written, message) => {
    expect(failureOf(() => weather.read(written)).message).toMatch(message);
  });

  test("is refused in words where it is too deep to be restored", () => {
    const node: JsonSchema = { type: "object", properties: { next: { $ref: "#" } } };
    const written = `${'{"next":'.repeat(50_000)}{}${"}".repeat(50_000)}`;
    expect(failureOf(() => tool({ name: "node", input: node, run: () => "" }).read(written)).message).toContain(
      "nested too deeply",
    );
  });

  test("is not flooded with faults", () => {
    const list = tool({ name: "list", input: { type: "array", items: { type: "string" } }, run: () => "" });
    const { message } = failureOf(() => list.read({ value: Array.from({ length: 100 }, () => 1) }));
    expect(message.split("\n")).toHaveLength(13);
    expect(message).toContain("- and 40 more");
  });
});

describe("a tool's definition", () => {
  test("with a schema that is nested without end, or nearly so, is an error", () => {
    const nested = (levels: number): JsonSchema => {
      let inner: JsonSchema = { type: "string" };
      for (let level = 0; level < levels; level += 1) inner = { type: "object", properties: { inner } };
      return inner;
    };
    const circle: JsonSchema = { type: "object", properties: {} };
    Object.assign(circle["properties"]!, { circle });
    for (const input of [nested(501), nested(100_000), circle, { type: "array", items: nested(100_000) }])
      expect(failureOf(() => tool({ name: "deep", input, run: () => "" }))).toMatchObject({
        code: "INVALID_SCHEMA",
        message: "The schema is nested deeper than 1000 levels or contains itself.",
      });
    expect(tool({ name: "deep", input: nested(500), run: () => "" }).definition).toMatchObject({ strict: false });
  });

  test("without input takes none, and minds nothing that is written", () => {
    const clock = tool({ name: "clock", description: "Tells the time.", run: () => "12:00" });
    const parameters = { type: "object", properties: {}, required: [], additionalProperties: false };
    expect(clock.definition).toEqual({
      type: "function",
      name: "clock",
      description: "Tells the time.",
      parameters,
      strict: true,
    });
    for (const written of ["", "{}", "null", undefined, '{"x":1}']) expect(() => clock.read(written)).not.toThrow();
    const bare = [{ type: "object" }, {}, { type: "object", properties: {}, required: [] }];
    for (const input of bare) expect(tool({ name: "clock", input, run: () => "" }).definition).toMatchObject({ parameters });
  });

  test("wraps a root that is no object, and takes it out again", () => {
    const shape = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("circle"), radius: z.number() }),
      z.object({ kind: z.literal("square"), side: z.number().optional() }),
    ]);
    const draw = tool({ name: "draw", input: shape, run: ({ kind }) => kind });
    expect(strictFaults(parametersOf(draw))).toEqual([]);
    expect(draw.read('{"value":{"kind":"square","side":null}}')).toEqual({ kind: "square" });
    expect(draw.read('{"kind":"circle","radius":1}')).toEqual({ kind: "circle", radius: 1 });
  });

  test("tells what was changed, and why it is not strict where it is not", () => {
    expect(tool({ name: "weather", input: schema, run: () => "" }).changes.map(({ rule }) => rule)).toContain(
      "optional-to-nullable",
    );
    const input = z.object({ labels: z.record(z.string(), z.string()) });
    const label = tool({ name: "label", input, run: () => "" });
    expect(label.definition).toMatchObject({ strict: false });
    expect(label.changes).toMatchObject([{ path: "/properties/labels", rule: "not-strict" }]);
    expect(label.read('{"labels":{"a":"b"}}')).toEqual({ labels: { a: "b" } });
  });

  test("is strict on demand, or not", () => {
    expect(tool({ name: "weather", input: schema, strict: false, run: () => "" }).definition).toMatchObject({
      strict: false,
      parameters: schema,
    });
    const open: JsonSchema = { type: "object", additionalProperties: true };
    const failure = failureOf(() => tool({ name: "open", input: open, strict: true, run: () => "" }));
    expect(failure.code).toBe("INVALID_SCHEMA");
    expect(failure.message).toContain("/: The schema is sent unchanged: it allows properties that it does not name.");
  });

  test("of another form is read, and may be renamed", () => {
    const definition = { name: "get.weather", description: "Tells the weather.", inputSchema: schema };
    expect(failureOf(() => tool({ definition, run: () => "" })).message).toContain('unlike "get.weather"');
    const weather = tool<{ city: string }>({ definition, name: "get_weather", run: ({ city }) => city });
    expect(weather).toMatchObject({ name: "get_weather", definition: { description: "Tells the weather.", strict: true } });
    expect(weather.read('{"city":"Oslo","note":null}')).toEqual({ city: "Oslo", days: 1 });
    expect(
      tool({ definition: { ...definition, type: "function", name: "w", strict: false }, run: () => "" }).definition,
    ).toMatchObject({ strict: false });
  });

  test.each(["", "get weather", "a".repeat(65), "wetter!"])("refuses the name %j", (name) => {
    const failure = failureOf(() => tool({ name, run: () => "" }));
    expect(failure).toMatchObject({ code: "BAD_REQUEST", param: "name" });
    expect(() => customTool({ name, run: () => "" })).toThrow(AntiphonError);
  });

  test("carries approval, timeout and idempotence", async () => {
    const pay = tool({
      name: "pay",
      input: z.object({ sum: z.number() }),
      run: () => "",
      approval: ({ sum }) => sum > 100,
      timeout: 50,
      idempotent: false,
    });
    expect(pay).toMatchObject({ timeout: 50, idempotent: false });
    expect(await pay.needsApproval?.({ sum: 500 }, context)).toBe(true);
    expect(await pay.needsApproval?.({ sum: 5 }, context)).toBe(false);
    expect(await tool({ name: "pay", run: () => "", approval: true }).needsApproval?.({}, context)).toBe(true);
    expect(tool({ name: "pay", run: () => "", approval: false }).needsApproval).toBeUndefined();
  });
});

test("a custom tool takes the text as it was written", () => {
  const grammar = { type: "grammar", syntax: "regex", definition: "^SELECT" } as const;
  const sql = customTool({ name: "sql", description: "Asks.", format: grammar, run: (text) => text.length, approval: true });
  expect(sql.definition).toEqual({ type: "custom", name: "sql", description: "Asks.", format: grammar });
  expect(sql.read('{"not":"parsed"}')).toBe('{"not":"parsed"}');
  expect(sql.needsApproval).toBeDefined();
  expectTypeOf(sql).toEqualTypeOf<RunnableTool<string>>();
});
