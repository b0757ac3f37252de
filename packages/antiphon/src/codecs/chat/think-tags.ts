const open = "<think>";
const close = "</think>";

/** A piece of thought or of text. */
export interface Piece {
  thought: boolean;
  text: string;
}

/**
 * Tells thoughts from text where a server puts them inside the text, between tags at its very beginning. A tag cut in two waits
 * for its other half; tags further down are text like any other. Linear in what comes.
 */
export class ThinkTags {
  #state: "before" | "inside" | "behind" | "after" = "before";
  /** What may still turn out to be a tag. */
  #held = "";

  push(text: string): Piece[] {
    return this.#state === "after" ? [{ thought: false, text }] : this.#split(text);
  }

  /** What was held back when the text ends. */
  end(): Piece[] {
    const piece = { thought: this.#state === "inside", text: this.#rest() };
    return piece.text === "" ? [] : [piece];
  }

  #split(text: string): Piece[] {
    const pieces: Piece[] = [];
    this.#held += text;
    if (this.#state === "before") this.#enter();
    if (this.#state === "inside") this.#think(pieces);
    if (this.#state === "behind") this.#leave();
    if (this.#state === "after") pieces.push({ thought: false, text: this.#rest() });
    return pieces.filter((piece) => piece.text !== "");
  }

  #enter(): void {
    const begun = this.#held.trimStart();
    if (begun.startsWith(open)) {
      this.#state = "inside";
      this.#held = begun.slice(open.length);
    } else if (!open.startsWith(begun)) this.#state = "after";
  }

  #think(pieces: Piece[]): void {
    const end = this.#held.indexOf(close);
    const size = end === -1 ? this.#held.length - overlap(this.#held) : end;
    pieces.push({ thought: true, text: this.#held.slice(0, size) });
    this.#held = this.#held.slice(end === -1 ? size : end + close.length);
    if (end !== -1) this.#state = "behind";
  }

  /** The text behind the thoughts begins with its first visible character. */
  #leave(): void {
    this.#held = this.#held.trimStart();
    if (this.#held !== "") this.#state = "after";
  }

  #rest(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }
}

/** How many characters at the end of a text may be the beginning of the closing tag. */
function overlap(text: string): number {
  for (let size = Math.min(close.length - 1, text.length); size > 0; size -= 1)
    if (close.startsWith(text.slice(-size))) return size;
  return 0;
}
