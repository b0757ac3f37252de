import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isObject, type JsonObject } from "../../src/model/guards.ts";
import type { JsonSchema } from "../../src/model/index.ts";
import { strictForm, toStrict } from "../../src/tools/strict.ts";
import { haveRecordings, recordings } from "../support/recordings.ts";
import { generated, looseKinds } from "./corpus-generated.ts";
import { looseServers, strictServers } from "./corpus-servers.ts";
import { rootedSchemas, strictableSchemas, wildSchemas } from "./schema-arbitraries.ts";
import { strictFaults } from "./strict-rules.ts";

/** What the rules say of each schema once it is converted: strict and lawful, or why it is not strict. */
interface Verdict {
  name: string;
  strict: boolean;
  faults: string[];
  reasons: string[];
}

function judge([name, schema]: readonly [string, JsonSchema]): Verdict {
  const form = toStrict(schema);
  const reasons = form.changes.filter(({ rule }) => rule === "not-strict").map(({ path, reason }) => `${path}: ${reason}`);
  return { name, strict: form.strict, faults: form.strict ? strictFaults(form.schema) : [], reasons };
}

const sampled = fc
  .sample(fc.oneof(strictableSchemas, wildSchemas, rootedSchemas), { numRuns: 100, seed: 4 })
  .map((schema, at) => [`sample ${at}`, schema] as const);

const corpus: (readonly [string, JsonSchema])[] = [
  ...Object.entries(strictServers),
  ...Object.entries(looseServers).map(([name, [schema]]) => [name, schema] as const),
  ...Object.entries(generated),
  ...sampled,
];

function expectLawful(verdicts: readonly Verdict[]): void {
  expect(verdicts.filter(({ faults }) => faults.length > 0)).toEqual([]);
  expect(verdicts.filter(({ strict, reasons }) => strict === reasons.length > 0)).toEqual([]);
}

describe("the corpus", () => {
  const verdicts = corpus.map(judge);
  const strict = verdicts.filter((verdict) => verdict.strict);

  test("holds at least 300 schemas, each strict by the published rules or marked with the reason why not", () => {
    const distinct = new Set(corpus.map(([, schema]) => JSON.stringify(schema)));
    expect(distinct.size).toBeGreaterThanOrEqual(300);
    expectLawful(verdicts);
    // The counts are what this test is read for.
    process.stdout.write(
      `strict corpus: ${distinct.size} schemas, ${strict.length} strict, ${verdicts.length - strict.length} marked\n`,
    );
  });

  test("of servers' tools is strict where it can be", () => {
    expect(verdicts.filter(({ name }) => Object.hasOwn(strictServers, name) && !strict.some((one) => one.name === name))).toEqual(
      [],
    );
  });

  test.each(Object.entries(looseServers))("%s cannot be strict, and says why", (_, [schema, reason]) => {
    expect(judge(["it", schema]).reasons.join("\n")).toMatch(new RegExp(reason));
  });

  test("of generated schemas is strict but for maps and what may be anything", () => {
    const names = verdicts
      .filter((verdict) => !verdict.strict && Object.hasOwn(generated, verdict.name))
      .map(({ name }) => name.split(", ")[0]!);
    expect([...new Set(names)]).toEqual(looseKinds);
  });

  test("is always sent with an object at the root", () => {
    for (const [, schema] of corpus) expect(String(strictForm(schema).schema["type"]).toLowerCase()).toBe("object");
  });
});

/** The schemas of a recorded request: of its functions, wherever its wire keeps them, and of its answer. */
function schemasOf(request: unknown): JsonSchema[] {
  if (Array.isArray(request)) return request.flatMap(schemasOf);
  if (!isObject(request)) return [];
  const own = ["parameters", "input_schema", "inputSchema", "parametersJsonSchema", "schema"].map((key) => request[key]);
  const places = [
    "tools",
    "function",
    "functionDeclarations",
    "text",
    "format",
    "response_format",
    "json_schema",
    "output_config",
  ];
  return [
    ...own.filter((schema): schema is JsonObject => isObject(schema) && isObject(schema["properties"])),
    ...places.flatMap((key) => schemasOf(request[key])),
  ];
}

test.skipIf(!haveRecordings)(
  "the tools and answers of recorded requests are strict by the rules, or marked with the reason why not",
  () => {
    const schemas = recordings("").flatMap((recording) => schemasOf(recording.request()));
    const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema]))];
    const verdicts = distinct.map(judge);
    expect(distinct.length).toBeGreaterThan(100);
    expectLawful(verdicts);
    const strict = verdicts.filter((verdict) => verdict.strict).length;
    process.stdout.write(`recorded schemas: ${distinct.length}, ${strict} strict, ${distinct.length - strict} marked\n`);
  },
);
