import { isObject, type JsonObject } from "../model/guards.ts";
import type { InputItem, ReasoningParam } from "../model/index.ts";
import { closes, opens } from "./call-pairs.ts";
import { hostedText } from "./hosted-text.ts";
import type { LintChange, LintRule } from "./lint-rules.ts";
import type { Origin, Target } from "./log-records.ts";
import { isOwn } from "./ownership.ts";

/**
 * How much of an item the target is believed to take: everything, no blobs, or neither blobs nor reasoning, ids and server-side
 * calls.
 */
export type Trust = "all" | "no-blobs" | "plain";

/** What one item is judged by, and what came of the items before it. */
export interface Circumstances {
  readonly target: Target | undefined;
  readonly stored: { has(id: string): boolean };
  /** Of the item at hand, where it stands, its type and who made it. */
  index: number;
  type: string;
  origin: Origin | undefined;
  trust: Trust;
  /** What was changed. */
  readonly changes: LintChange[];
  /** Pairs whose call went as text, so that the output must follow it. */
  readonly retold: Set<string>;
  /** The ids of the items that are sent, also of those that are sent without it. */
  readonly ids: Set<unknown>;
  /** Responses that lost reasoning which led to something. */
  readonly bare: Set<string>;
  /** Whether the item follows reasoning that is sent under the id of the stored one. */
  followsStored: boolean;
}

const outputOnlyParts: readonly string[] = ["logprobs", "parsed"];
const nullable: ReadonlySet<string> = new Set(["id", "status", "phase", "encrypted_content", "content", "namespace"]);

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

/** The item at hand, fit for the target by itself, or nothing; its neighbours are looked at later. */
export function fitItem(item: InputItem, about: Circumstances): InputItem | undefined {
  const its = kinds.get(about.type) ?? provided;
  const fitted = its.fit ? its.fit(item, about) : item;
  if (fitted === undefined) return undefined;
  // What was retold is a message now.
  const isRetold = fitted !== item && fitted.type !== item.type;
  return isRetold ? fitted : withoutNeedless(fitted, its, about);
}

function message(item: InputItem, about: Circumstances): InputItem | undefined {
  const { content, role } = item as { content?: unknown; role?: unknown };
  const empty = content === "" || (Array.isArray(content) && content.length === 0);
  return empty && role === "assistant" ? note(about, "empty-message") : item;
}

function compaction(item: InputItem, about: Circumstances): InputItem | undefined {
  return about.trust === "all" && !isForeign(about) ? item : note(about, "compaction-unreadable");
}

function reference(item: InputItem, about: Circumstances): InputItem | undefined {
  // The item itself is sent, without its id, so the reference would lead nowhere.
  if (about.ids.has(item.id)) return note(about, "duplicate-item");
  const known = about.trust !== "plain" && about.target?.stores !== false && !isForeign(about);
  return known ? item : note(about, "reference-unknown");
}

const isForeign = ({ origin, target }: Circumstances): boolean =>
  origin !== undefined && target !== undefined && !isOwn(origin, target);

function note({ changes, index, type }: Circumstances, rule: LintRule): undefined {
  changes.push({ rule, index, type });
  return undefined;
}

function reasoning(item: ReasoningParam, about: Circumstances): InputItem | undefined {
  if (about.trust === "plain") return lose(about, "reasoning-unreadable");
  if (item.encrypted_content && about.trust === "all" && !isForeign(about)) return item;
  const { encrypted_content: blob, id, ...rest } = item;
  if (blob) lose(about, "foreign-blob");
  else if (id && about.stored.has(id)) return item;
  if (!isReadable(item, about)) return lose(about, "reasoning-unreadable");
  if (!id) return blob ? rest : item;
  lose(about, "id-unknown");
  return rest;
}

/** Reasoning loses something, and so does what it led to. */
function lose(about: Circumstances, rule: LintRule): undefined {
  if (about.origin) about.bare.add(about.origin.response_id);
  return note(about, rule);
}

/**
 * Whether the target can read reasoning without its encrypted content. A server that encrypts reasoning writes summaries
 * for people only, and rejects reasoning that it cannot decrypt; raw text is its own if it wrote some.
 */
function isReadable({ summary, content }: ReasoningParam, about: Circumstances): boolean {
  const encrypts = about.target?.encrypts === true && !about.target.translates;
  const texts = encrypts ? (isForeign(about) ? [] : (content ?? [])) : [...(summary ?? []), ...(content ?? [])];
  return texts.some(({ text }) => text !== "");
}

function hosted(item: InputItem, about: Circumstances): InputItem | undefined {
  if (about.target?.translates) return item;
  const pair = closes(item);
  const strange = pair === undefined ? about.trust === "plain" || isForeign(about) : about.retold.has(pair);
  if (strange) {
    note(about, "hosted-foreign");
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

/** Returns an item without the fields that the target does not need or rejects. */
function withoutNeedless(item: InputItem, kind: Kind, about: Circumstances): InputItem {
  const given = item as unknown as JsonObject;
  // The server compares the item with the one that follows the stored reasoning, by id.
  const its = about.followsStored ? { ...kind, keepsId: true } : kind;
  const parts = about.type === "message" ? withoutPartFields(given["content"]) : undefined;
  let found = parts ? needless.outputOnly : 0;
  for (const field in given) found |= whyNeedless(field, given[field], its);
  // Most items have none, and nothing is made for them.
  if (found === 0) return item;
  if (found & needless.outputOnly) note(about, "output-only-field");
  if (found & needless.nothing) note(about, "null-field");
  if (found & needless.id) note(about, "id-needless");
  const copy: JsonObject = {};
  for (const field in given) if (whyNeedless(field, given[field], its) === 0) copy[field] = given[field];
  // The same parts, less fields that no request has.
  if (parts) copy["content"] = parts;
  // Only fields that every input form of the item may lack are left out.
  return copy as unknown as InputItem;
}

/** Why a field is left out: bits, since an item may have fields of each kind, and histories are long. */
const needless = { outputOnly: 1, nothing: 2, id: 4 } as const;

function whyNeedless(field: string, value: unknown, { outputOnly, keepsId }: Kind): number {
  if (value === null) return nullable.has(field) ? needless.nothing : 0;
  if (value !== undefined && outputOnly.includes(field)) return needless.outputOnly;
  // Whoever gets a whole message or call learns nothing from its id, and may refuse one that he does not keep.
  return field === "id" && !keepsId && typeof value === "string" ? needless.id : 0;
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

function copyWithout(value: object, fields: readonly string[]): JsonObject {
  const copy: JsonObject = {};
  for (const field in value) if (!fields.includes(field)) copy[field] = (value as JsonObject)[field];
  return copy;
}
