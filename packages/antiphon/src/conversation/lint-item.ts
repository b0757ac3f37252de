import { isObject, type JsonObject } from "../model/guards.ts";
import type { InputItem, ReasoningParam } from "../model/index.ts";
import { closes, opens } from "./call-pairs.ts";
import { hostedText } from "./hosted-text.ts";
import type { LintRule } from "./lint-rules.ts";
import type { Origin, Target } from "./log-records.ts";

/**
 * How much of an item the target is believed to take: everything, no blobs, or neither blobs nor reasoning, ids and server-side
 * calls.
 */
export type Trust = "all" | "no-blobs" | "plain";

/** What one item is judged by. */
export interface Circumstances {
  target: Target | undefined;
  origin: Origin | undefined;
  trust: Trust;
  stored: { has(id: string): boolean };
  /** Pairs whose call went as text, so that the output must follow it. */
  retold: Set<string>;
  /** The rules that were applied to it. */
  rules: LintRule[];
}

const outputOnlyParts: readonly string[] = ["logprobs", "parsed"];
const nullable: ReadonlySet<string> = new Set(["id", "status", "phase", "encrypted_content", "content", "namespace"]);

/** Whether the target itself made something. */
export const isOwn = (origin: Pick<Origin, "provider" | "endpoint">, target: Target): boolean =>
  origin.provider === target.provider && origin.endpoint === target.endpoint;

/** What becomes of the items of one type. */
interface Kind {
  /** The item as the target takes it, or nothing. */
  fit?(item: InputItem, about: Circumstances): InputItem | undefined;
  /** Fields that servers write and refuse to read. Everything else, codecs' own fields among it, passes as it is. */
  outputOnly: readonly string[];
  /** Whether the id says something to whoever gets the whole item, and is not refused. */
  keepsId: boolean;
}

const kind = (outputOnly: readonly string[], keepsId: boolean, fit?: Kind["fit"]): Kind => ({
  outputOnly,
  keepsId,
  ...(fit && { fit }),
});

/** An item of the provider's own tools. */
const provided: Kind = kind([], true, hosted);

// A blob goes with its id, and a reference is one.
const kinds: ReadonlyMap<string, Kind> = new Map([
  ["message", kind(["status"], false, message)],
  ["function_call", kind(["status", "parsed_arguments"], false)],
  ["function_call_output", kind([], false)],
  ["custom_tool_call", kind(["status"], false)],
  ["custom_tool_call_output", kind([], false)],
  ["reasoning", kind(["status"], true, (item, about) => reasoning(item as ReasoningParam, about))],
  ["compaction", kind(["status", "created_by"], true, compaction)],
  ["item_reference", kind([], true, reference)],
  ["image_generation_call", kind(["action", "background", "output_format", "quality", "size"], true, hosted)],
]);

/** One item, fit for the target by itself, or nothing; its neighbours are looked at later. */
export function fitItem(item: InputItem, type: string, about: Circumstances): InputItem | undefined {
  const its = kinds.get(type) ?? provided;
  const fitted = its.fit ? its.fit(item, about) : item;
  if (fitted === undefined) return undefined;
  // What was retold is a message now.
  return fitted.type === item.type ? withoutNeedless(fitted, type, its, about.rules) : fitted;
}

function message(item: InputItem, about: Circumstances): InputItem | undefined {
  const { content, role } = item as { content?: unknown; role?: unknown };
  const empty = content === "" || (Array.isArray(content) && content.length === 0);
  return empty && role === "assistant" ? rule(about, "empty-message") : item;
}

function compaction(item: InputItem, about: Circumstances): InputItem | undefined {
  return about.trust === "all" && !isForeign(about) ? item : rule(about, "compaction-unreadable");
}

function reference(item: InputItem, about: Circumstances): InputItem | undefined {
  const known = about.trust !== "plain" && about.target?.stores !== false && !isForeign(about);
  return known ? item : rule(about, "reference-unknown");
}

const isForeign = ({ origin, target }: Circumstances): boolean =>
  origin !== undefined && target !== undefined && !isOwn(origin, target);

function rule({ rules }: Circumstances, name: LintRule): undefined {
  rules.push(name);
  return undefined;
}

