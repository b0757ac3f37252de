/** A JSON Schema, as OpenAPI 3.1 has them. */
export type Schema = { readonly [keyword: string]: unknown };

/** A field that may be left out. */
export interface Optional {
  readonly optional: Schema;
}

/**
 * A schema for every field of a type, with those that the type lets be left out marked so: a field that the type gains, loses or
 * renames does not compile here.
 */
export type Fields<T> = { readonly [K in keyof T]-?: {} extends Pick<T, K> ? Optional : Schema };

const isOptional = (field: Schema | Optional): field is Optional => "optional" in field;

/** An object with at least these fields; what else it holds is passed on. */
export function object(fields: Readonly<Record<string, Schema | Optional>>, description?: string): Schema {
  const entries = Object.entries(fields);
  const required = entries.flatMap(([name, field]) => (isOptional(field) ? [] : [name]));
  return {
    type: "object",
    ...(description === undefined ? {} : { description }),
    properties: Object.fromEntries(entries.map(([name, field]) => [name, isOptional(field) ? field.optional : field])),
    ...(required.length > 0 && { required }),
  };
}

/** The same for a type of the library. */
export const objectOf = <T extends object>(fields: Fields<T>, description?: string): Schema => object(fields, description);

const typed =
  (type: string) =>
  (description?: string, more: Schema = {}): Schema => ({ type, ...(description === undefined ? {} : { description }), ...more });

export const string = typed("string");
export const number = typed("number");
export const integer = typed("integer");
export const boolean = typed("boolean");

export const anything = (description?: string): Schema => (description === undefined ? {} : { description });
export const constant = (value: string): Schema => ({ type: "string", const: value });
export const list = (items: Schema, description?: string): Schema => ({
  type: "array",
  ...(description === undefined ? {} : { description }),
  items,
});
export const record = (values: Schema, description?: string): Schema => ({
  type: "object",
  ...(description === undefined ? {} : { description }),
  additionalProperties: values,
});
const isPlain = ({ type, enum: choices, const: constant }: Schema): boolean =>
  typeof type === "string" && choices === undefined && constant === undefined;

/** Accepts what any of the schemas accepts. Schemas of different plain types become one with a list of types. */
export function either(...schemas: readonly Schema[]): Schema {
  const types = new Set(schemas.map(({ type }) => type));
  if (!schemas.every(isPlain) || types.size < schemas.length) return { anyOf: schemas };
  return { ...Object.assign({}, ...schemas), type: [...types] } as Schema;
}

export const oneOf = (...values: readonly string[]): Schema => ({ type: "string", enum: values });
/** One of the words of a type: the table names each, so that one which the type gains or loses does not compile. */
export const words = <T extends string>(table: Readonly<Record<T, true>>, description?: string): Schema => ({
  type: "string",
  ...(description === undefined ? {} : { description }),
  enum: Object.keys(table),
});

/** Accepts `null` as well. */
export function orNull(schema: Schema): Schema {
  const { type, enum: choices, const: constant, ...rest } = schema;
  if (type === undefined) return { anyOf: [schema, { type: "null" }] };
  const types = [...(Array.isArray(type) ? (type as unknown[]) : [type]), "null"];
  if (constant !== undefined) return { type: types, ...rest, enum: [constant, null] };
  return { type: types, ...rest, ...(Array.isArray(choices) && { enum: [...(choices as unknown[]), null] }) };
}

export const optional = (schema: Schema): Optional => ({ optional: schema });
/** Accepts `null`, and may be left out. */
export const maybe = (schema: Schema): Optional => optional(orNull(schema));

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
export const anyOf = (names: readonly string[], description?: string): Schema => ({
  ...(description === undefined ? {} : { description }),
  anyOf: names.map(ref),
});

/** Keywords for an object of an open `type`: one that has a field of another type must be of that type. */
export const typeOfField = (field: string, type: string): Schema => ({
  if: { required: [field] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { properties: { type: { enum: [type] } } },
});
