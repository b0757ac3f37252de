import { isObject, type JsonObject } from "../../model/guards.ts";
import type { Item } from "../../model/index.ts";

/** What the blocks of an item tell by themselves. Where a status is optional it counts as extra, so that its absence is kept. */
const told = {
  message: new Set(["type", "id", "status", "role", "content"]),
  function_call: new Set(["type", "id", "status", "call_id", "name", "arguments"]),
  custom_tool_call: new Set(["type", "id", "status", "call_id", "name", "input"]),
  reasoning: new Set(["type", "id", "summary", "content", "encrypted_content"]),
} as const satisfies Record<string, ReadonlySet<string>>;

type ToldItem = Extract<Item, { type: keyof typeof told }>;

const untold = (fields: object, type: ToldItem["type"]): JsonObject => {
  const known: ReadonlySet<string> = told[type];
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !known.has(field)));
};

/** What the blocks of an item would lose, as a field of their events; for most items, nothing. */
export function extraOf(item: ToldItem): { extra?: JsonObject } {
  const extra = untold(item, item.type);
  if (item.type === "message" && item.role !== "assistant") extra["role"] = item.role;
  return Object.keys(extra).length > 0 ? { extra } : {};
}

/** The same, read back from an event of the wire. */
export function extraIn(event: JsonObject, type: ToldItem["type"]): JsonObject {
  const extra = isObject(event["extra"]) ? event["extra"] : {};
  return { ...untold(extra, type), ...(type === "message" && typeof extra["role"] === "string" && { role: extra["role"] }) };
}
