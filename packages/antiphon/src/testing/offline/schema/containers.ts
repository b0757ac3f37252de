import { isObject, type JsonObject } from "../../../model/guards.ts";
import { canonical, listOf, patternsFor } from "./fits.ts";
import type { Job, Place } from "./job.ts";
import { isKnown } from "./scalars.ts";

const sizeOf = (schema: JsonObject, keyword: string, otherwise: number): number => {
  const value = schema[keyword];
  return typeof value === "number" ? value : otherwise;
};

/** A list that a schema allows: as long as it must be, and two long where it may. */
export function fillArray(schema: JsonObject, at: Place, job: Job): unknown[] | undefined {
  const tuple = listOf(schema["prefixItems"]);
  const least = sizeOf(schema, "minItems", 0);
  const most = Math.min(sizeOf(schema, "maxItems", Infinity), schema["items"] === false ? tuple.length : Infinity);
  const wanted = Math.min(Math.max(least, at.brief ? 0 : tuple.length || 2), most);
  const unique = schema["uniqueItems"] === true;
  const seen = new Set<string>();
  const list: unknown[] = [];
  const attempts = unique ? wanted + 100 : wanted;
  for (let salt = 0; list.length < wanted && salt < attempts; salt += 1) {
    const inner = list.length < tuple.length ? tuple[list.length] : (schema["items"] ?? true);
    const value = job.fill(inner, { ...at, salt: at.salt + salt, depth: at.depth + 1 });
    if (value === undefined) break;
    const key = unique ? canonical(value) : "";
    if (unique && seen.has(key)) continue;
    seen.add(key);
    list.push(value);
  }
  return list.length < least ? undefined : list;
}

/** An object that a schema allows: what is required, and what may be and is worth saying. */
export function fillObject(schema: JsonObject, at: Place, job: Job): JsonObject | undefined {
  const required = new Set(listOf(schema["required"]).filter((name) => typeof name === "string"));
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const most = sizeOf(schema, "maxProperties", Infinity);
  const entries = new Map<string, unknown>();
  let room = most - required.size;
  for (const name of new Set([...Object.keys(properties), ...required])) {
    const inner = schemaFor(schema, name);
    if (!required.has(name) && (room <= 0 || at.brief || !(job.invent || isKnown(name, inner, job)))) continue;
    const value = job.fill(inner, { ...at, name, depth: at.depth + 1 });
    if (value === undefined && required.has(name)) return undefined;
    if (value === undefined) continue;
    entries.set(name, value);
    if (!required.has(name)) room -= 1;
  }
  addExtras(schema, at, job, entries, most);
  return Object.fromEntries(entries);
}

/** All that a schema says about a property of a name. */
function schemaFor(schema: JsonObject, name: string): unknown {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const own = Object.hasOwn(properties, name) ? [properties[name]] : [];
  const said = [...own, ...patternsFor(schema, name)];
  if (said.length === 0) return schema["additionalProperties"] ?? true;
  return said.length === 1 ? said[0] : { allOf: said };
}

/** Entries under names of our own: where the schema wants more of them, or describes nothing else. */
function addExtras(schema: JsonObject, at: Place, job: Job, entries: Map<string, unknown>, most: number): void {
  const open = isObject(schema["additionalProperties"]) && entries.size === 0 && job.invent && !at.brief;
  const wanted = Math.min(Math.max(sizeOf(schema, "minProperties", 0), open ? 2 : 0), most);
  for (let salt = 0; entries.size < wanted && salt < wanted + 100; salt += 1) {
    const name = extraName(schema, at, job, salt);
    if (name === undefined || entries.has(name)) continue;
    const value = job.fill(schemaFor(schema, name), { ...at, name, salt: at.salt + salt, depth: at.depth + 1 });
    if (value !== undefined) entries.set(name, value);
  }
}

function extraName(schema: JsonObject, at: Place, job: Job, salt: number): string | undefined {
  const [pattern] = Object.keys(isObject(schema["patternProperties"]) ? schema["patternProperties"] : {});
  const limit =
    schema["propertyNames"] ?? (pattern !== undefined && schema["additionalProperties"] === false ? { pattern } : undefined);
  if (!isObject(limit)) return `key${salt + 1}`;
  const name = job.fill({ type: "string", ...limit }, { ...at, name: "", salt, depth: at.depth + 1 });
  return typeof name === "string" ? name : undefined;
}
