import { expect, test } from "vitest";
import { commands } from "../../src/commands.ts";
import { settingsFor } from "../../src/config/flags.ts";
import { pathOf } from "../../src/config/check.ts";

/** What `--set` makes of a value. */
async function valueOf(assignment: string): Promise<unknown> {
  const { values } = await settingsFor(commands["config show"], { flags: { set: [assignment] } });
  return pathOf(assignment.split("=")[0] ?? "").reduce<unknown>((value, name) => Reflect.get(value as object, name), values);
}

test.each<[string, unknown]>([
  ['gateway.models.fast="offline"', "offline"],
  ["gateway.models.fast='offline'", "offline"],
  ["gateway.models.fast=offline", "offline"],
  ["gateway.models.fast=openai:gpt-5.2", "openai:gpt-5.2"],
  ['gateway.models.fast=["offline", "openai:m"]', ["offline", "openai:m"]],
  ['gateway.models.fast={ use = "offline", retries = 2 }', { use: "offline", retries: 2 }],
  ["gateway.models.fast.retries=2", 2],
  ["gateway.models.fast.retries=nan", "nan"],
  ["gateway.discover=true", true],
  ["gateway.discover=1\nx = 2", "1\nx = 2"],
  ["gateway.discover=2031-12-31", "2031-12-31"],
  ['model="offline"', "offline"],
  ["model=5", "5"],
  ["model=[[x]]", "[[x]]"],
  ['instructions="Hello," he said', '"Hello," he said'],
  ["instructions=[[say:a]] b", "[[say:a]] b"],
  ["max_tokens=5", 5],
  ["store=no", false],
  ['tools=["clock", "calculator"]', ["clock", "calculator"]],
  ["tools=clock,calculator", ["clock", "calculator"]],
  ["tools=", []],
  ["providers.openai.headers.x-team=5", "5"],
  ['providers.openai.headers={ x-team = "a" }', { "x-team": "a" }],
])("--set %s", async (assignment, value) => {
  expect(await valueOf(assignment)).toEqual(value);
});

test("--model and its like take a value as it is typed", async () => {
  expect((await settingsFor(commands.run, { flags: { model: '"x"' } })).values.model).toBe('"x"');
});
