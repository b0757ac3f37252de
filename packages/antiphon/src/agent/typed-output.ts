import { AntiphonError } from "../core/error.ts";
import { PartialJson } from "../core/partial-json.ts";
import { isObject } from "../model/guards.ts";
import type { JsonSchema, TextFormat } from "../model/index.ts";
import { isStandardSchema, jsonSchemaOf, type OutputOf, type StandardSchema } from "../tools/standard-schema.ts";
import { strictForm } from "../tools/strict.ts";
import { SchemaScope } from "../tools/validate.ts";
import { findJson } from "./find-json.ts";

/** The form of an answer: a schema of Zod or any other library that follows Standard Schema, or JSON Schema. */
export type OutputSchema<Output = unknown> = StandardSchema<unknown, Output> | JsonSchema;

/** The type of an answer in the form of a schema; plain JSON Schema tells the compiler nothing. */
export type OutputFrom<Schema> = Schema extends StandardSchema ? OutputOf<Schema> : unknown;

/** What an answer was read as, or what is wrong with it. */
export type Reading<Output> = { value: Output } | { problem: string };

/** All that is needed to ask for an answer in a certain form, and to read it. */
export interface TypedReader<Output = unknown> {
  /** What binds a model to the form. */
  format: TextFormat;
  /** What asks for it where a model cannot be bound. */
  words: string;
  /** Reads a whole answer: JSON, alone or among words, checked against the schema as it was given. */
  read(text: string): Promise<Reading<Output>>;
  /** Reads as much of an answer as has come. */
  readPart(text: string): unknown;
  /** Takes a root that is no object out of the one that it was wrapped in. */
  unwrap(value: unknown): unknown;
}

const readers = new WeakMap<OutputSchema, TypedReader>();

/** The reader for a schema. Made once: bringing a schema into strict form costs more than most requests' own part. */
export function typedReader<Output>(schema: OutputSchema<Output>): TypedReader<Output> {
  const reader = readers.get(schema) ?? makeReader(schema);
  readers.set(schema, reader);
  // It was made from this very schema, whose type tells what its validation gives.
  return reader as TypedReader<Output>;
}

function makeReader(schema: OutputSchema): TypedReader {
  const standard = isStandardSchema(schema) ? schema : undefined;
  if (!standard && !isObject(schema)) throw new AntiphonError("BAD_REQUEST", "`output` must be a schema.", { param: "output" });
  const original = standard ? jsonSchemaOf(standard, "`output`") : (schema as JsonSchema);
  // A library puts in its own defaults, which may be of another type than what it reads.
  const form = strictForm(original, { defaults: !standard });
  const check = checker(schema);
  const isWrapped = form.changes.some(({ rule }) => rule === "root-wrapped");
  const inner = (value: unknown): unknown => (isObject(value) ? value["value"] : undefined);
  const unwrap = isWrapped ? inner : (value: unknown): unknown => value;
  return {
    format: { type: "json_schema", name: nameOf(original), schema: form.schema, strict: form.strict },
    words: `Answer with JSON only, without other text or a code fence. The JSON must match this JSON Schema:\n${JSON.stringify(form.schema)}`,
    read: async (text) => {
      const found = findJson(text);
      return found ? check(form.restore(found.value)) : { problem: "It is not JSON." };
    },
    readPart: (text) => {
      const json = new PartialJson();
      json.push(text.slice(Math.max(0, text.indexOf("{"))));
      return unwrap(json.value);
    },
    unwrap,
  };
}

const nameOf = ({ title }: JsonSchema): string => {
  const name = typeof title === "string" ? title.replaceAll(/[^a-zA-Z0-9_-]+/g, "_").slice(0, 64) : "";
  return name || "answer";
};

const problemsShown = 10;
const listed = (problems: readonly string[]): { problem: string } => {
  const more = problems.length > problemsShown ? [`and ${problems.length - problemsShown} more`] : [];
  return { problem: [...problems.slice(0, problemsShown), ...more].map((line) => `- ${line}`).join("\n") };
};

/** Checks a value against the schema as it was given. */
function checker(schema: OutputSchema): (value: unknown) => Promise<Reading<unknown>> {
  if (isStandardSchema(schema)) {
    return async (value) => {
      const result = await schema["~standard"].validate(value);
      if (!result.issues) return { value: result.value };
      return listed(result.issues.map(({ path, message }) => `${pathOf(path)}: ${message}`));
    };
  }
  const scope = new SchemaScope(schema);
  return async (value) => {
    const problems = scope.problems(schema, value);
    return problems.length === 0 ? { value } : listed(problems.map(({ path, message }) => `${path || "/"}: ${message}`));
  };
}

const pathOf = (path: readonly (PropertyKey | { readonly key: PropertyKey })[] = []): string =>
  `/${path.map((step) => String(typeof step === "object" ? step.key : step)).join("/")}`;
