const encoder = new TextEncoder();

/** How many bytes a text has in UTF-8. */
export const byteLength = (text: string): number => encoder.encode(text).length;

/**
 * Where bytes of a text's UTF-8 form are in its own code units, and back. The wire counts bytes, JavaScript counts units; for plain
 * ASCII they are the same.
 */
export class ByteIndex {
  readonly #text: string;
  /** The byte at which each unit begins; nothing for plain ASCII. */
  readonly #starts: Uint32Array | undefined;

  constructor(text: string) {
    this.#text = text;
    this.#starts = byteLength(text) === text.length ? undefined : startsOf(text);
  }

  /** The unit at, or around, a byte; the text's end for what lies beyond it. */
  toUnit(byte: number): number {
    const starts = this.#starts;
    if (!starts) return Math.min(byte, this.#text.length);
    let low = 0;
    let high = this.#text.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (starts[middle]! < byte) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The byte at a unit. */
  toByte(unit: number): number {
    const at = Math.max(0, Math.min(unit, this.#text.length));
    return this.#starts ? this.#starts[at]! : at;
  }
}

function startsOf(text: string): Uint32Array {
  const starts = new Uint32Array(text.length + 1);
  let byte = 0;
  for (let unit = 0; unit < text.length; unit += 1) {
    starts[unit] = byte;
    const point = text.codePointAt(unit)!;
    if (point > 0xffff) {
      // The second half of a pair is no place to cut at: it counts as the beginning of the first.
      unit += 1;
      starts[unit] = byte;
    }
    byte += point < 0x80 ? 1 : point < 0x800 ? 2 : point <= 0xffff ? 3 : 4;
  }
  starts[text.length] = byte;
  return starts;
}
