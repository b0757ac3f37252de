import { closeSync, ftruncateSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";

/** The file that is written ahead of the database, by the one process that is alone with it. */
export class AheadFile {
  readonly #path: string;
  readonly #file: number;
  #length: number;
  #isUsable = true;

  /** Opens what is there, or makes a file that nobody but its owner may read. */
  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, "a", 0o600);
    this.#length = lengthOf(path);
  }

  get length(): number {
    return this.#length;
  }

  /** Whether it takes more. One that failed and could not be put right takes nothing until it is empty. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  read(): string {
    return readFileSync(this.#path, "utf8");
  }

  /** Adds lines, each in pieces, in one write; or nothing. */
  append(lines: readonly (readonly string[])[]): void {
    const bytes = bytesIn(lines);
    try {
      const written = writeSync(this.#file, bytes);
      if (written < bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes could be written to ${this.#path}`);
    } catch (thrown) {
      this.#cut(this.#length);
      throw thrown;
    }
    this.#length += bytes.length;
  }

  /** Forgets everything: it is in the database. */
  empty(): void {
    if (this.#length > 0 || !this.#isUsable) this.#cut(0);
  }

  /** Lets go of the file, which goes itself where nothing is in it that somebody must still read. */
  close(): void {
    closeSync(this.#file);
    if (this.#length === 0) rmSync(this.#path, { force: true });
  }

  #cut(length: number): void {
    try {
      ftruncateSync(this.#file, length);
      this.#length = length;
      this.#isUsable = true;
    } catch {
      this.#isUsable = false;
    }
  }
}

/** Text is put into the same room each time, where it surely fits: to make room costs as much as to write. */
const room = Buffer.allocUnsafeSlow(256 * 1024);
/** The most bytes that a character takes. */
const widest = 3;

function bytesIn(lines: readonly (readonly string[])[]): Buffer {
  let most = 0;
  for (const line of lines) for (const piece of line) most += piece.length * widest;
  if (most > room.length) return Buffer.from(lines.map((line) => line.join("")).join(""));
  let end = 0;
  for (const line of lines) for (const piece of line) end += room.write(piece, end);
  return room.subarray(0, end);
}

/** How much there is in a file; nothing where there is none. */
export const lengthOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
