import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../src/model/index.ts";
import { strictForm } from "../../src/tools/strict.ts";
import { generated, looseKinds } from "./corpus-generated.ts";
import { looseServers, strictServers } from "./corpus-servers.ts";
import { expectLawful, judge } from "./corpus-verdicts.ts";
import { rootedSchemas, strictableSchemas, wildSchemas } from "./schema-arbitraries.ts";

const sampled = fc
  .sample(fc.oneof(strictableSchemas, wildSchemas, rootedSchemas), { numRuns: 100, seed: 4 })
  .map((schema, at) => [`sample ${at}`, schema] as const);

const corpus: (readonly [string, JsonSchema])[] = [
  ...Object.entries(strictServers),
  ...Object.entries(looseServers).map(([name, [schema]]) => [name, schema] as const),
  ...Object.entries(generated),
  ...sampled,
];

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
