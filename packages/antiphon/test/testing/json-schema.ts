import { isDeepStrictEqual } from "node:util";

type Schema = boolean | Record<string, unknown>;

const kindOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

const formats: Record<string, (text: string) => boolean> = {
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
  "date-time": (text) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text)),
  time: (text) => !Number.isNaN(Date.parse(`2026-01-01T${text}`)),
  email: (text) => /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(text),
  uri: (text) => URL.canParse(text),
  uuid: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
  ipv4: (text) => text.split(".").length === 4 && text.split(".").every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256),
  ipv6: (text) => URL.canParse(`http://[${text}]/`),
  hostname: (text) => URL.canParse(`http://${text}/`),
};

/**
 * What is wrong with a value under a schema, by the book and without a thought for how the value was made: an empty list where
 * it is valid. Covers the keywords that the generated schemas use.
 */
export function faults(schema: Schema, value: unknown, root: Schema = schema, path = "$"): string[] {
  if (typeof schema === "boolean") return schema ? [] : [`${path}: nothing is allowed`];
  const found: string[] = [];
  const fault = (keyword: string): void =>
    void found.push(`${path}: ${keyword} ${JSON.stringify(schema[keyword])}, got ${JSON.stringify(value)}`);
  const check = (keyword: string, holds: (limit: never) => boolean): void => {
    if (schema[keyword] !== undefined && !holds(schema[keyword] as never)) fault(keyword);
  };
  const into = (inner: Schema, part: unknown, step: string): void =>
    void found.push(...faults(inner, part, root, `${path}${step}`));
  const passes = (inner: Schema): boolean => faults(inner, value, root, path).length === 0;

  if (typeof schema["$ref"] === "string") into(target(schema["$ref"], root), value, "");
  check("type", (types: string | string[]) =>
    [types].flat().some((type) => type === kindOf(value) || (type === "integer" && Number.isInteger(value))),
  );
  check("const", (constant) => isDeepStrictEqual(constant, value));
  check("enum", (members: unknown[]) => members.some((member) => isDeepStrictEqual(member, value)));
  check("allOf", (all: Schema[]) => all.every(passes));
  check("anyOf", (any: Schema[]) => any.some(passes));
  check("oneOf", (one: Schema[]) => one.filter(passes).length === 1);
  if (typeof value === "string") stringFaults(value, check);
  if (typeof value === "number") numberFaults(value, check);
  if (Array.isArray(value)) arrayFaults(schema, value, check, into);
  else if (typeof value === "object" && value !== null) objectFaults(schema, value, check, into);
  return found;
}

type Check = (keyword: string, holds: (limit: never) => boolean) => void;
type Into = (inner: Schema, part: unknown, step: string) => void;

function stringFaults(value: string, check: Check): void {
  check("minLength", (least: number) => [...value].length >= least);
  check("maxLength", (most: number) => [...value].length <= most);
  check("pattern", (pattern: string) => new RegExp(pattern, "u").test(value));
  check("format", (format: string) => formats[format]?.(value) ?? true);
}

function numberFaults(value: number, check: Check): void {
  check("minimum", (least: number) => value >= least);
  check("maximum", (most: number) => value <= most);
  check("exclusiveMinimum", (least: number) => value > least);
  check("exclusiveMaximum", (most: number) => value < most);
  check("multipleOf", (step: number) => Math.abs(value / step - Math.round(value / step)) < 1e-9);
}

function arrayFaults(schema: Record<string, unknown>, value: unknown[], check: Check, into: Into): void {
  const prefix = (schema["prefixItems"] ?? []) as Schema[];
  check("minItems", (least: number) => value.length >= least);
  check("maxItems", (most: number) => value.length <= most);
  check(
    "uniqueItems",
    (unique: boolean) => !unique || value.every((a, i) => value.every((b, j) => i === j || !isDeepStrictEqual(a, b))),
  );
  value.forEach((item, index) => into(prefix[index] ?? ((schema["items"] ?? true) as Schema), item, `[${index}]`));
}

function objectFaults(schema: Record<string, unknown>, value: object, check: Check, into: Into): void {
  const properties = (schema["properties"] ?? {}) as Record<string, Schema>;
  const patterns = Object.entries((schema["patternProperties"] ?? {}) as Record<string, Schema>);
  check("required", (names: string[]) => names.every((name) => Object.hasOwn(value, name)));
  check("minProperties", (least: number) => Object.keys(value).length >= least);
  check("maxProperties", (most: number) => Object.keys(value).length <= most);
  for (const [name, inner] of Object.entries(value)) {
    const own = Object.hasOwn(properties, name) ? [properties[name] as Schema] : [];
    const said = [...own, ...patterns.filter(([pattern]) => new RegExp(pattern, "u").test(name)).map(([, limit]) => limit)];
    for (const limit of said.length > 0 ? said : [(schema["additionalProperties"] ?? true) as Schema])
      into(limit, inner, `.${name}`);
    if (schema["propertyNames"] !== undefined) into(schema["propertyNames"] as Schema, name, `.${name} (name)`);
  }
}

function target(ref: string, root: Schema): Schema {
  const steps = ref.replace(/^#\/?/, "").split("/").filter(Boolean);
  return steps.reduce(
    (at, step) => (at as Record<string, Schema>)[step.replaceAll("~1", "/").replaceAll("~0", "~")] as Schema,
    root,
  );
}
