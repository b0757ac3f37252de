import type { AntiphonError } from "../../core/error.ts";
import type { Machine } from "../../core/machine.ts";
import { pieceTypes } from "../../core/runs.ts";
import { isRun, isStandardEvent, own } from "../../model/guards.ts";
import type { Item, ResponseEvent, ResponseResource, RunEvent } from "../../model/index.ts";
import type { ServerCodec } from "../codec.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeFrame } from "./encode-frame.ts";
import { asksForHosted, prefixedEvent, prefixedType } from "./hosted-names.ts";
import { toldCode, wireErrors } from "./wire-errors.ts";
import { writeFrame } from "./write-frame.ts";

/** Whose words the server speaks: the specification's to the letter, or OpenAI's variant for OpenAI's own clients. */
export type ServerDialect = "open-responses" | "openai";

/** Drops the keys whose `null` the specification does not allow. */
function withoutNulls<T extends object>(value: T, ...keys: (keyof T)[]): T {
  const nulls = keys.filter((key) => value[key] === null);
  if (nulls.length === 0) return value;
  const copy = { ...value };
  for (const key of nulls) delete copy[key];
  return copy;
}

function strictItem(item: Item): Item {
  if (item.type === "message") return withoutNulls(item, "phase");
  if (item.type === "reasoning") return withoutNulls(item, "content", "encrypted_content", "status");
  return prefixedType(item);
}

function strictText(text: ResponseResource["text"]): ResponseResource["text"] {
  const { format, verbosity } = text;
  // The published schema allows no schema but `null` in a response.
  const echoed =
    format?.type === "json_schema"
      ? { description: null, ...format, strict: format.strict ?? false, schema: null }
      : (format ?? { type: "text" as const });
  const strict = verbosity ? { format: echoed, verbosity } : { format: echoed };
  return echoed === format && Object.keys(text).length === Object.keys(strict).length ? text : strict;
}

function strictReasoning(reasoning: ResponseResource["reasoning"]): ResponseResource["reasoning"] {
  if (!reasoning) return null;
  const effort = reasoning.effort === "minimal" ? "low" : (reasoning.effort ?? null);
  const summary = reasoning.summary ?? null;
  return effort === reasoning.effort && summary === reasoning.summary ? reasoning : { ...reasoning, effort, summary };
}

/** An error in the words of the wire, whoever's they were. */
const told = (error: ResponseResource["error"]): ResponseResource["error"] => error && { ...error, code: toldCode(error.code) };

/** A list whose members were looked at; the same where all of them are. */
function mapped<T>(list: T[], look: (member: T) => T): T[] {
  const looked = list.map(look);
  return looked.every((member, index) => member === list[index]) ? list : looked;
}

/** A response to the letter of the specification; the same where it is that already, as most are. */
function strictResponse(response: ResponseResource): ResponseResource {
  const output = mapped(response.output, strictItem);
  const tools = mapped(response.tools, prefixedType);
  const tool_choice = typeof response.tool_choice === "string" ? response.tool_choice : prefixedType(response.tool_choice);
  const text = strictText(response.text);
  const reasoning = strictReasoning(response.reasoning);
  const error = told(response.error);
  const isStrict =
    output === response.output &&
    tools === response.tools &&
    tool_choice === response.tool_choice &&
    text === response.text &&
    reasoning === response.reasoning &&
    error === response.error;
  // A copy that is written over is made in a tenth of the time that an object of these fields and a spread takes.
  return isStrict ? response : Object.assign({ ...response }, { output, tools, tool_choice, text, reasoning, error });
}

const openaiNames: Readonly<Record<string, string>> = {
  "response.reasoning.delta": "response.reasoning_text.delta",
  "response.reasoning.done": "response.reasoning_text.done",
};

const wantsLogprobs: ReadonlySet<string> = new Set(["response.output_text.delta", "response.output_text.done"]);

