/** Holds white space back until something visible follows: models put it before tool calls, where it is no message. */
export class Unseen {
  #held = "";
  #seen = false;

  /** What can be said now. */
  push(text: string): string {
    if (this.#seen) return text;
    this.#held += text;
    if (!/\S/.test(text)) return "";
    this.#seen = true;
    return this.end();
  }

  /** Whether nothing is held back of texts of which this is the first. */
  lets(first: string): boolean {
    if (!this.#seen && (this.#held !== "" || !/\S/.test(first))) return false;
    this.#seen = true;
    return true;
  }

  /** What was held back. */
  end(): string {
    const held = this.#held;
    this.#held = "";
    return held;
  }
}
