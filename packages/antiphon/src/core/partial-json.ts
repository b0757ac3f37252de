import { checkArgument } from "./options.ts";

/** A list or object that is being filled, and the place in it that is filled next. */
interface Frame {
  list?: unknown[];
  object?: Record<string, unknown>;
  key: string;
}

/** What is expected next. */
type Mode =
  | "value"
  | "valueOrEnd"
  | "key"
  | "keyOrEnd"
  | "colon"
  | "commaOrEnd"
  | "scalar"
  | "string"
  | "escape"
  | "unicode"
  | "nothing"
  | "broken";

/** Deeper than any schema goes; what JSON.stringify can still write on a small stack. */
const deepest = 500;
const blank = /[ \t\n\r]*/y;
// A quote, a backslash, or what must be escaped: anything below a space.
const stringEnd = /["\\]|[^ -\uffff]/g;
const scalarEnd = /[,\]}\s]/g;
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/**
 * Parses JSON incrementally, while it is being written. `value` is what is known so far: it grows in place, so that
 * the cost is linear in the text; copy it to keep a moment of it. Strings are shown while they grow, numbers and
 * words once they are whole.
 *
 * @example
 * const json = new PartialJson();
 * json.push('{"city": "Os');
 * json.value; // { city: "Os" }
 */
export class PartialJson {
  #root: unknown;
  #mode: Mode = "value";
  readonly #frames: Frame[] = [];
  /** The string or scalar that is being read. */
  #text = "";
  #hex = "";
  #isKey = false;
  #begun = false;

  /** What is known so far; `undefined` before anything is. */
  get value(): unknown {
    return this.#root;
  }

  /** Whether the text so far is nothing, a beginning, a whole value, or not JSON. */
  get state(): "empty" | "partial" | "complete" | "broken" {
    if (this.#mode === "broken") return "broken";
    if (this.#mode === "nothing") return "complete";
    return this.#begun ? "partial" : "empty";
  }

  push(text: string): void {
    checkArgument("push", "a piece of text", typeof text === "string", text);
    let at = 0;
    while (at < text.length && this.#mode !== "broken") at = this.#step(text, at);
    if (isInString(this.#mode) && !this.#isKey) this.#place(this.#text);
  }

  /** Says that no more text comes: a number at the root is whole only now. */
  end(): void {
    if (this.#mode === "scalar") this.#closeScalar();
    if (this.#mode !== "nothing") this.#mode = "broken";
  }

  /** Reads what the mode wants from `at` on, and gives where to go on. */
  #step(text: string, at: number): number {
    const mode = this.#mode;
    if (mode === "string") return this.#readString(text, at);
    if (mode === "scalar") return this.#readScalar(text, at);
    if (mode === "escape") return this.#readEscape(text, at);
    if (mode === "unicode") return this.#readUnicode(text, at);
    return this.#readSign(text, skipBlank(text, at));
  }

  /** Reads one character between values. */
  #readSign(text: string, at: number): number {
    if (at === text.length) return at;
    const sign = text[at]!;
    const mode = this.#mode;
    if ((mode === "valueOrEnd" && sign === "]") || (mode === "keyOrEnd" && sign === "}")) this.#close();
    else if (mode === "value" || mode === "valueOrEnd") return this.#openValue(sign, at);
    else if (mode === "key" || mode === "keyOrEnd") this.#expect(sign === '"', () => this.#openString(true));
    else if (mode === "colon") this.#expect(sign === ":", () => (this.#mode = "value"));
    else if (mode === "commaOrEnd") this.#readComma(sign);
    else this.#mode = "broken";
    return at + 1;
  }

  #expect(fits: boolean, go: () => void): void {
    if (fits) go();
    else this.#mode = "broken";
  }

  #readComma(sign: string): void {
    const { list } = this.#frames.at(-1)!;
    if (sign === ",") this.#mode = list ? "value" : "key";
    else this.#expect(sign === (list ? "]" : "}"), () => this.#close());
  }

  #openValue(sign: string, at: number): number {
    this.#begun = true;
    const frame = this.#frames.at(-1);
    if (frame?.list) frame.key = String(frame.list.length);
    if (sign === '"') {
      this.#openString(false);
      this.#place("");
    } else if (sign === "{" || sign === "[") this.#openContainer(sign);
    else {
      this.#text = "";
      this.#mode = "scalar";
      return at;
    }
    return at + 1;
  }

  #openContainer(sign: "{" | "["): void {
    if (this.#frames.length === deepest) {
      this.#mode = "broken";
      return;
    }
    const frame: Frame = sign === "{" ? { object: {}, key: "" } : { list: [], key: "" };
    this.#place(frame.object ?? frame.list);
    this.#frames.push(frame);
    this.#mode = sign === "{" ? "keyOrEnd" : "valueOrEnd";
  }

  #openString(isKey: boolean): void {
    this.#isKey = isKey;
    this.#text = "";
    this.#mode = "string";
  }

  #readString(text: string, at: number): number {
    stringEnd.lastIndex = at;
    const end = stringEnd.exec(text)?.index ?? text.length;
    if (end > at) this.#text += text.slice(at, end);
    if (end === text.length) return end;
    if (text[end] === "\\") this.#mode = "escape";
    else this.#expect(text[end] === '"', () => this.#closeString());
    return end + 1;
  }

  #closeString(): void {
    if (this.#isKey) {
      this.#frames.at(-1)!.key = this.#text;
      this.#mode = "colon";
    } else {
      this.#place(this.#text);
      this.#closeValue();
    }
  }

  #readEscape(text: string, at: number): number {
    const sign = text[at]!;
    if (sign === "u") {
      this.#hex = "";
      this.#mode = "unicode";
      return at + 1;
    }
    const meant = escapes[sign];
    this.#text += meant ?? "";
    this.#mode = meant === undefined ? "broken" : "string";
    return at + 1;
  }

  #readUnicode(text: string, at: number): number {
    const taken = text.slice(at, at + 4 - this.#hex.length);
    this.#hex += taken;
    if (!/^[\da-f]*$/i.test(taken)) this.#mode = "broken";
    else if (this.#hex.length === 4) {
      this.#text += String.fromCharCode(Number.parseInt(this.#hex, 16));
      this.#mode = "string";
    }
    return at + taken.length;
  }

  #readScalar(text: string, at: number): number {
    scalarEnd.lastIndex = at;
    const end = scalarEnd.exec(text)?.index ?? text.length;
    this.#text += text.slice(at, end);
    if (end < text.length) this.#closeScalar();
    return end;
  }

  #closeScalar(): void {
    try {
      this.#place(JSON.parse(this.#text));
      this.#closeValue();
    } catch {
      this.#mode = "broken";
    }
  }

  #close(): void {
    this.#frames.pop();
    this.#closeValue();
  }

  #closeValue(): void {
    this.#mode = this.#frames.length === 0 ? "nothing" : "commaOrEnd";
  }

  #place(value: unknown): void {
    const frame = this.#frames.at(-1);
    if (!frame) this.#root = value;
    else if (frame.list) frame.list[Number(frame.key)] = value;
    else if (frame.key === "__proto__")
      Object.defineProperty(frame.object, frame.key, { value, writable: true, enumerable: true, configurable: true });
    else frame.object![frame.key] = value;
  }
}

const isInString = (mode: Mode): boolean => mode === "string" || mode === "escape" || mode === "unicode";

function skipBlank(text: string, at: number): number {
  blank.lastIndex = at;
  blank.test(text);
  return blank.lastIndex;
}
