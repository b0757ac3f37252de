import { ChunkedBody } from "./chunked-body.ts";
import { badRequest, chunked, parseHead, tooMuchHead, type RequestHead } from "./request-head.ts";

const maxHead = 64 * 1024;
const nothing = Buffer.alloc(0);
const headEnd = "\r\n\r\n";
const cr = 0x0d;
const lf = 0x0a;

/**
 * Reads requests from bytes in any pieces, one after the other. What is pushed waits until it is asked for, so that nothing of a second
 * request is looked at before the first is done with. Strict: what two servers might read in two ways is refused, with a status.
 */
export class RequestParser {
  #bytes: Buffer = nothing;
  /** How many of the bytes were searched for the end of the head. */
  #searched = 0;
  #skippedLine = false;
  /** Bytes of the body that are still to be read, where their number is known. */
  #left = 0;
  #chunks: ChunkedBody | undefined;

  /** The bytes belong to the parser from now on. */
  push(bytes: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
  }

  /** How many bytes wait to be read. */
  get waiting(): number {
    return this.#bytes.length;
  }

  /** Whether the last request was read to its end. */
  get isComplete(): boolean {
    return this.#left === 0 && this.#chunks === undefined;
  }

  /** The bytes that wait; they are no longer the parser's. */
  takeRest(): Buffer {
    const rest = this.#bytes;
    this.#bytes = nothing;
    return rest;
  }

  /** The next head; a status where there is none, and never will be; nothing where more has to come. */
  readHead(): RequestHead | number | undefined {
    this.#skipLine();
    const bytes = this.#bytes;
    if (bytes.length === 0) return undefined;
    // The end may have come in two pieces.
    const end = bytes.indexOf(headEnd, Math.max(0, this.#searched - headEnd.length + 1), "latin1");
    if (end === -1) return this.#unfinished(bytes);
    if (end + headEnd.length > maxHead) return tooMuchHead;
    const head = parseHead(bytes.toString("latin1", 0, end + 2));
    if (typeof head === "number") return head;
    this.#keepFrom(end + headEnd.length);
    this.#searched = 0;
    this.#skippedLine = false;
    if (head.bodyLength === chunked) this.#chunks = new ChunkedBody();
    else this.#left = head.bodyLength;
    return head;
  }

  /** What is there of the body, as one piece; a status where it is none; nothing where more has to come, or all was read. */
  readBody(): Buffer | number | undefined {
    const bytes = this.#bytes;
    if (bytes.length === 0) return undefined;
    if (this.#chunks) return this.#readChunks(this.#chunks, bytes);
    if (this.#left === 0) return undefined;
    const piece = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes;
    this.#left -= piece.length;
    this.#keepFrom(piece.length);
    return piece;
  }

  #readChunks(chunks: ChunkedBody, bytes: Buffer): Buffer | number | undefined {
    const read = chunks.read(bytes);
    if (typeof read === "number") return read;
    this.#keepFrom(read.used);
    if (chunks.isOver) this.#chunks = undefined;
    return read.kept > 0 ? bytes.subarray(0, read.kept) : undefined;
  }

  #keepFrom(at: number): void {
    this.#bytes = at === this.#bytes.length ? nothing : this.#bytes.subarray(at);
  }

  /** Some clients send an empty line behind a body. One is let pass. */
  #skipLine(): void {
    const bytes = this.#bytes;
    if (this.#skippedLine || bytes[0] !== cr || bytes[1] !== lf) return;
    this.#skippedLine = true;
    this.#keepFrom(2);
  }

  /** Tells early of what will never be a head: who speaks TLS, or ends lines otherwise, would wait for long. */
  #unfinished(bytes: Buffer): number | undefined {
    if (bytes.length > maxHead) return tooMuchHead;
    const first = bytes[0]!;
    const isCapital = first >= 0x41 && first <= 0x5a;
    if (!isCapital && !(first === cr && bytes.length === 1 && !this.#skippedLine)) return badRequest;
    for (let at = bytes.indexOf(lf, this.#searched); at !== -1; at = bytes.indexOf(lf, at + 1))
      if (bytes[at - 1] !== cr) return badRequest;
    this.#searched = bytes.length;
    return undefined;
  }
}
