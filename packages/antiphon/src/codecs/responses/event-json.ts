import { isObject } from "../../model/guards.ts";
import type { Item, ResponseResource } from "../../model/index.ts";

/**
 * What was told whole, as JSON. An item is told when it is done, once more at the end of its response, and kept; a response is told when
 * it begins, and kept. To write a long text once instead of each time is most of what the end of a stream takes. Events are values:
 * whoever told one does not change it.
 */
const written = new WeakMap<object, string>();

function jsonOnce(value: object, write: () => string): string {
  let json = written.get(value);
  if (json === undefined) written.set(value, (json = write()));
  return json;
}

const itemJson = (item: Item): string => jsonOnce(item, () => JSON.stringify(item));

/** Items that do not change any more, as a JSON list. */
export const itemsJson = (items: readonly Item[]): string => `[${items.map(itemJson).join(",")}]`;

/** A response that does not change any more, as JSON: an empty list keeps the place of its items. */
export const shellJson = (response: ResponseResource): string =>
  jsonOnce(response, () => {
    if (response.output.length === 0) return JSON.stringify(response);
    const shell = { ...response };
    shell.output = [];
    return JSON.stringify(shell);
  });

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

const withField = (rest: object, field: string, json: string): string =>
  `${JSON.stringify(rest).slice(0, -1)},"${field}":${json}}`;

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
  const rest = { ...event };
  rest["part"] = { ...part, text: "" };
  return filled(JSON.stringify(rest), '"text":""', textJson(part["text"]));
};

const itemDone = (event: Told): string | undefined => {
  const { item, ...rest } = event;
  // Whoever tells an event of this type tells an item with it.
  return isObject(item) ? withField(rest, "item", itemJson(item as unknown as Item)) : undefined;
};

const lifecycle = (event: Told): string | undefined => {
  const { type, sequence_number, response } = event;
  if (!isObject(response) || !Array.isArray(response["output"]) || Object.keys(event).length !== 3) return undefined;
  // The same of events that carry a response.
  const told = response as unknown as ResponseResource;
  const shell = shellJson(told);
  const json = told.output.length === 0 ? shell : filled(shell, '"output":[]', itemsJson(told.output));
  return json && withField({ type, sequence_number }, "response", json);
};

/** What tells something that was told before, or will be again. */
const arms: ReadonlyMap<string, (event: Told) => string | undefined> = new Map([
  ["response.created", lifecycle],
  ["response.in_progress", lifecycle],
  ["response.output_text.done", textDone],
  ["response.content_part.done", partDone],
  ["response.output_item.done", itemDone],
  ["response.completed", lifecycle],
  ["response.incomplete", lifecycle],
  ["response.failed", lifecycle],
]);

/** An event as JSON. */
export const eventJson = (event: { type: string }): string => arms.get(event.type)?.(event) ?? JSON.stringify(event);
