import type { JsonObject } from "../../../model/guards.ts";

/** What strict schemas cannot say of a value, and this model can do. */
const keywords: ReadonlySet<string> = new Set(
  "minLength maxLength format pattern uniqueItems minProperties maxProperties minItems maxItems".split(" "),
);

// Anybody may have written the description: there is an end to what is tried on it.
const longest = 1_000;
const most = { starts: 4, ends: 16 };
const start = /\((?=\w+: )/g;
const entry = /^(\w+): /;
const between = /, (?=\w+: )|$/g;

/**
 * A schema with the keywords that its description tells, as strict forms do where they cannot have them: `A city. (minLength: 1)`.
 * Whoever reads the answer holds it to these as well.
 */
export function withTold(schema: JsonObject): JsonObject {
  const { description } = schema;
  if (typeof description !== "string" || !description.endsWith(")")) return schema;
  const tail = description.slice(-longest, -1);
  for (const { index } of [...tail.matchAll(start)].slice(-most.starts)) {
    const told = readEntries(tail.slice(index + 1));
    if (told) return { ...told, ...schema };
  }
  return schema;
}

/** Keywords and their values, where the text holds nothing else. */
function readEntries(text: string): JsonObject | undefined {
  const found: JsonObject = {};
  for (let rest = text; rest !== "";) {
    const keyword = entry.exec(rest)?.[1];
    const value = keyword === undefined ? undefined : readValue(rest.slice(keyword.length + 2));
    if (keyword === undefined || !value) return undefined;
    if (keywords.has(keyword)) found[keyword] = value.json;
    rest = value.rest;
  }
  return found;
}

/** The JSON at the head of a text. It may hold what looks like its end, so that the nearest end at which it is JSON counts. */
function readValue(text: string): { json: unknown; rest: string } | undefined {
  for (const { index, 0: comma } of [...text.matchAll(between)].slice(0, most.ends)) {
    try {
      return { json: JSON.parse(text.slice(0, index)), rest: text.slice(index + comma.length) };
    } catch {
      continue;
    }
  }
  return undefined;
}
