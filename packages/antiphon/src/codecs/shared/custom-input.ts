/** Names under which models put the text of a free-form tool, the one that we declare first. */
const fields: ReadonlySet<string> = new Set(["input", "patch", "content", "command", "code", "text"]);

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

/**
 * Reads the text of a free-form call out of the JSON arguments that stand in for it, piece by piece: `{"input":"…"}` gives `…` as
 * it arrives. Linear in what comes; an escape cut in two waits for its other half.
 */
export class CustomInput {
  #raw = "";
  #at = 0;
  #state: "before" | "inside" | "after" | "plain" = "before";

  /** The text that this piece of JSON adds. */
  push(piece: string): string {
    this.#raw = this.#raw.slice(this.#at) + piece;
    this.#at = 0;
    if (this.#state === "before") this.#open();
    return this.#state === "inside" ? this.#read() : "";
  }

  /** What remains when the call ends: arguments that were no such object at all are the text themselves. */
  end(): string {
    if (this.#state !== "before") return "";
    this.#state = "plain";
    return this.#raw.slice(this.#at);
  }

  #open(): void {
    const match = /^\s*\{\s*"([^"\\]*)"\s*:\s*"/.exec(this.#raw);
    if (!match || !fields.has(match[1] ?? "")) return;
    this.#at = match[0].length;
    this.#state = "inside";
  }

  #read(): string {
    let text = "";
    while (this.#at < this.#raw.length) {
      const stop = this.#nextSpecial();
      text += this.#raw.slice(this.#at, stop);
      this.#at = stop;
      if (stop === this.#raw.length) break;
      if (this.#raw[stop] === '"') {
        this.#state = "after";
        break;
      }
      const escaped = this.#escape();
      if (escaped === undefined) break;
      text += escaped;
    }
    return text;
  }

  #nextSpecial(): number {
    for (let index = this.#at; index < this.#raw.length; index += 1) {
      const code = this.#raw.charCodeAt(index);
      if (code === 34 || code === 92) return index;
    }
    return this.#raw.length;
  }

  /** The character of the escape at hand, or nothing while its end has not come. */
  #escape(): string | undefined {
    const letter = this.#raw[this.#at + 1];
    if (letter === undefined) return undefined;
    const size = letter === "u" ? 6 : 2;
    if (this.#at + size > this.#raw.length) return undefined;
    const hex = this.#raw.slice(this.#at + 2, this.#at + 6);
    this.#at += size;
    return letter === "u" ? String.fromCharCode(Number.parseInt(hex, 16)) : (escapes[letter] ?? letter);
  }
}

/** The JSON arguments that stand in for a free-form call's text. */
export const toCustomArguments = (input: string): string => JSON.stringify({ input });
