import { isObject } from "../../model/guards.ts";
import type { Item } from "../../model/index.ts";

/**
 * Items that were told whole, as JSON. The same item is told when it is done, once more at the end of its response, and kept: a long
 * text that is written once instead of each time is most of what the end of a stream takes.
 */
const written = new WeakMap<object, string>();

function itemJson(item: Item): string {
  let text = written.get(item);
  if (text === undefined) written.set(item, (text = JSON.stringify(item)));
  return text;
}

/** Items that do not change any more, as a JSON list. */
export const itemsJson = (items: readonly Item[]): string => `[${items.map(itemJson).join(",")}]`;

/** The text that was written last: what is said of it when it is done is said twice. */
let lastText = "";
let lastJson = '""';

function textJson(text: string): string {
  if (text !== lastText) {
    lastText = text;
    lastJson = JSON.stringify(text);
  }
  return lastJson;
}

/** Puts a value where a field of this name stands empty; nothing where it is not the only one. */
function filled(json: string, hole: string, value: string): string | undefined {
  const at = json.indexOf(hole);
  if (at === -1 || json.indexOf(hole, at + 1) !== -1) return undefined;
  // The hole ends in two characters that hold its place: quotes or brackets.
  const end = at + hole.length;
  return json.slice(0, end - 2) + value + json.slice(end);
}

type Told = { type: string; [field: string]: unknown };

const textDone = (event: Told): string | undefined => {
  const { text } = event;
  if (typeof text !== "string") return undefined;
  const rest = { ...event };
  rest["text"] = "";
  return filled(JSON.stringify(rest), '"text":""', textJson(text));
};

const partDone = (event: Told): string | undefined => {
  const { part } = event;
  if (!isObject(part) || typeof part["text"] !== "string") return undefined;
  const text = part["text"];
  const rest = { ...event };
  rest["part"] = { ...part, text: "" };
  return filled(JSON.stringify(rest), '"text":""', textJson(text));
};

const itemDone = (event: Told): string | undefined => {
  const { item, ...rest } = event;
  // Whoever tells an event of this type tells an item with it.
  return isObject(item) ? withField(rest, "item", itemJson(item as unknown as Item)) : undefined;
};

const ended = (event: Told): string | undefined => {
  const { response, ...rest } = event;
  if (!isObject(response) || !Array.isArray(response["output"])) return undefined;
  const items = response["output"] as Item[];
  const blank = { ...response };
  blank["output"] = [];
  const told = filled(JSON.stringify(blank), '"output":[]', itemsJson(items));
  return told && withField(rest, "response", told);
};

/** A response that has just been created, and its text: what is told next is the same one, as a rule. */
let begun: { response: object; text: string } | undefined;

const created = (event: Told): string | undefined => {
  const { response, ...rest } = event;
  if (!isObject(response)) return undefined;
  begun = { response, text: JSON.stringify(response) };
  return withField(rest, "response", begun.text);
};

const inProgress = (event: Told): string | undefined => {
  const { response, ...rest } = event;
  return response === begun?.response && begun ? withField(rest, "response", begun.text) : undefined;
};

const withField = (rest: object, field: string, json: string): string =>
  `${JSON.stringify(rest).slice(0, -1)},"${field}":${json}}`;

/** What tells something that was told before, or will be again. */
const arms: ReadonlyMap<string, (event: Told) => string | undefined> = new Map([
  ["response.created", created],
  ["response.in_progress", inProgress],
  ["response.output_text.done", textDone],
  ["response.content_part.done", partDone],
  ["response.output_item.done", itemDone],
  ["response.completed", ended],
  ["response.incomplete", ended],
  ["response.failed", ended],
]);

/** An event as JSON. */
export const eventJson = (event: { type: string }): string => arms.get(event.type)?.(event) ?? JSON.stringify(event);
