import { AntiphonError } from "antiphon";
import { tooLarge } from "../http/unpack.ts";

/** So many pieces are put together: one who sends byte by byte would fill the memory with what surrounds each. */
const together = 256;

/** What is said where the client is gone. */
export const left = (): AntiphonError => new AntiphonError("ABORTED", "The client disconnected.");

/** What is said where the client takes too long. */
export const late = (): AntiphonError =>
  new AntiphonError("TIMEOUT", "The client took too long to send the body.", { status: 408 });

/** A body that somebody waits for. */
export class BodyRead {
  readonly whole: Promise<Uint8Array>;
  readonly #maxBytes: number;
  #large: Buffer[] = [];
  #pieces: Buffer[] = [];
  #length = 0;
  #resolve!: (bytes: Uint8Array) => void;
  #reject!: (reason: AntiphonError) => void;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.whole = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get hasBegun(): boolean {
    return this.#length > 0;
  }

  /** Takes a piece; tells whether there may be more. */
  take(piece: Buffer): boolean {
    this.#length += piece.length;
    if (this.#length > this.#maxBytes) {
      this.fail(tooLarge(this.#maxBytes));
      return false;
    }
    this.#pieces.push(piece);
    if (this.#pieces.length === together) {
      this.#large.push(Buffer.concat(this.#pieces));
      this.#pieces = [];
    }
    return true;
  }

  end(): void {
    const pieces = [...this.#large, ...this.#pieces];
    this.#resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, this.#length));
  }

  fail(reason: AntiphonError): void {
    this.#large = this.#pieces = [];
    this.#reject(reason);
  }
}
