/** So many bytes are read first where a reader is eager: they hold the beginning of a stream, and its first words. */
const most = 4096;

/** Lets the first bytes of a stream be read before the others that came with them. */
export class FirstBytes {
  readonly #eager: boolean;
  #rest: Uint8Array | undefined;

  constructor(eager = false) {
    this.#eager = eager;
  }

  get hasRest(): boolean {
    return this.#rest !== undefined;
  }

  /** What is read now of a chunk. */
  of(bytes: Uint8Array, started: boolean): Uint8Array {
    if (!this.#eager || started || bytes.length <= most) return bytes;
    this.#rest = bytes.subarray(most);
    return bytes.subarray(0, most);
  }

  /** What was not read then. */
  rest(): Uint8Array | undefined {
    const rest = this.#rest;
    this.#rest = undefined;
    return rest;
  }
}
