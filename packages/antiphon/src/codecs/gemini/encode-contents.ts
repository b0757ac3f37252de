import { isObject } from "../../model/guards.ts";
import type { CreateResponse, InputContent } from "../../model/index.ts";
import { toTurns, type ToolResult, type Turn } from "../shared/turns.ts";
import { TurnEncoder, type TurnContext } from "./encode-turn.ts";
import { toPart } from "./media.ts";
import { parsed, type Content, type Part } from "./wire.ts";

/** A request's instructions and input in the wire's words. */
export interface WireConversation {
  systemInstruction?: { parts: Part[] };
  contents: Content[];
}

type Turns = { [R in Turn["role"]]: (turn: Extract<Turn, { role: R }>) => void };

const reminder = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`;

/** Instructions and input as a system instruction and contents of alternating roles, the user's first and last. */
export function encodeContents(request: CreateResponse, context: TurnContext): WireConversation {
  const turns = toTurns(request.input, context.losses, "Gemini API");
  const rest = turns.findIndex(({ role }) => role !== "system");
  const head = rest === -1 ? turns : turns.slice(0, rest);
  const system = [request.instructions ?? "", ...head.map((turn) => (turn.role === "system" ? turn.text : ""))].filter(Boolean);
  const encoder = new ContentsEncoder(context);
  for (const turn of rest === -1 ? [] : turns.slice(rest)) encoder.encode(turn);
  const contents = encoder.end();
  if (contents.length > 0) return { ...(system.length > 0 && { systemInstruction: { parts: system.map(textPart) } }), contents };
  // The wire wants something to answer: where there are only instructions, they are it.
  for (const path of system.length > 0 ? ["instructions", "input"] : [])
    context.losses.push({ path, reason: "The request has no input; the instructions were sent as a user message." });
  return { contents: system.length > 0 ? [{ role: "user", parts: system.map(textPart) }] : [] };
}

const textPart = (text: string): Part => ({ text });

class ContentsEncoder {
  readonly #context: TurnContext;
  readonly #contents: Content[] = [];
  /** The user's content that more may be added to; results of functions stand in one of their own. */
  #user: Content | undefined;

  readonly #turns: Turns = {
    system: ({ text, path }) => {
      if (!text) return;
      this.#lose(path, "The Gemini API accepts system messages only at the start; this one was sent as a marked user message.");
      this.#addUser([{ text: reminder(text) }]);
    },
    user: ({ content, path }) => this.#addUser(this.#parts(content, `${path}.content`)),
    assistant: ({ steps }) => this.#addModel(new TurnEncoder(this.#context).encode(steps)),
    tool: ({ results }) => this.#results(results),
  };

  constructor(context: TurnContext) {
    this.#context = context;
  }

  encode(turn: Turn): void {
    // The table pairs each role with its own encoder, which is more than the type system can follow.
    (this.#turns[turn.role] as (turn: Turn) => void)(turn);
  }

  end(): Content[] {
    if (this.#contents.at(-1)?.role === "model") {
      this.#lose("input", 'The Gemini API does not continue a model message; the user message "Continue." was added.');
      this.#addUser([{ text: "Continue." }]);
    }
    return this.#contents;
  }

  #lose(path: string, reason: string): void {
    this.#context.losses.push({ path, reason });
  }

  #addUser(parts: readonly Part[]): void {
    if (parts.length === 0) return;
    if (!this.#user) this.#contents.push((this.#user = { role: "user", parts: [] }));
    this.#user.parts.push(...parts);
  }

  #addModel(parts: Part[]): void {
    if (parts.length === 0) return;
    if (this.#contents.length === 0) {
      this.#lose("input", 'The Gemini API requires a user message first; the user message "Begin." was added.');
      this.#addUser([{ text: "Begin." }]);
    }
    this.#user = undefined;
    this.#contents.push({ role: "model", parts });
  }

  #parts(content: readonly InputContent[], path: string): Part[] {
    const { fileNames } = this.#context.dialect;
    return content.flatMap((piece, index) => {
      const place = `${path}[${index}]`;
      const name = piece.type === "input_file" ? piece.filename : undefined;
      if (name !== undefined && !fileNames) this.#lose(`${place}.filename`, "The provider does not support file names.");
      if (piece.type === "input_image" && piece.detail && piece.detail !== "auto")
        this.#lose(`${place}.detail`, "The Gemini API does not support `detail` of images.");
      const part = toPart(piece, fileNames ? name : undefined);
      if (!part && piece.type !== "input_text")
        this.#lose(place, `The Gemini API does not support this form of \`${piece.type}\`.`);
      return part ? [part] : [];
    });
  }

  /** Results of functions, each under its function's name; what the wire does not take inside them follows. */
  #results(results: readonly ToolResult[]): void {
    const beside: Part[] = [];
    this.#user = undefined;
    this.#contents.push({ role: "user", parts: results.map((result) => this.#result(result, beside)) });
    this.#addUser(beside);
  }

  #result({ call_id, name, namespace, output, failed, path }: ToolResult, beside: Part[]): Part {
    const { dialect, traits, names } = this.#context;
    const parts = typeof output === "string" ? [] : this.#parts(output, `${path}.output`);
    const text = typeof output === "string" ? output : parts.map((part) => part.text ?? "").join("");
    const media = parts.filter((part) => part.text === undefined);
    const inside = traits.mediaInResults ? media.filter((part) => "inlineData" in part) : [];
    const outside = media.filter((part) => !inside.includes(part));
    const wireName = names.toWire(name, namespace);
    if (outside.length > 0) {
      this.#lose(`${path}.output`, "A function response cannot contain this media; it was sent in a user message.");
      beside.push({ text: `The function ${wireName} also returned:` }, ...outside);
    }
    const response = failed ? { error: text } : responseOf(text || (outside.length > 0 ? "See the next message." : ""));
    const id = dialect.callIds ? { id: call_id } : {};
    return { functionResponse: { ...id, name: wireName, response, ...(inside.length > 0 && { parts: inside }) } };
  }
}

/**
 * A result as the object that the wire wants. JSON goes as what it stands for, but only where writing it again gives the same text:
 * long numbers and spacing would not survive.
 */
function responseOf(text: string): unknown {
  const value = /^[[{]/.test(text) ? parsed(text) : undefined;
  if (value === undefined || JSON.stringify(value) !== text) return { output: text };
  const keys = isObject(value) ? Object.keys(value) : [];
  const ambiguous = !isObject(value) || (keys.length === 1 && (keys[0] === "output" || keys[0] === "error"));
  return ambiguous ? { output: value } : value;
}
