import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../src/model/index.ts";
import { tool } from "../../src/tools/define.ts";
import { toAnthropic, toChat, toMcp, toolDefinition, toResponses, type ToolForm } from "../../src/tools/formats.ts";

const schema: JsonSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const [name, description] = ["weather", "Tells the weather."];

const forms: Readonly<Record<string, ToolForm>> = {
  responses: { type: "function", name, description, parameters: schema },
  chat: { type: "function", function: { name, description, parameters: schema } },
  anthropic: { name, description, input_schema: schema },
  "anthropic, with a type": { type: "custom", name, description, input_schema: schema },
  mcp: { name, title: "Weather", description, inputSchema: schema, annotations: { readOnlyHint: true } },
  bare: { name, description, parameters: schema },
  gemini: { name, description, parametersJsonSchema: schema },
};

describe.each(Object.entries(forms))("the %s form", (_, form) => {
  test("becomes every other", () => {
    expect(toResponses(form)).toEqual(forms["responses"]);
    expect(toChat(form)).toEqual(forms["chat"]);
    expect(toAnthropic(form)).toEqual(forms["anthropic"]);
    expect(toMcp(form)).toEqual({ name, description, inputSchema: schema });
  });

  test("becomes a tool that runs", () => {
    const weather = tool({ definition: form, run: () => "sunny" });
    expect(weather.definition).toMatchObject({ type: "function", name, description, strict: true });
    expect(weather.read('{"city":"Oslo"}')).toEqual({ city: "Oslo" });
  });
});

test("strictness goes along where a form has it", () => {
  const strict = { type: "function" as const, name, parameters: schema, strict: true };
  expect(toolDefinition(toChat(strict))).toEqual(strict);
  expect(toolDefinition(toAnthropic(strict))).toEqual(strict);
  expect(toolDefinition(toMcp(strict))).toEqual({ type: "function", name, parameters: schema });
});

test("a tool that runs can be declared elsewhere", () => {
  const clock = tool({ name: "clock", description: "Tells the time.", run: () => "12:00" });
  const input_schema = { type: "object", properties: {}, required: [], additionalProperties: false };
  expect(toAnthropic(clock)).toEqual({ name: "clock", description: "Tells the time.", input_schema, strict: true });
});

test("parameters that are left out or null are none", () => {
  const none = { type: "object", properties: {} };
  expect(toAnthropic({ type: "function", name, parameters: null, description: null, strict: null })).toEqual({
    name,
    input_schema: none,
  });
  expect(toMcp({ name })).toEqual({ name, inputSchema: none });
});

test("what declares no function is refused", () => {
  // Forms that come over the network may be anything.
  const wrong = [{ type: "web_search" }, { type: "custom", name: "sql" }, { description: "nameless" }] as unknown as ToolForm[];
  for (const form of wrong) expect(() => toolDefinition(form)).toThrow("must declare a function with a name");
});
