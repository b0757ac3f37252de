import type { EventOf, Item, KnownEventType, ResponseEvent } from "antiphon";

/** Where a view writes: the answer to `out`, everything about it to `err`. */
export interface Terminal {
  out: { write(text: string): unknown };
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

function oneLine(text: string): string {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  return flat.length > longestNote ? `${flat.slice(0, longestNote)}…` : flat;
}

/** The answer as it comes, with thinking, tool calls and warnings beside it. */
export class TextView implements View {
  readonly #terminal: Terminal;
  readonly #showsText: boolean;
  // What the line that the cursor is on holds so far.
  #line: "nothing" | "text" | "thinking" = "nothing";

  constructor(terminal: Terminal, showsText = true) {
    this.#terminal = terminal;
    this.#showsText = showsText;
  }

  show(event: ResponseEvent): void {
    if (event.type.startsWith("antiphon:")) this.note(extensionNote(event));
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
    this.#terminal.out.write(delta);
    if (delta.endsWith("\n")) this.#line = "nothing";
  }

  /** More of what the model thinks. */
  thinking(delta: string): void {
    if (delta === "") return;
    this.#begin("thinking");
    this.#terminal.err.write(this.#dim(delta));
  }

  /** A line about what happens. */
  note(text: string): void {
    this.end();
    this.#terminal.err.write(`${this.#dim(oneLine(text))}\n`);
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
  "response.output_item.done": (view, { item }) => {
    view.end();
    const note = itemNote(item);
    if (note) view.note(note);
  },
};

/** What is said of a finished item that is not text. */
function itemNote(item: Item): string | undefined {
  if (item.type === "function_call") return `→ ${item.name} ${item.arguments}`;
  return item.type.endsWith("_call") ? `→ ${item.type}` : undefined;
}

function extensionNote({ type, sequence_number, ...fields }: ResponseEvent): string {
  if (type === "antiphon:tool_result") return `← ${String(Reflect.get(fields, "name"))} ${String(Reflect.get(fields, "output"))}`;
  return `! ${type.slice("antiphon:".length)} ${JSON.stringify(fields)}`;
}
