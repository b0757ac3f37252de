import type { Writer } from "../../core/writer.ts";
import { isObject, own, type JsonObject } from "../../model/guards.ts";
import type { Ctx } from "../codec.ts";
import { seal } from "../shared/envelope.ts";
import type { ChatDialect } from "./dialect.ts";
import { Unseen } from "./unseen.ts";

const key = "reasoning";
const string = (value: unknown): string => (typeof value === "string" ? value : "");

/** The field that holds the text of a detail, by the detail's type. */
const textFields: Readonly<Record<string, "text" | "summary">> = { "reasoning.text": "text", "reasoning.summary": "summary" };

/** Writes a message's thoughts, whichever fields they come in, and keeps the details that the server wants to see again. */
export class ReasoningReader {
  readonly #ctx: Ctx;
  readonly #writer: Writer;
  readonly #dialect: ChatDialect;
  #blank = new Unseen();
  /** Whether there is a thought to end; asked before every piece of text. */
  #begun = false;
  #details: JsonObject[] = [];

  constructor(ctx: Ctx, writer: Writer, dialect: ChatDialect) {
    this.#ctx = ctx;
    this.#writer = writer;
    this.#dialect = dialect;
  }

  /** Reads the fields of a delta. Servers that have several of them say the same in each. */
  read(delta: JsonObject): void {
    const details = delta["reasoning_details"];
    const told = Array.isArray(details) && details.length > 0 && this.#readDetails(details);
    if (!told) this.say(string(delta["reasoning_content"]) || string(delta["reasoning"]));
  }

  /** More of a thought. */
  say(text: string): void {
    if (text === "") return;
    this.#begun = true;
    const seen = this.#blank.push(text);
    if (seen) this.#writer.reasoning(seen);
  }

  /** The thought ends, and with it what belongs to it. */
  end(): void {
    if (!this.#begun) return;
    this.#begun = false;
    this.#blank = new Unseen();
    if (this.#details.length > 0) this.#keep();
    this.#writer.close(key);
  }

  #readDetails(details: readonly unknown[]): boolean {
    let told = false;
    this.#begun = true;
    for (const detail of details) {
      if (!isObject(detail)) continue;
      const field = own(textFields, string(detail["type"]));
      const text = field ? string(detail[field]) : "";
      if (this.#dialect.replay?.as === "reasoning_details") this.#collect(detail, field);
      if (field === "text") this.say(text);
      else if (text) this.#writer.summary(text);
      told ||= text !== "";
    }
    return told;
  }

  /** Pieces of one text are joined, so that the details of a stream are those of the plain answer. */
  #collect(detail: JsonObject, field: "text" | "summary" | undefined): void {
    const last = this.#details.at(-1);
    if (!field || !last || !goesOn(last, detail, field)) return void this.#details.push({ ...detail });
    const text = string(last[field]) + string(detail[field]);
    for (const [name, value] of Object.entries(detail)) if (value !== null && value !== undefined) last[name] = value;
    last[field] = text;
  }

  #keep(): void {
    if (!this.#writer.isOpen(key))
      this.#writer.open(key, { type: "reasoning", id: this.#ctx.newId("rs"), status: "in_progress", summary: [] });
    const data = JSON.stringify(this.#details);
    this.#details = [];
    this.#writer.set(key, { encrypted_content: seal({ wire: `chat.${this.#dialect.vendor}`, kind: "reasoning_details", data }) });
  }
}

/** Whether a detail is the next piece of the last one; a signature ends a text. */
const goesOn = (last: JsonObject, detail: JsonObject, field: string): boolean =>
  last["type"] === detail["type"] && last["index"] === detail["index"] && !(last["signature"] && detail[field]);
