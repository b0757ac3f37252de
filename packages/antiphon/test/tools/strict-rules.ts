// OpenAI's published rules for strict schemas ("Structured outputs", section "Supported schemas"), as a checker that shares nothing
// with the converter. Of the rules for models of one's own tuning, which take no bounds at all, it knows nothing.
type Schema = Record<string, unknown>;

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null && !Array.isArray(value);

const annotations = ["title", "description"];
const byType: Readonly<Record<string, readonly string[]>> = {
  string: ["enum", "const", "pattern", "format"],
  number: ["enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"],
  integer: ["enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"],
  boolean: ["enum", "const"],
  null: ["enum", "const"],
  array: ["items", "minItems", "maxItems"],
  object: ["properties", "required", "additionalProperties"],
};
const formats = new Set(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]);

interface Counts {
  properties: number;
  enumValues: number;
  characters: number;
  depth: number;
}

class Checker {
  readonly faults: string[] = [];
  readonly counts: Counts = { properties: 0, enumValues: 0, characters: 0, depth: 0 };
  readonly root: Schema;

  constructor(root: Schema) {
    this.root = root;
    if (root["type"] !== "object") this.fault("#", "the root is not an object");
    const { $defs, ...rest } = root;
    this.check(rest, "#", 1);
    if ($defs === undefined) return;
    for (const [name, schema] of Object.entries($defs as Schema)) {
      this.counts.characters += name.length;
      this.check(schema, `#/$defs/${name}`, 1);
    }
  }

  fault(path: string, what: string): void {
    this.faults.push(`${path}: ${what}`);
  }

  check(schema: unknown, path: string, depth: number): void {
    if (!isSchema(schema)) return this.fault(path, "is no schema");
    if (schema["$ref"] !== undefined) return this.checkRef(schema, path);
    if (schema["anyOf"] !== undefined) return this.checkAnyOf(schema, path, depth);
    const types = Array.isArray(schema["type"]) ? (schema["type"] as string[]) : [schema["type"] as string];
    const named = types.filter((type) => type !== "null");
    if (types.length === 0 || types.some((type) => !(type in byType))) return this.fault(path, "has no type");
    if (named.length > 1) this.fault(path, "has several types");
    const allowed = new Set([...annotations, "type", ...(byType[named[0] ?? "null"] ?? [])]);
    for (const keyword of Object.keys(schema)) if (!allowed.has(keyword)) this.fault(path, `'${keyword}' is not permitted`);
    this.checkChoices(schema, path);
    this.checkString(schema, path);
    if (named[0] === "object") this.checkObject(schema, path, depth);
    if (named[0] === "array") this.check(schema["items"], `${path}/items`, depth + 1);
    if (named[0] === "array" || named[0] === "object") this.counts.depth = Math.max(this.counts.depth, depth);
  }

  checkRef(schema: Schema, path: string): void {
    if (Object.keys(schema).length > 1) this.fault(path, "$ref cannot have keywords beside it");
    const name = /^#\/\$defs\/([\w.-]+)$/.exec(String(schema["$ref"]))?.[1];
    const isKnown = schema["$ref"] === "#" || (name !== undefined && Object.hasOwn(this.root["$defs"] ?? {}, name));
    if (!isKnown) this.fault(path, `${String(schema["$ref"])} leads nowhere`);
  }

  checkAnyOf(schema: Schema, path: string, depth: number): void {
    for (const keyword of Object.keys(schema))
      if (![...annotations, "anyOf"].includes(keyword)) this.fault(path, `'${keyword}' is not permitted beside anyOf`);
    const branches = schema["anyOf"] as unknown[];
    if (branches.length < 2) this.fault(path, "anyOf has fewer than two branches");
    branches.forEach((branch, at) => this.check(branch, `${path}/anyOf/${at}`, depth));
  }

  checkChoices(schema: Schema, path: string): void {
    const choices = schema["const"] === undefined ? schema["enum"] : [schema["const"]];
    if (choices === undefined) return;
    if (!Array.isArray(choices) || choices.length === 0) return this.fault(path, "has no choices");
    this.counts.enumValues += choices.length;
    const length = choices.map((choice) => String(choice).length).reduce((sum, one) => sum + one, 0);
    this.counts.characters += length;
    if (choices.length > 250 && length > 15_000) this.fault(path, "has a long enum with too many characters");
    if (choices.some((choice) => typeof choice === "object" && choice !== null))
      this.fault(path, "has choices that are no scalars");
    const isNullable = Array.isArray(schema["type"]) || schema["type"] === "null";
    if (choices.includes(null) !== isNullable) this.fault(path, "null among the types and the choices differ");
  }

  checkString({ format, pattern }: Schema, path: string): void {
    if (format !== undefined && !formats.has(String(format))) this.fault(path, `'${String(format)}' is not a valid format`);
    if (pattern !== undefined && /\(\?<?[=!]/.test(String(pattern))) this.fault(path, "regex lookaround is not supported");
  }

  checkObject(schema: Schema, path: string, depth: number): void {
    const properties = schema["properties"];
    if (!isSchema(properties)) return this.fault(path, "has no properties");
    if (schema["additionalProperties"] !== false) this.fault(path, "additionalProperties must be false");
    const names = Object.keys(properties);
    const required = [...((schema["required"] ?? []) as string[])];
    if (names.toSorted().join("\n") !== required.toSorted().join("\n")) this.fault(path, "required must name every property");
    this.counts.properties += names.length;
    for (const name of names) {
      this.counts.characters += name.length;
      this.check(properties[name], `${path}/properties/${name}`, depth + 1);
    }
  }
}

/** Why OpenAI would refuse a schema with `strict: true`; nothing where it would take it. */
export function strictFaults(schema: unknown): string[] {
  if (!isSchema(schema)) return ["#: is no schema"];
  const { faults, counts } = new Checker(schema);
  if (counts.properties > 5_000) faults.push("#: has over 5,000 properties");
  if (counts.enumValues > 1_000) faults.push("#: has over 1,000 enum values");
  if (counts.characters > 120_000) faults.push("#: has over 120,000 characters of names and choices");
  if (counts.depth > 10) faults.push("#: is nested over 10 levels deep");
  return faults;
}
