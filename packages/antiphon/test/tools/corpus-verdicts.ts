import { expect } from "vitest";
import type { JsonSchema } from "../../src/model/index.ts";
import { toStrict } from "../../src/tools/strict.ts";
import { strictFaults } from "./strict-rules.ts";

/** The result of converting a schema: strict and valid, or the reasons why it is not strict. */
export interface Verdict {
  name: string;
  strict: boolean;
  faults: string[];
  reasons: string[];
}

/** Converts a schema and checks the result against the published rules. */
export function judge([name, schema]: readonly [string, JsonSchema]): Verdict {
  const form = toStrict(schema);
  const reasons = form.changes.filter(({ rule }) => rule === "not-strict").map(({ path, reason }) => `${path}: ${reason}`);
  return { name, strict: form.strict, faults: form.strict ? strictFaults(form.schema) : [], reasons };
}

/** Expects strict schemas to be without fault, and all others to have a reason. */
export function expectLawful(verdicts: readonly Verdict[]): void {
  expect(verdicts.filter(({ faults }) => faults.length > 0)).toEqual([]);
  expect(verdicts.filter(({ strict, reasons }) => strict === reasons.length > 0)).toEqual([]);
}
