import { compileSchema, isObject, type Loss, type Problem } from "antiphon";
import type { Context } from "../context.ts";
import { bodyError } from "../http/body-problem.ts";
import type { Exchange } from "../http/exchange.ts";
import { readJson } from "../http/read-json.ts";
import { componentSchemas } from "./openapi.ts";
import { operations } from "./openapi/paths.ts";
import { ref } from "./openapi/schema.ts";

type Fields = Record<string, unknown>;

/** A body that matches its schema. */
export interface CheckedBody {
  body: Fields;
  /** Returns the fields that the schema does not describe, as losses; for routes that send none of them to a model. */
  unread(): Loss[];
}

/** Schemas that are applied to one body, at most. Only lists of millions of strings need more. */
const maxChecks = 4_000_000;

interface BodySchema {
  problemsOf: (body: unknown) => Problem[];
  fields: ReadonlySet<string>;
}

const compiled = new Map<string, BodySchema>();

/** Returns a component of the OpenAPI description as a check. Compiled on first use. */
function bodySchema(name: string): BodySchema {
  const known = compiled.get(name);
  if (known) return known;
  const problemsOf = compileSchema(ref(name), { root: { components: { schemas: componentSchemas } }, maxChecks });
  const schema = { problemsOf, fields: new Set(fieldsOf(componentSchemas[name])) };
  compiled.set(name, schema);
  return schema;
}

/** Returns the properties of an object schema, also of those that it combines. */
function fieldsOf(schema: unknown): string[] {
  if (!isObject(schema)) return [];
  const { properties, allOf, $ref: reference } = schema;
  const target = typeof reference === "string" ? componentSchemas[reference.split("/").at(-1) ?? ""] : undefined;
  const own = isObject(properties) ? Object.keys(properties) : [];
  return [...own, ...fieldsOf(target), ...(Array.isArray(allOf) ? allOf.flatMap(fieldsOf) : [])];
}

/**
 * Returns the check of a route's body. It uses the schema that the OpenAPI description has for the route, so that the
 * two cannot differ.
 */
export function bodyCheck(route: string): (body: Fields) => CheckedBody {
  const name = operations[route]?.body;
  if (name === undefined) throw new Error(`The body of ${route} has no schema.`);
  return (body) => {
    const { problemsOf, fields } = bodySchema(name);
    const [problem] = problemsOf(body);
    if (problem) throw bodyError(body, problem);
    const unknown = (): string[] => Object.keys(body).filter((field) => !fields.has(field) && body[field] !== null);
    return { body, unread: () => unknown().map((path) => ({ path, reason: "Unknown field." })) };
  };
}

/** Returns the function that reads and checks the body of a route. */
export function bodyReader({ limits }: Pick<Context, "limits">, route: string): (exchange: Exchange) => Promise<CheckedBody> {
  const check = bodyCheck(route);
  return async (exchange) => check(await readJson(exchange, limits.maxBodyBytes));
}
