import { expect, test } from "vitest";
import { fillSchema } from "../../src/testing/offline/fill-schema.ts";
import { recordings } from "../support/recordings.ts";
import { faults } from "./json-schema.ts";

type Schema = Record<string, unknown>;

const isSchema = (key: string, value: unknown): value is Schema =>
  ["parameters", "schema", "input_schema"].includes(key) &&
  typeof value === "object" &&
  value !== null &&
  "type" in value &&
  (value.type === "object" || value.type === "array") &&
  !JSON.stringify(value).includes('"nullable"');

/** Returns every JSON Schema in the recorded requests, without those in the dialects of Gemini and OpenAPI. */
function recordedSchemas(): Schema[] {
  const found = new Map<string, Schema>();
  const collect = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (isSchema(key, inner)) found.set(JSON.stringify(inner), inner);
      else collect(inner);
    }
  };
  for (const recording of recordings("")) collect(recording.request());
  return [...found.values()];
}

test("fillSchema returns a valid value for every schema in recorded requests", () => {
  const schemas = recordedSchemas();
  expect(schemas.length).toBeGreaterThan(100);
  expect(schemas.flatMap((schema) => faults(schema, fillSchema(schema, "What is the weather in Oslo?")))).toEqual([]);
});
