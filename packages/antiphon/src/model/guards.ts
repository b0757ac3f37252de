import type { InputItem, Item, Message } from "./items.ts";
import type { ResponseEvent, RunEvent, StandardEvent, StandardEventType, TerminalEvent, WireEvent } from "./events.ts";

/** An object that is neither null nor a list. */
export type JsonObject = { [key: string]: unknown };

/** Whether a value is a JSON object. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What a table has under a name that somebody else chose. What every object of JavaScript has, such as `constructor`, is in no table. */
export const own = <T extends object>(table: T, name: string): T[keyof T] | undefined =>
  Object.hasOwn(table, name) ? table[name as keyof T] : undefined;

/** Whether an event ends its stream. */
export const isTerminal = (event: ResponseEvent): event is TerminalEvent =>
  event.type === "response.completed" || event.type === "response.incomplete" || event.type === "response.failed";

/** Whether an event is part of a stream that is passed on unread. */
export const isWire = (event: ResponseEvent): event is WireEvent => event.type === "antiphon:wire";

/** Whether an event is a frame, passed on unread, that tells no more than that the response has begun. */
export const opens = (event: ResponseEvent): event is WireEvent => isWire(event) && event.opens === true;

/** Whether an event is several pieces of a text. */
export const isRun = (event: ResponseEvent): event is RunEvent => event.type === "antiphon:run";

/** Whether an item is a message of the assistant's. */
export const isAssistantMessage = (item: Item): item is Message => item.type === "message" && item.role === "assistant";

/** Narrows items by type: `items.filter(isItem("function_call"))`. */
export const isItem =
  <T extends Item["type"]>(type: T) =>
  (item: Item): item is Extract<Item, { type: T }> =>
    item.type === type;

/** The type of an input item, where messages and references may leave it out. */
export function inputType(item: InputItem): string {
  const { type } = item;
  if (typeof type === "string") return type;
  return "role" in item ? "message" : "item_reference";
}

// A record, so that a name that is missing or misspelt does not compile.
const standardEvents: Readonly<Record<StandardEventType, true>> = {
  "response.created": true,
  "response.queued": true,
  "response.in_progress": true,
  "response.completed": true,
  "response.incomplete": true,
  "response.failed": true,
  "response.output_item.added": true,
  "response.output_item.done": true,
  "response.content_part.added": true,
  "response.content_part.done": true,
  "response.output_text.delta": true,
  "response.output_text.done": true,
  "response.output_text.annotation.added": true,
  "response.refusal.delta": true,
  "response.refusal.done": true,
  "response.reasoning.delta": true,
  "response.reasoning.done": true,
  "response.reasoning_summary_part.added": true,
  "response.reasoning_summary_part.done": true,
  "response.reasoning_summary_text.delta": true,
  "response.reasoning_summary_text.done": true,
  "response.function_call_arguments.delta": true,
  "response.function_call_arguments.done": true,
  error: true,
};

const standardTypes: ReadonlySet<string> = new Set(Object.keys(standardEvents));

/** Whether an event is one of the specification's. */
export const isStandardEvent = (event: ResponseEvent): event is StandardEvent => standardTypes.has(event.type);