function reasoning(item: ReasoningParam, about: Circumstances): InputItem | undefined {
  if (about.trust === "plain") return rule(about, "reasoning-unreadable");
  if (item.encrypted_content && about.trust === "all" && !isForeign(about)) return item;
  const { encrypted_content: blob, id, ...rest } = item;
  if (blob) about.rules.push("foreign-blob");
  else if (id && about.stored.has(id)) return item;
  if (!isReadable(item)) return rule(about, "reasoning-unreadable");
  if (!id) return blob ? rest : item;
  about.rules.push("id-unknown");
  return rest;
}

const isReadable = ({ summary, content }: ReasoningParam): boolean =>
  [...(summary ?? []), ...(content ?? [])].some(({ text }) => text !== "");

function hosted(item: InputItem, about: Circumstances): InputItem | undefined {
  if (about.target?.translates) return item;
  const pair = closes(item);
  const strange = pair === undefined ? about.trust === "plain" || isForeign(about) : about.retold.has(pair);
  if (strange) {
    about.rules.push("hosted-foreign");
    return retell(item, about.retold);
  }
  // Ids may be used again: what comes next answers this call, not the one that went as text.
  const call = opens(item);
  if (call !== undefined) about.retold.delete(call);
  return item;
}

/** A server-side item as text; the output of a call that became text must become text too. */
export function retell(item: InputItem, retold: Set<string>): InputItem | undefined {
  const pair = opens(item);
  if (pair !== undefined) retold.add(pair);
  return hostedText(item);
}

/** An item without the fields that say nothing to whoever gets it, or that he refuses. */
function withoutNeedless(item: InputItem, type: string, its: Kind, rules: LintRule[]): InputItem {
  const parts = type === "message" ? withoutPartFields((item as { content?: unknown }).content) : undefined;
  // Most items have none, and nothing is made for them.
  if (!parts && !hasNeedless(item, its)) return item;
  const found: LintRule[] = parts ? ["output-only-field"] : [];
  const fields: string[] = [];
  for (const field in item) {
    const why = whyNeedless(field, (item as unknown as JsonObject)[field], its);
    if (why === undefined) continue;
    found.push(why);
    fields.push(field);
  }
  for (const why of reasons) if (found.includes(why)) rules.push(why);
  const rest = fields.length > 0 ? without(item, fields) : item;
  // The same parts, less fields that no request has.
  return parts ? ({ ...rest, content: parts } as InputItem) : rest;
}

function hasNeedless(item: InputItem, its: Kind): boolean {
  for (const field in item) if (whyNeedless(field, (item as unknown as JsonObject)[field], its) !== undefined) return true;
  return false;
}

const reasons = ["output-only-field", "null-field", "id-needless"] as const;

function whyNeedless(field: string, value: unknown, { outputOnly, keepsId }: Kind): (typeof reasons)[number] | undefined {
  if (value === null) return nullable.has(field) ? "null-field" : undefined;
  if (value !== undefined && outputOnly.includes(field)) return "output-only-field";
  // Whoever gets a whole message or call learns nothing from its id, and may refuse one that he does not keep.
  return field === "id" && !keepsId && typeof value === "string" ? "id-needless" : undefined;
}

/** A message's parts without what only answers have; nothing where they have none of it. */
function withoutPartFields(content: unknown): unknown[] | undefined {
  const has = (part: unknown): part is object => isObject(part) && outputOnlyParts.some((field) => field in part);
  return Array.isArray(content) && content.some(has)
    ? content.map((part: unknown) => (has(part) ? copyWithout(part, outputOnlyParts) : part))
    : undefined;
}

/** A copy of an item with some optional fields left out. */
export const without = (item: InputItem, fields: readonly string[]): InputItem =>
  // Only fields that every input form of the item may lack are named here.
  copyWithout(item, fields) as InputItem;

// A loop, since this is most of what linting a long history costs.
function copyWithout(value: object, fields: readonly string[]): JsonObject {
  const copy: JsonObject = {};
  for (const field in value) if (!fields.includes(field)) copy[field] = (value as JsonObject)[field];
  return copy;
}
