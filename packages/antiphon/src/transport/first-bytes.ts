/** So many bytes are read at a time until there is a first word; with most servers it stands in these. */
const step = 1024;

/** Lets the first bytes of a stream be read before the others that came with them. */
export class FirstBytes {
  #eager: boolean;
  #rest: Uint8Array | undefined;

  constructor(eager = false) {
    this.#eager = eager;
  }

  /** Whether the first word has not come yet, and is waited for. */
  get waits(): boolean {
    return this.#eager;
  }

  get hasRest(): boolean {
    return this.#rest !== undefined;
  }

  /** What is read now of a chunk. */
  of(bytes: Uint8Array): Uint8Array {
    if (!this.#eager || bytes.length <= step) return bytes;
    this.#rest = bytes.subarray(step);
    return bytes.subarray(0, step);
  }

  /** The first word has come: from now on all is read at once. */
  come(): void {
    this.#eager = false;
  }

  /** What was not read yet. */
  rest(): Uint8Array | undefined {
    const rest = this.#rest;
    this.#rest = undefined;
    return rest && this.of(rest);
  }
}
