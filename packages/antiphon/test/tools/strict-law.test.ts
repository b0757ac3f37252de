import fc from "fast-check";
import { expect, test } from "vitest";
import { restoreArguments } from "../../src/tools/restore.ts";
import { strictForm, toStrict } from "../../src/tools/strict.ts";
import { validate } from "../../src/tools/validate.ts";
import { runs } from "../support/runs.ts";
import { few, fitsByAjv as fits } from "./ajv-oracle.ts";
import { rootedSchemas, strictableSchemas, strictValues, wildSchemas } from "./schema-arbitraries.ts";
import { strictFaults } from "./strict-rules.ts";

/** Changes after which a value may fit the strict form and not the original. */
const loosening = new Set(["keyword-to-description", "tuple-to-any-of"]);

test("what fits the strict form fits the original once it is restored", () => {
  const converted = { strict: 0, all: 0 };
  const law = fc.property(strictableSchemas, fc.gen(), (schema, gen) => {
    const { schema: strict, plan, ...form } = toStrict(schema);
    converted.all += 1;
    if (!form.strict) return;
    converted.strict += 1;
    expect(strictFaults(strict)).toEqual([]);
    expect(form.changes.filter(({ rule }) => loosening.has(rule))).toEqual([]);
    const written = gen(() => strictValues(strict));
    expect(fits(strict, written), "the generator of values is at fault").toBe(true);
    const restored = restoreArguments(written, plan);
    expect(fits(schema, restored), `restored to ${JSON.stringify(restored)}`).toBe(true);
    expect(validate(schema, restored)).toEqual([]);
    expect(restoreArguments(restored, plan)).toEqual(restored);
  });
  fc.assert(law, few(runs(60, 5_000)));
  // Some are refused rightly: choices that cannot be met, merges that nothing fits.
  expect(converted.strict / converted.all).toBeGreaterThan(0.6);
});

test("any schema is sent as an object, and any value comes back through it", () => {
  const law = fc.property(rootedSchemas, fc.gen(), (schema, gen) => {
    const form = strictForm(schema);
    expect(form.schema["type"]).toBe("object");
    if (!form.strict) return;
    expect(strictFaults(form.schema)).toEqual([]);
    const written = gen(() => strictValues(form.schema));
    expect(fits(schema, form.restore(written))).toBe(true);
  });
  fc.assert(law, few(runs(60, 5_000)));
});

test("a schema is strict by the rules, or says why not; the original is never touched", () => {
  const law = fc.property(fc.oneof(wildSchemas, strictableSchemas, rootedSchemas), (schema) => {
    const before = structuredClone(schema);
    const { schema: strict, changes, ...form } = toStrict(schema);
    expect(schema).toEqual(before);
    if (form.strict) expect(strictFaults(strict)).toEqual([]);
    else {
      expect(strict).toBe(schema);
      expect(changes.length).toBeGreaterThan(0);
      expect(changes.every(({ rule, reason }) => rule === "not-strict" && reason.length > 20)).toBe(true);
    }
  });
  fc.assert(law, few(runs(150, 5_000)));
});

test("a strict schema that is converted again stays as it is", () => {
  const law = fc.property(strictableSchemas, (schema) => {
    const first = toStrict(schema);
    if (!first.strict) return;
    const second = toStrict(first.schema);
    expect(second.strict).toBe(true);
    expect(second.schema).toEqual(first.schema);
  });
  fc.assert(law, few(runs(100, 5_000)));
});
