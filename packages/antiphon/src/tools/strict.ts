import { checkArgument, checkOptions, yesOrNo, type Rules } from "../core/options.ts";
import { isObject } from "../model/guards.ts";
import type { JsonSchema } from "../model/index.ts";
import { checkNesting, follow } from "./json-schema.ts";
import { restorePlan, type RestoreOptions, type RestorePlan } from "./restore.ts";
import { StrictConverter } from "./strict-convert.ts";
import { overLimits } from "./strict-limits.ts";
import { strictRules } from "./strict-rules.ts";
import type { SchemaChange } from "./tool.ts";
import { SchemaScope } from "./validate.ts";
import { unwrapPath, unwrapRoot, wrapRoot } from "./wrap-root.ts";

/** A schema in strict form, or as it was where it has none. */
export interface StrictSchema {
  schema: JsonSchema;
  strict: boolean;
  /** Every change that was made, or why none was. */
  changes: SchemaChange[];
  /** The way back, for `restoreArguments`. */
  plan: RestorePlan;
}

/**
 * Converts a schema to its strict form: closed objects, all properties required, optional ones nullable. One that has
 * no such form stays as it is, with the reason in `changes`.
 *
 * @example
 * const { schema, strict, plan } = toStrict({ type: "object", properties: { city: { type: "string" } } });
 * restoreArguments({ city: null }, plan); // {}
 */
export function toStrict(schema: JsonSchema, options: RestoreOptions = {}): StrictSchema {
  checkArgument("toStrict", "a JSON Schema", isObject(schema), schema);
  checkOptions("toStrict", options, restoreRules);
  checkNesting(schema);
  const scope = new SchemaScope(schema);
  return { ...convert(schema, scope), plan: restorePlan(scope, options) };
}

function convert(schema: JsonSchema, scope: SchemaScope): Omit<StrictSchema, "plan"> {
  const converter = new StrictConverter(scope);
  const root = converter.root();
  const { changes, definitions } = converter;
  const converted = Object.keys(definitions).length > 0 ? { ...root, $defs: definitions } : root;
  if (!changes.some(isRefusal)) for (const reason of overLimits(converted)) converter.refuse({ path: "" }, reason);
  const refusals = changes.filter(isRefusal);
  return refusals.length > 0 ? { schema, strict: false, changes: refusals } : { schema: converted, strict: true, changes };
}

const isRefusal = ({ rule }: SchemaChange): boolean => rule === "not-strict";

/** What is sent for a schema, and the way back from what is written under it. */
export interface StrictForm {
  schema: JsonSchema;
  strict: boolean;
  changes: SchemaChange[];
  /** A value that was written under the form, as the original schema means it; not yet validated. */
  restore(value: unknown): unknown;
}

/** How a schema is brought into the form in which it is sent. */
export interface StrictFormOptions extends RestoreOptions {
  /** False: the schema is not to be changed, but for a root that no wire would take. */
  strict?: boolean;
}

const restoreRules: Rules<RestoreOptions> = { defaults: yesOrNo };
const strictFormRules: Rules<StrictFormOptions> = { ...restoreRules, strict: yesOrNo };

/** Keywords that no wire takes at the root, beside those that make it no object at all. */
const notAtRoot = ["anyOf", "oneOf", "allOf", "not", "enum", "const", "$ref"];

const hasObjectRoot = (schema: JsonSchema): boolean =>
  (schema["type"] === "object" || (schema["type"] === undefined && isObject(schema["properties"]))) &&
  notAtRoot.every((keyword) => schema[keyword] === undefined);

/** A root that is nothing but a reference, written out; wires want to see that it is an object. */
function inlinedRoot(schema: JsonSchema): JsonSchema {
  const { $ref, ...rest } = schema;
  const target = typeof $ref === "string" ? follow(schema, $ref)?.schema : undefined;
  return isObject(target) ? { ...target, ...rest } : schema;
}

/** A schema that is not strict as wires take it all the same: an object that names its properties, if none. */
const asSent = ({ $schema: _, ...schema }: JsonSchema): JsonSchema => ({
  ...schema,
  type: "object",
  properties: schema["properties"] ?? {},
});

/** Returns the form in which a schema is sent to a model: strict if possible, and always an object at the root. */
export function strictForm(schema: JsonSchema, options: StrictFormOptions = {}): StrictForm {
  checkOptions("strictForm", options, strictFormRules);
  const { strict, ...restoring } = options;
  const { plan, ...direct } = toStrict(schema, restoring);
  const isAsked = strict !== false;
  if (direct.strict && isAsked) return { ...direct, restore: plan.restore };
  const plain = inlinedRoot(schema);
  if (hasObjectRoot(plain))
    return { schema: asSent(plain), strict: false, changes: isAsked ? direct.changes : [notAsked], restore: plan.restore };
  const wrapped = wrapRoot(schema);
  const form = isAsked ? convert(wrapped, new SchemaScope(wrapped)) : { schema: wrapped, strict: false, changes: [notAsked] };
  const changes = form.changes.map((change) => ({ ...change, path: unwrapPath(change.path) }));
  return { ...form, changes: [rootWrapped, ...changes], restore: (value) => plan.restore(unwrapRoot(value)) };
}

const rootWrapped: SchemaChange = { path: "", rule: "root-wrapped", reason: strictRules["root-wrapped"] };
const notAsked: SchemaChange = {
  path: "",
  rule: "not-strict",
  reason: "The schema is sent unchanged: strict mode was not requested.",
};
