import { expect, test } from "vitest";
import { isObject, type JsonObject } from "../../src/model/guards.ts";
import type { JsonSchema } from "../../src/model/index.ts";
import { recordings } from "../support/recordings.ts";
import { expectLawful, judge } from "./corpus-verdicts.ts";

/** Returns the schemas of a request's functions and of its output format, in every API. */
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

test("the schemas of recorded requests are strict by the rules, or have a reason why not", () => {
  const schemas = recordings("").flatMap((recording) => schemasOf(recording.request()));
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema]))];
  const verdicts = distinct.map(judge);
  expect(distinct.length).toBeGreaterThan(100);
  expectLawful(verdicts);
  const strict = verdicts.filter((verdict) => verdict.strict).length;
  process.stdout.write(`recorded schemas: ${distinct.length}, ${strict} strict, ${distinct.length - strict} marked\n`);
});
