import type { EventOf, Item, KnownEventType, ResponseEvent } from "antiphon";
import { noteOf } from "./chat/turn/notes.ts";

/** Where a view writes: the answer to `out`, everything about it to `err`. */
export interface Terminal {
  out: { write(text: string): unknown; isTTY?: boolean };
  err: { write(text: string): unknown };
  /** Whether `err` may be coloured. */
  hasColour: boolean;
}

/** Prints the events of an answer. */
export interface View {
  show(event: ResponseEvent): void;
  /** Ends the current line. */
  end(): void;
}

/** Whether a stream shows colours to a person. */
export const mayColour = (stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean =>
  stream.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb";

/** Each event as a line of JSON. */
export const jsonView = ({ out }: Terminal): View => ({
  show: (event) => void out.write(`${JSON.stringify(event)}\n`),
  end: () => {},
});

const maxNote = 300;

// Line ends and tabs are text. Other control characters could move the cursor or write to the clipboard.
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;

/** Removes control characters that a terminal would interpret. */
export const harmless = (text: string): string => text.replaceAll(controls, "");

function oneLine(text: string): string {
  const flat = harmless(text.replaceAll(/\s+/g, " ")).trim();
  return flat.length > maxNote ? `${flat.slice(0, maxNote)}…` : flat;
}

/** Prints the answer as it streams, and reasoning, tool calls and warnings to stderr. */
export class TextView implements View {
  readonly #terminal: Terminal;
  readonly #showsText: boolean;
  // The content of the current line.
  #line: "nothing" | "text" | "thinking" = "nothing";
  readonly #calls = new Map<string, string>();

  constructor(terminal: Terminal, showsText = true) {
    this.#terminal = terminal;
    this.#showsText = showsText;
  }

  show(event: ResponseEvent): void {
    if (event.type.startsWith("antiphon:")) this.#extension(event);
    // The lookup by name loses the pairing of the table, so the type is asserted.
    else (arms[event.type as KnownEventType] as Arm | undefined)?.(this, event);
  }

  end(): void {
    if (this.#line !== "nothing") (this.#line === "text" ? this.#terminal.out : this.#terminal.err).write("\n");
    this.#line = "nothing";
  }

  /** More of the answer. */
  text(delta: string): void {
    if (!this.#showsText || delta === "") return;
    this.#begin("text");
    this.#terminal.out.write(this.#terminal.out.isTTY ? harmless(delta) : delta);
    if (delta.endsWith("\n")) this.#line = "nothing";
  }

  /** More of the reasoning. */
  thinking(delta: string): void {
    if (delta === "") return;
    this.#begin("thinking");
    this.#terminal.err.write(this.#dim(harmless(delta)));
  }

  /** A line about what happens. */
  note(text: string): void {
    this.end();
    this.#terminal.err.write(`${this.#dim(oneLine(text))}\n`);
  }

  /** Prints a note about a finished item that is not text. */
  item(item: Item): void {
    this.end();
    if (item.type === "function_call") this.#calls.set(item.call_id, item.name);
    const note = itemNote(item, this.#calls);
    if (note) this.note(note);
  }

  #extension(event: ResponseEvent): void {
    const text = noteOf(event);
    for (const line of text?.split("\n") ?? []) this.note(`! ${line}`);
  }

  #begin(kind: "text" | "thinking"): void {
    if (this.#line !== kind) this.end();
    this.#line = kind;
  }

  #dim(text: string): string {
    return this.#terminal.hasColour ? `\u001B[2m${text}\u001B[22m` : text;
  }
}

type Arm = (view: TextView, event: ResponseEvent) => void;

// Other events are not shown.
const arms: { [K in KnownEventType]?: (view: TextView, event: EventOf<K>) => void } = {
  "response.output_text.delta": (view, { delta }) => view.text(delta),
  "response.refusal.done": (view, { refusal }) => view.note(`refused: ${refusal}`),
  "response.reasoning.delta": (view, { delta }) => view.thinking(delta),
  "response.reasoning_summary_text.delta": (view, { delta }) => view.thinking(delta),
  "response.reasoning_summary_part.added": (view, { summary_index }) => {
    if (summary_index > 0) view.thinking("\n\n");
  },
  "response.output_item.done": (view, { item }) => view.item(item),
};

function itemNote(item: Item, calls: ReadonlyMap<string, string>): string | undefined {
  if (item.type === "function_call") return `→ ${item.name} ${item.arguments}`;
  if (item.type === "function_call_output") return `← ${calls.get(item.call_id) ?? "tool"} ${outputText(item.output)}`;
  return item.type.endsWith("_call") ? `→ ${item.type}` : undefined;
}

const outputText = (output: unknown): string => {
  if (typeof output === "string") return output;
  if (!Array.isArray(output)) return JSON.stringify(output) ?? "";
  return output.map((part: { type?: string; text?: string }) => part.text ?? `[${part.type ?? "part"}]`).join(" ");
};
