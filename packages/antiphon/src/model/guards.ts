import type { InputItem, Item, Message } from "./items.ts";
import type { ResponseEvent, RunEvent, StandardEvent, StandardEventType, TerminalEvent, WireEvent } from "./events.ts";

/** An object that is neither null nor a list. */
export type JsonObject = { [key: string]: unknown };

/** Checks whether a value is a JSON object. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Looks up a name in a table, ignoring inherited properties. What every object of JavaScript has, such as
 * `constructor`, is in no table.
 */
export const own = <T extends object>(table: T, name: string): T[keyof T] | undefined =>
  Object.hasOwn(table, name) ? table[name as keyof T] : undefined;

/** Checks whether an event ends its stream. */
export const isTerminal = (event: ResponseEvent): event is TerminalEvent =>
  event.type === "response.completed" || event.type === "response.incomplete" || event.type === "response.failed";

/** Checks whether an event is part of a stream that is forwarded without parsing. */
export const isWire = (event: ResponseEvent): event is WireEvent => event.type === "antiphon:wire";

/** Checks whether an event is an unparsed frame that only starts the response. */
export const opens = (event: ResponseEvent): event is WireEvent => isWire(event) && event.opens === true;

/** Checks whether an event combines several deltas of one text. */
export const isRun = (event: ResponseEvent): event is RunEvent => event.type === "antiphon:run";

/** Checks whether an item is an assistant message. */
export const isAssistantMessage = (item: Item): item is Message => item.type === "message" && item.role === "assistant";

/** Narrows items by type: `items.filter(isItem("function_call"))`. */
export const isItem =
  <T extends Item["type"]>(type: T) =>
  (item: Item): item is Extract<Item, { type: T }> =>
    item.type === type;

/** Returns the type of an input item, including messages and references that omit it. */
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

/** Checks whether an event is defined by the specification. */
export const isStandardEvent = (event: ResponseEvent): event is StandardEvent => standardTypes.has(event.type);
