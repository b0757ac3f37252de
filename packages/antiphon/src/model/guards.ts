import type { InputItem, Item, Message } from "./items.ts";
import type { ResponseEvent, TerminalEvent } from "./events.ts";

/** An object that is neither null nor a list. */
export type JsonObject = { [key: string]: unknown };

/** Whether a value is a JSON object. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether an event ends its stream. */
export const isTerminal = (event: ResponseEvent): event is TerminalEvent =>
  event.type === "response.completed" || event.type === "response.incomplete" || event.type === "response.failed";

/** Whether an item is a message of the assistant's. */
export const isAssistantMessage = (item: Item): item is Message => item.type === "message" && item.role === "assistant";

/** Narrows items by type: `items.filter(isItem("function_call"))`. */
export const isItem =
  <T extends Item["type"]>(type: T) =>
  (item: Item): item is Extract<Item, { type: T }> =>
    item.type === type;

/** The type of an input item, where messages and references may leave it out. */
export function inputType(item: InputItem): string {
  if (typeof item.type === "string") return item.type;
  return "role" in item ? "message" : "item_reference";
}
