import type { EventOf, Item, KnownEventType, ResponseEvent } from "antiphon";

/** Where a view writes: the answer to `out`, everything about it to `err`. */
export interface Terminal {
  out: { write(text: string): unknown; isTTY?: boolean };
  err: { write(text: string): unknown };
  /** Whether `err` may be coloured. */
  hasColour: boolean;
}

/** Shows the events of an answer to somebody. */
export interface View {
  show(event: ResponseEvent): void;
  /** Nothing more comes: a line that was begun is ended. */
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

const longestNote = 300;

// Line ends and tabs are text. The rest could move the cursor, write to the clipboard or worse, on a model's word.
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;

/** Text without what a terminal would take for an order. */
export const harmless = (text: string): string => text.replaceAll(controls, "");

function oneLine(text: string): string {
  const flat = harmless(text.replaceAll(/\s+/g, " ")).trim();
  return flat.length > longestNote ? `${flat.slice(0, longestNote)}…` : flat;
}

/** The answer as it comes, with thinking, tool calls and warnings beside it. */
export class TextView implements View {
  readonly #terminal: Terminal;
  readonly #showsText: boolean;
  // What the line that the cursor is on holds so far.
  #line: "nothing" | "text" | "thinking" = "nothing";
  readonly #calls = new Map<string, string>();

  constructor(terminal: Terminal, showsText = true) {
    this.#terminal = terminal;
    this.#showsText = showsText;
  }

  show(event: ResponseEvent): void {
    if (event.type.startsWith("antiphon:")) this.#extension(event);
    // The table's own type pairs each name with its event; looked up by name, the two can only be paired again by hand.
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

  /** More of what the model thinks. */
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

  /** What is said of a finished item that is not text. */
  item(item: Item): void {
    this.end();
    if (item.type === "function_call") this.#calls.set(item.call_id, item.name);
    const note = itemNote(item, this.#calls);
    if (note) this.note(note);
  }

  #extension({ type, sequence_number, ...fields }: ResponseEvent): void {
    if (told.has(type)) return;
    this.note(`! ${type.slice("antiphon:".length)} ${JSON.stringify(fields)}`);
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

// Events without an arm say nothing that a reader of the answer would miss.
const arms: { [K in KnownEventType]?: (view: TextView, event: EventOf<K>) => void } = {
  "response.output_text.delta": (view, { delta }) => view.text(delta),
  "response.refusal.done": (view, { refusal }) => view.note(`refused: ${refusal}`),
  "response.reasoning.delta": (view, { delta }) => view.thinking(delta),
  "response.reasoning_summary_text.delta": (view, { delta }) => view.thinking(delta),
  "response.output_item.done": (view, { item }) => view.item(item),
};

/** What the items of a run tell anyway. */
const told: ReadonlySet<string> = new Set(["antiphon:step", "antiphon:tool_started", "antiphon:tool_done"]);

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