// OpenAI's own clients read a failure's type before anything else.
const openaiResponse = (response: ResponseResource): ResponseResource =>
  response.error
    ? { ...response, error: { type: "server_error", ...response.error, code: toldCode(response.error.code) } }
    : response;

type Encode = (event: ResponseEvent) => object | undefined;

/** Events in OpenAI's words; nothing of ours, nothing out of band. */
const encodeOpenai: Encode = (event) => {
  if (event.type.startsWith("antiphon:")) return undefined;
  const name = own(openaiNames, event.type);
  if (name) return { ...event, type: name };
  if (event.type === "response.failed") return { ...event, response: { ...event.response, error: told(event.response.error) } };
  // OpenAI's own clients insist on the list, also where it is empty.
  return wantsLogprobs.has(event.type) && !("logprobs" in event) ? { ...event, logprobs: [] } : event;
};

/** Events to the letter: closed unions on the other side mean that extensions go only to callers who asked for hosted tools. */
function encodeStrict(hosted: boolean): Encode {
  let last: { told: ResponseResource; strict: ResponseResource } | undefined;
  return (event) => {
    // Most of a stream, and the same to the letter.
    if (pieceTypes.has(event.type)) return event;
    if (event.type.startsWith("antiphon:")) return undefined;
    if (!isStandardEvent(event)) return hosted ? { ...event, type: prefixedEvent(event.type) } : undefined;
    if (!("response" in event)) return "item" in event ? withItem(event, strictItem(event.item)) : event;
    const told = event.response;
    // Two events of the same response stay two of the same.
    if (last?.told !== told) last = { told, strict: strictResponse(told) };
    return withResponse(event, last.strict);
  };
}

/** An event with another response in it; the same one where it is no other. */
function withResponse<Event extends { response: ResponseResource }>(event: Event, response: ResponseResource): Event {
  if (response === event.response) return event;
  const copy = { ...event };
  copy.response = response;
  return copy;
}

/** The same for an item. */
function withItem<Event extends { item: Item }>(event: Event, item: Item): Event {
  if (item === event.item) return event;
  const copy = { ...event };
  copy.item = item;
  return copy;
}

/** Numbers what it lets through: a caller must not see the gaps that left-out events would leave. */
class StreamEncoder implements Machine<ResponseEvent, unknown> {
  readonly #encode: Encode;
  #shift = 0;

  constructor(encode: Encode) {
    this.#encode = encode;
  }

  push(event: ResponseEvent): unknown[] {
    if (isRun(event)) return this.#run(event);
    const encoded = this.#encode(event);
    if (!encoded) {
      // Events out of band have no number of their own.
      if (!event.type.startsWith("antiphon:")) this.#shift += 1;
      return [];
    }
    return [this.#shift === 0 ? encoded : { ...encoded, sequence_number: event.sequence_number - this.#shift }];
  }

  /** Every dialect tells the specification's deltas, and whatever it makes of the first holds for all of them. */
  #run(run: RunEvent): unknown[] {
    const { type, first } = run;
    return [{ type, first: { ...this.#encode(first), sequence_number: first.sequence_number - this.#shift }, run }];
  }

  end(): unknown[] {
    return [];
  }
}

function encodeError(error: AntiphonError, dialect: ServerDialect): { status: number; body: unknown } {
  const { status, type, code } = wireErrors[error.code];
  const named = dialect === "openai" && type === "invalid_request" ? "invalid_request_error" : type;
  return { status, body: { error: { message: error.message, type: named, param: error.param ?? null, code } } };
}

/** Returns the codec for clients that call the gateway through Responses. */
export const responsesServer = (dialect: ServerDialect = "open-responses"): ServerCodec => ({
  decodeRequest,
  encodeResponse: dialect === "openai" ? openaiResponse : strictResponse,
  createEncoder: (request) => new StreamEncoder(dialect === "openai" ? encodeOpenai : encodeStrict(asksForHosted(request))),
  encodeError: (error) => encodeError(error, dialect),
  encodeFrame,
  writeFrame,
  takesRuns: true,
  lastFrame: "data: [DONE]\n\n",
});
