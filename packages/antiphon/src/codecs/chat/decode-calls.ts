import type { Writer } from "../../core/writer.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { Ctx } from "../codec.ts";
import { CustomInput } from "../shared/custom-input.ts";
import { seal } from "../shared/envelope.ts";
import type { ToolSet } from "./tools.ts";

interface Call {
  key: string;
  /** The server's id, where it gave one. */
  id: string | undefined;
  name: string;
  /** All that came of the arguments or the input. */
  text: string;
  /** How the pieces are told, known once the name is: a function's, a free-form tool's as it is or inside JSON, or the answer itself. */
  form: "function" | "custom" | "unwrapped" | "answer" | undefined;
  input: CustomInput | undefined;
  /** Whether what hangs on the call was kept; some servers repeat it. */
  kept: boolean;
}

const filled = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** Some servers give arguments as an object. */
const pieceOf = (value: unknown): string => (typeof value === "string" ? value : isObject(value) ? JSON.stringify(value) : "");

/**
 * Puts tool calls together from their deltas. Servers differ in what tells one call from the next: an index, an id, a name, or
 * the mere order; each is used as far as it goes.
 */
export class CallReader {
  /** The key of the call that was spoken of last. */
  last: string | undefined;
  readonly #ctx: Ctx;
  readonly #writer: Writer;
  readonly #set: ToolSet;
  readonly #vendor: string;
  readonly #calls: Call[] = [];
  readonly #byIndex = new Map<string, Call>();

  constructor(ctx: Ctx, writer: Writer, set: ToolSet, vendor: string) {
    this.#ctx = ctx;
    this.#writer = writer;
    this.#set = set;
    this.#vendor = vendor;
  }

  get keys(): string[] {
    return this.#calls.map(({ key }) => key);
  }

  /** Reads the calls of a delta; gives the text that a hidden call adds to the answer. */
  read(deltas: readonly unknown[], choice: number): string {
    let answer = "";
    for (const delta of deltas) if (isObject(delta)) answer += this.#readCall(delta, choice);
    return answer;
  }

  /** The calls are whole. */
  end(): void {
    for (const call of this.#calls) {
      if (!call.form) this.#begin(call, false);
      if (call.input) this.#writer.args(call.key, call.input.end());
    }
  }

  /** A call of a function without arguments has an empty object. */
  complete(): void {
    for (const { form, text, key } of this.#calls) if (form === "function" && text === "") this.#writer.args(key, "{}");
  }

  #readCall(delta: JsonObject, choice: number): string {
    const custom = customIn(delta);
    const said = custom ?? (isObject(delta["function"]) ? delta["function"] : {});
    const name = filled(said["name"]);
    const call = this.#find(delta, choice, name);
    this.last = call.key;
    if (isObject(delta["extra_content"]) && !call.kept) this.#keep(call, delta["extra_content"]);
    let answer = "";
    if (name && !call.form) {
      call.name = name;
      answer = this.#begin(call, custom !== undefined);
    }
    return answer + this.#add(call, pieceOf(custom ? said["input"] : said["arguments"]));
  }

  /** What a server hangs on a call and wants back with it, such as Gemini's signature, is kept as a thought of its own before it. */
  #keep(call: Call, extra: JsonObject): void {
    call.kept = true;
    call.id ??= this.#ctx.newId("call");
    const data = JSON.stringify({ [call.id]: extra });
    const encrypted_content = seal({ wire: `chat.${this.#vendor}`, kind: "extra_content", data });
    this.#writer.item({ type: "reasoning", id: this.#ctx.newId("rs"), status: "completed", summary: [], encrypted_content });
  }

  #find(delta: JsonObject, choice: number, name: string | undefined): Call {
    const id = filled(delta["id"]);
    const place = typeof delta["index"] === "number" ? `${choice}:${delta["index"]}` : undefined;
    const known = place !== undefined ? this.#byIndex.get(place) : id ? this.#withId(id) : this.#calls.at(-1);
    const call = known && !isAnother(known, id, name) ? known : this.#create(id);
    if (place !== undefined) this.#byIndex.set(place, call);
    call.id ??= id;
    return call;
  }

  #withId = (id: string): Call | undefined => this.#calls.find((call) => call.id === id);

  #create(id: string | undefined): Call {
    const key = `call:${this.#calls.length}`;
    const call: Call = { key, id, name: "", text: "", form: undefined, input: undefined, kept: false };
    this.#calls.push(call);
    return call;
  }

  #begin(call: Call, native: boolean): string {
    const waiting = call.text;
    call.text = "";
    if (call.name !== "" && call.name === this.#set.answer) call.form = "answer";
    else this.#open(call, native);
    return this.#add(call, waiting);
  }

  #open(call: Call, native: boolean): void {
    const { kind, name, namespace } = this.#set.names.fromWire(call.name);
    const start = { call_id: this.#callId(call), name, ...(namespace === undefined ? {} : { namespace }) };
    call.form = native ? "custom" : kind === "custom" ? "unwrapped" : "function";
    if (call.form === "unwrapped") call.input = new CustomInput();
    if (call.form === "function") this.#writer.call(call.key, start);
    else this.#writer.customCall(call.key, start);
  }

  /** The server's id, unless it has none or used it for another call already. */
  #callId({ id, key }: Call): string {
    const taken = id !== undefined && this.#calls.some((other) => other.id === id && other.key !== key && other.form);
    return id === undefined || taken ? this.#ctx.newId("call") : id;
  }

  #add(call: Call, piece: string): string {
    call.text += piece;
    if (call.form === "answer") return piece;
    if (call.form) this.#writer.args(call.key, call.input ? call.input.push(piece) : piece);
    return "";
  }
}

/** The free-form call in a delta. Snowflake puts an empty one beside every function. */
function customIn({ custom, function: fn }: JsonObject): JsonObject | undefined {
  if (!isObject(custom)) return undefined;
  return isObject(fn) && !custom["name"] && !custom["input"] ? undefined : custom;
}

/** Whether a delta that seems to go on with a call begins another one: it has a name, and not this call's id. */
function isAnother(call: Call, id: string | undefined, name: string | undefined): boolean {
  if (!name || !call.form) return false;
  if (id !== undefined && call.id !== undefined) return id !== call.id;
  return name !== call.name || isWhole(call.text);
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
