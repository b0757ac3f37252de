import { badRequest, isField, tooMuchHead } from "./request-head.ts";

const tooMuch = 413;
/** All that may stand beside the sizes of a body, as in Node's own parser, and behind its last chunk. */
const maxExtensions = 16 * 1024;
const maxTrailers = 64 * 1024;

/** A size, of no more digits than can be counted, and what may stand beside it. Each character has one way to match, so that it takes no time. */
const sizeLine = /^([\da-f]{1,13})((?:;[!#$%&'*+.^`|~\w-]+(?:=(?:[!#$%&'*+.^`|~\w-]+|"(?:[\t !#-[\]-~]|\\[\t -~])*"))?)*)$/i;

/** What may never stand behind a body: it would say anew where that ends, or for whom it is. */
const framing = /^(?:content-length|transfer-encoding|host):/i;

const cr = 0x0d;
const lf = 0x0a;

/** What of some bytes was read, and how many of those before it are body. */
export interface Unchunked {
  used: number;
  kept: number;
}

type Part = "size" | "data" | "data end" | "trailers" | "over";

/** Reads a body that comes in chunks, from bytes in any pieces. */
export class ChunkedBody {
  #part: Part = "size";
  #left = 0;
  #extensions = 0;
  #trailers = 0;

  get isOver(): boolean {
    return this.#part === "over";
  }

  /**
   * Reads what can be read, and moves the body to the front of the bytes: so a thousand chunks of a byte are one piece, as they came, and
   * hold no more memory. Gives a status where the bytes are no chunks. What is left over is to be brought again, with more behind it.
   */
  read(bytes: Buffer): Unchunked | number {
    let used = 0;
    let kept = 0;
    while (this.#part !== "over") {
      if (this.#part === "data") {
        const end = Math.min(bytes.length, used + this.#left);
        bytes.copyWithin(kept, used, end);
        kept += end - used;
        this.#left -= end - used;
        used = end;
        if (this.#left > 0) break;
        this.#part = "data end";
      }
      const next = this.#part === "data end" ? this.#dataEnd(bytes, used) : this.#line(bytes, used);
      if (next < 0) return -next;
      if (next === used) break;
      used = next;
    }
    return { used, kept };
  }

  /** Gives where to go on; the same place where that is not there yet, and a status below zero where it is wrong. */
  #dataEnd(bytes: Buffer, at: number): number {
    if (bytes.length - at < 2) return at;
    if (bytes[at] !== cr || bytes[at + 1] !== lf) return -badRequest;
    this.#part = "size";
    return at + 2;
  }

  #line(bytes: Buffer, at: number): number {
    const end = bytes.indexOf("\r\n", at, "latin1");
    const most = this.#part === "size" ? maxExtensions : maxTrailers;
    if (end === -1) return bytes.length - at > most ? -tooMuch : at;
    const line = bytes.toString("latin1", at, end);
    const refusal = this.#part === "size" ? this.#size(line) : this.#trailer(line);
    return refusal ? -refusal : end + 2;
  }

  #size(line: string): number | undefined {
    const [, size = "", extensions = ""] = sizeLine.exec(line) ?? [];
    if (size === "") return badRequest;
    this.#extensions += extensions.length;
    if (this.#extensions > maxExtensions) return tooMuch;
    this.#left = Number.parseInt(size, 16);
    this.#part = this.#left === 0 ? "trailers" : "data";
    return undefined;
  }

  /** Trailers are read past: nobody here wants any, and taken for headers they would be forged ones. */
  #trailer(line: string): number | undefined {
    if (line === "") {
      this.#part = "over";
      return undefined;
    }
    this.#trailers += line.length;
    if (this.#trailers > maxTrailers) return tooMuchHead;
    return isField(`${line}\r\n`) && !framing.test(line) ? undefined : badRequest;
  }
}
