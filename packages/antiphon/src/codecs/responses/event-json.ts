import { isObject, isTerminal } from "../../model/guards.ts";
import type { EventOf, ResponseEvent, ResponseResource, TerminalEvent } from "../../model/index.ts";

/** A response as JSON, in parts: the rest, in which an empty list keeps the place of the items, their list, and each of them. */
export interface ResponseJson {
  shell: string;
  output: string;
  items: readonly string[];
}

/** Returns a response as JSON text. */
export function responseJson(response: ResponseResource): ResponseJson {
  const { output } = response;
  if (output.length === 0) return { shell: shellJson(response), output: "[]", items: [] };
  const copy = { ...response };
  copy.output = [];
  const shell = JSON.stringify(copy);
  if (output.length > 1) {
    const items = output.map((item) => JSON.stringify(item));
    return { shell, output: `[${items.join(",")}]`, items };
  }
  // The list of one is not put together from pieces: whoever makes bytes of it need not do that first.
  const list = JSON.stringify(output);
  return { shell, output: list, items: [list.slice(1, -1)] };
}

/**
 * Pieces of a text that is to be written. Put together they would be copied once more, and all of them as wide as the widest, before they
 * become bytes.
 */
export type Pieces = readonly string[];

/** Under this, an event holds what it tells together with the JSON of it. */
const known = Symbol("json");

interface Known {
  value: object;
  json: Pieces;
}

type Knowing = (TerminalEvent | EventOf<"response.output_item.done">) & { [known]?: Known };

/**
 * Attaches known JSON text to the events of a response that ends, so that it is written once. To write a long text
 * once instead of each time is most of what the end of a stream takes.
 */
export function withJson(
  events: readonly ResponseEvent[],
  response: ResponseResource,
  { shell, output, items }: ResponseJson,
): ResponseEvent[] {
  const whole = filled(shell, '"output":[]', output);
  return events.map((event) => {
    if (isTerminal(event) && event.response === response && whole !== undefined)
      return knowing(event, { value: response, json: whole });
    if (event.type !== "response.output_item.done") return event;
    const json = items[response.output.indexOf(event.item)];
    return json === undefined ? event : knowing(event, { value: event.item, json: [json] });
  });
}

/** An event with the JSON of what it tells. Objects that are made at once take a fraction of what it takes to add to a copy. */
function knowing(event: Knowing, json: Known): Knowing {
  if (!isTerminal(event) || Object.keys(event).length > 3) return { ...event, [known]: json };
  const { type, sequence_number, response } = event;
  return { type, sequence_number, response, [known]: json };
}

/** Returns the JSON of an event's response, if it is known. */
export function jsonIn(event: Knowing): string | undefined {
  const json = event[known];
  return isTerminal(event) && json?.value === event.response ? json.json.join("") : undefined;
}

/** Puts a value where a field of this name stands empty; nothing where it is not the only one. */
function filled(json: string, hole: string, value: string): Pieces | undefined {
  const at = json.indexOf(hole);
  if (at === -1 || json.indexOf(hole, at + 1) !== -1) return undefined;
  // The hole ends in two characters that hold its place: quotes or brackets.
  const end = at + hole.length;
  return [json.slice(0, end - 2), value, json.slice(end)];
}

/** What was written last: a response that begins is told twice, and kept; a text that is done is told twice. */
let lastShell: { response: object; json: string } | undefined;
let lastText = { text: "", json: '""' };

/** A response without items, as JSON. */
function shellJson(response: ResponseResource): string {
  if (lastShell?.response !== response) lastShell = { response, json: JSON.stringify(response) };
  return lastShell.json;
}

function textJson(text: string): string {
  if (text !== lastText.text) lastText = { text, json: JSON.stringify(text) };
  return lastText.json;
}

type Told = { type: string; sequence_number?: number; [known]?: Known; [field: string]: unknown };

/** An event of which the JSON of one field is known. Most have nothing else but their type and their number. */
function withField(event: Told, field: string, json: Pieces): Pieces {
  let others = 0;
  for (const name in event) if (name !== field && name !== "type" && name !== "sequence_number") others += 1;
  if (others === 0 && Number.isSafeInteger(event.sequence_number))
    return [`{"type":"${event.type}","sequence_number":${event.sequence_number},"${field}":`, ...json, "}"];
  const rest = { ...event };
  delete rest[field];
  return [`${JSON.stringify(rest).slice(0, -1)},"${field}":`, ...json, "}"];
}

const textDone = (event: Told): Pieces | undefined => {
  const { text } = event;
  if (typeof text !== "string") return undefined;
  const rest = { ...event };
  rest["text"] = "";
  return filled(JSON.stringify(rest), '"text":""', textJson(text));
};

const partDone = (event: Told): Pieces | undefined => {
  const { part } = event;
  if (!isObject(part) || typeof part["text"] !== "string") return undefined;
  const rest = { ...event };
  rest["part"] = { ...part, text: "" };
  return filled(JSON.stringify(rest), '"text":""', textJson(part["text"]));
};

const itemDone = (event: Told): Pieces | undefined => {
  const json = event[known];
  return json && json.value === event["item"] ? withField(event, "item", json.json) : undefined;
};

const ended = (event: Told): Pieces | undefined => {
  const json = event[known];
  return json && json.value === event["response"] ? withField(event, "response", json.json) : undefined;
};

const begun = (event: Told): Pieces | undefined => {
  const { response } = event;
  // Whatever it is, it is written as it is.
  return isObject(response) ? withField(event, "response", [shellJson(response as unknown as ResponseResource)]) : undefined;
};

/** What tells something that was written before, or will be again. */
const arms: ReadonlyMap<string, (event: Told) => Pieces | undefined> = new Map([
  ["response.created", begun],
  ["response.in_progress", begun],
  ["response.output_text.done", textDone],
  ["response.content_part.done", partDone],
  ["response.output_item.done", itemDone],
  ["response.completed", ended],
  ["response.incomplete", ended],
  ["response.failed", ended],
]);

/** An event as JSON. */
export const eventPieces = (event: { type: string }): Pieces => arms.get(event.type)?.(event) ?? [JSON.stringify(event)];

/** The same in one piece. */
export const eventJson = (event: { type: string }): string => eventPieces(event).join("");
