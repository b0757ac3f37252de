import { inputType, isObject } from "../model/guards.ts";
import type { InputItem, ReasoningParam } from "../model/index.ts";
import { closes, opens, stringIn } from "./call-pairs.ts";
import { hostedText, isHosted } from "./hosted-text.ts";
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
}

/** An item as it can be sent, or nothing, and the rules that were applied. */
export interface Fitted {
  item: InputItem | undefined;
  rules: LintRule[];
}

// Everything else, codecs' own fields among it, passes as it is.
const outputOnly: Readonly<Record<string, readonly string[]>> = {
  message: ["status"],
  function_call: ["status", "parsed_arguments"],
  custom_tool_call: ["status"],
  reasoning: ["status"],
  compaction: ["status", "created_by"],
  image_generation_call: ["action", "background", "output_format", "quality", "size"],
};
const outputOnlyParts: readonly string[] = ["logprobs", "parsed"];
const nullable: readonly string[] = ["id", "status", "phase", "encrypted_content", "content", "namespace"];

// A blob goes with its id, a reference is one, and the output of a local shell bears its call's.
const withOwnId: ReadonlySet<string> = new Set(["reasoning", "compaction", "item_reference", "local_shell_call_output"]);

/** Whether the target itself made something. */
export const isOwn = (origin: Pick<Origin, "provider" | "endpoint">, target: Target): boolean =>
  origin.provider === target.provider && origin.endpoint === target.endpoint;

/** One item, fit for the target by itself; its neighbours are looked at later. */
export function fitItem(item: InputItem, about: Circumstances): Fitted {
  const rules: LintRule[] = [];
  const arm = arms[inputType(item)] ?? (isHosted(item) ? hosted : undefined);
  const fitted = arm ? arm(item, about, rules) : item;
  return { item: fitted && withoutNeedless(fitted, rules), rules };
}

type Arm = (item: InputItem, about: Circumstances, rules: LintRule[]) => InputItem | undefined;

const arms: Readonly<Record<string, Arm>> = {
  message(item, _, rules) {
    const content: unknown = Reflect.get(item, "content");
    const empty = content === "" || (Array.isArray(content) && content.length === 0);
    if (!empty || stringIn(item, "role") !== "assistant") return item;
    return rule(rules, "empty-message");
  },
  reasoning: (item, about, rules) => reasoning(item as ReasoningParam, about, rules),
  compaction: (item, about, rules) => (about.trust === "all" && !isForeign(about) ? item : rule(rules, "compaction-unreadable")),
  item_reference(item, about, rules) {
    const known = about.trust !== "plain" && about.target?.stores !== false && !isForeign(about);
    return known ? item : rule(rules, "reference-unknown");
  },
};

const isForeign = ({ origin, target }: Circumstances): boolean =>
  origin !== undefined && target !== undefined && !isOwn(origin, target);

function rule(rules: LintRule[], name: LintRule): undefined {
  rules.push(name);
  return undefined;
}

function reasoning(item: ReasoningParam, about: Circumstances, rules: LintRule[]): InputItem | undefined {
  if (about.trust === "plain") return rule(rules, "reasoning-unreadable");
  if (item.encrypted_content && about.trust === "all" && !isForeign(about)) return item;
  const { encrypted_content: blob, id, ...rest } = item;
  if (blob) rules.push("foreign-blob");
  else if (id && about.stored.has(id)) return item;
  if (!isReadable(item)) return rule(rules, "reasoning-unreadable");
  if (!id) return blob ? rest : item;
  rules.push("id-unknown");
  return rest;
}

const isReadable = ({ summary, content }: ReasoningParam): boolean =>
  [...(summary ?? []), ...(content ?? [])].some(({ text }) => text !== "");

function hosted(item: InputItem, about: Circumstances, rules: LintRule[]): InputItem | undefined {
  if (about.target?.translates) return item;
  const pair = closes(item);
  const strange = pair === undefined ? about.trust === "plain" || isForeign(about) : about.retold.has(pair);
  return strange ? retell(item, about.retold, rules, "hosted-foreign") : item;
}

/** A server-side item as text; the output of a call that became text must become text too. */
export function retell(item: InputItem, retold: Set<string>, rules: LintRule[], why: LintRule): InputItem | undefined {
  const pair = opens(item);
  if (pair !== undefined) retold.add(pair);
  rules.push(why);
  return hostedText(item);
}

/** An item without the fields that say nothing to whoever gets it, or that he refuses. */
function withoutNeedless(item: InputItem, rules: LintRule[]): InputItem {
  const type = inputType(item);
  const written = outputOnly[type]?.filter((field) => Reflect.get(item, field) != null) ?? [];
  const parts = type === "message" ? withoutPartFields(Reflect.get(item, "content")) : undefined;
  if (written.length > 0 || parts) rules.push("output-only-field");
  const nulls = nullable.filter((field) => Reflect.get(item, field) === null);
  if (nulls.length > 0) rules.push("null-field");
  // Whoever gets a whole message or call learns nothing from its id, and may refuse one that he does not keep.
  const id = typeof item.id === "string" && !withOwnId.has(type) && !isHosted(item) ? ["id"] : [];
  if (id.length > 0) rules.push("id-needless");
  const fields = [...written, ...nulls, ...id];
  const rest = fields.length > 0 ? without(item, fields) : item;
  // The same parts, less fields that no request has.
  return parts ? ({ ...rest, content: parts } as InputItem) : rest;
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
function copyWithout(value: object, fields: readonly string[]): object {
  const copy: Record<string, unknown> = {};
  for (const [field, inner] of Object.entries(value)) if (!fields.includes(field)) copy[field] = inner;
  return copy;
}
