import { areExtensions, areTrailers, faultOfStart, ResponseHead } from "./response-head.ts";

/** Whoever an answer is for. */
export interface ResponseSink {
  onHead(head: ResponseHead): void;
  /** Some bytes of the body: all that came with one push, however many chunks they were cut into. */
  onBytes(bytes: Buffer): void;
  /** The answer is whole. `isLast` says that no other may follow on the same connection. */
  onEnd(isLast: boolean): void;
  /** It is not HTTP. Nothing more is told. */
  onFault(what: string): void;
}

const mostHead = 64 * 1024;
const mostTrailers = 16 * 1024;
const mostExtensions = 1024;
/** How often a server may say that its answer will come. */
const mostInterim = 32;
/** As many hexadecimal digits as a number holds exactly. */
const mostDigits = 13;

const blankLine = Buffer.from("\r\n\r\n");
const lineEnd = Buffer.from("\r\n");
const [lf, cr, semicolon] = [10, 13, 59];
const noDigit = 255;
const digits = Uint8Array.from({ length: 256 }, (_, byte) => {
  const value = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(value) ? noDigit : value;
});

/** Instead of a position: the step needs bytes that are not here yet. */
const unfinished = -1;
/** Behind every position: there is nothing left to do. */
const over = Number.MAX_SAFE_INTEGER;

/**
 * Reads answers of HTTP/1 (RFC 9112), one at a time, however their bytes are split. What is pushed may be written over afterwards: of
 * heads texts are made, and bodies are copied, once. Where an answer can be read in two ways it is refused: what one of two parties
 * takes for the end, the other may take for the beginning of something else.
 */
export class ResponseParser {
  #sink: ResponseSink | undefined;
  #head: ResponseHead | undefined;
  #isBodiless = false;
  #interim = 0;
  /** What is left of the body, or of its chunk. */
  #left = 0;
  /** What came of the body with this push, and how much of it is filled. */
  #body: Buffer | undefined;
  #filled = 0;
  /** The beginning of what is not whole yet: of a head, a line or trailers, never of a body. */
  #kept: Buffer | undefined;
  /** What comes next: takes bytes from a position on, and gives the position behind what it took. */
  #step: (bytes: Buffer, at: number) => number = this.#skip;

  /** Makes ready for the next answer; one to `HEAD` has no body, whatever it says. */
  begin(sink: ResponseSink, isBodiless = false): void {
    this.#sink = sink;
    this.#head = undefined;
    this.#isBodiless = isBodiless;
    this.#interim = 0;
    this.#kept = undefined;
    this.#step = this.#readHead;
  }

  /** Whether nothing of the answer has come. */
  get isUntouched(): boolean {
    return this.#head === undefined && this.#kept === undefined && this.#interim === 0;
  }

  push(bytes: Buffer): void {
    const all = this.#kept ? Buffer.concat([this.#kept, bytes]) : bytes;
    this.#kept = undefined;
    for (let at = 0; at < all.length;) {
      const next = this.#step(all, at);
      if (next === unfinished) this.#kept = Buffer.from(all.subarray(at));
      at = next === unfinished ? over : next;
    }
    this.#hand();
  }

  /** The server sends nothing more: the end of a body of unknown length. Otherwise nothing is told, and the answer was cut off. */
  end(): void {
    if (this.#step === this.#readRest) this.#finish(true);
  }

  #readHead(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(blankLine, at);
    const size = (end === -1 ? bytes.length - 3 : end) - at;
    if (size > mostHead) return this.#refuse("a head that is too large");
    if (end === -1) {
      const fault = faultOfStart(bytes.toString("latin1", at));
      return fault === undefined ? unfinished : this.#refuse(fault);
    }
    const head = new ResponseHead(bytes.toString("latin1", at, end));
    if (head.fault !== undefined) return this.#refuse(head.fault);
    return head.status < 200 ? this.#passOver(head, end + 4) : this.#beginBody(head, bytes, end + 4);
  }

  /** What only says that an answer will come. */
  #passOver({ status, isKept }: ResponseHead, next: number): number {
    if (status === 101) return this.#refuse("an unexpected change of protocol");
    if (!isKept) return this.#refuse("an interim response without a final one");
    this.#interim += 1;
    return this.#interim > mostInterim ? this.#refuse("too many interim responses") : next;
  }

  #beginBody(head: ResponseHead, bytes: Buffer, at: number): number {
    this.#head = head;
    this.#sink!.onHead(head);
    const { status, length, isChunked } = head;
    if (this.#isBodiless || status === 204 || status === 304 || length === 0) return this.#finish(at < bytes.length);
    this.#left = length ?? 0;
    if (isChunked) this.#step = this.#readSize;
    else this.#step = length === undefined ? this.#readRest : this.#readCounted;
    return at;
  }

  #readCounted(bytes: Buffer, at: number): number {
    const next = this.#take(bytes, at);
    return this.#left === 0 ? this.#finish(next < bytes.length) : next;
  }

  #readRest(bytes: Buffer, at: number): number {
    this.#left = bytes.length;
    return this.#take(bytes, at);
  }

  #readSize(bytes: Buffer, at: number): number {
    let size = 0;
    let next = at;
    for (; next < bytes.length && digits[bytes[next]!] !== noDigit; next += 1) size = size * 16 + digits[bytes[next]!]!;
    if (next - at > mostDigits) return this.#refuse("a chunk with an invalid size");
    if (next === bytes.length) return unfinished;
    if (next === at) return this.#refuse("a chunk without a size");
    const end = bytes[next] === semicolon ? this.#endOfExtensions(bytes, next) : next;
    if (end < 0 || end === over) return end;
    if (bytes[end] !== cr) return this.#refuse("a malformed chunk");
    if (end + 1 === bytes.length) return unfinished;
    if (bytes[end + 1] !== lf) return this.#refuse("a malformed chunk");
    this.#left = size;
    this.#step = size === 0 ? this.#readTrailers : this.#readChunk;
    // Trailers are read together with the line end before them: without any, it is the empty line's first half.
    return size === 0 ? end : end + 2;
  }

  /** Whatever a server says about a chunk, nobody asked. */
  #endOfExtensions(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(lineEnd, at);
    if ((end === -1 ? bytes.length - 1 : end) - at > mostExtensions) return this.#refuse("chunk extensions that are too large");
    if (end === -1) return unfinished;
    return areExtensions(bytes.toString("latin1", at, end)) ? end : this.#refuse("malformed chunk extensions");
  }

  #readChunk(bytes: Buffer, at: number): number {
    const next = this.#take(bytes, at);
    if (this.#left === 0) this.#step = this.#readChunkEnd;
    return next;
  }

  #readChunkEnd(bytes: Buffer, at: number): number {
    if (bytes[at] !== cr) return this.#refuse("a chunk that is longer than its size");
    if (at + 1 === bytes.length) return unfinished;
    if (bytes[at + 1] !== lf) return this.#refuse("a chunk that is longer than its size");
    this.#step = this.#readSize;
    return at + 2;
  }

  #readTrailers(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(blankLine, at);
    if ((end === -1 ? bytes.length - 3 : end) - at > mostTrailers) return this.#refuse("trailers that are too large");
    if (end === -1) return unfinished;
    if (end > at && !areTrailers(bytes.toString("latin1", at, end))) return this.#refuse("malformed trailers");
    return this.#finish(end + 4 < bytes.length);
  }

  /** Takes what there is of the `left` bytes. */
  #take(bytes: Buffer, at: number): number {
    const next = Math.min(at + this.#left, bytes.length);
    this.#left -= next - at;
    // Nothing behind this position can need more room.
    this.#body ??= Buffer.allocUnsafe(bytes.length - at);
    this.#body.set(at === 0 && next === bytes.length ? bytes : bytes.subarray(at, next), this.#filled);
    this.#filled += next - at;
    return next;
  }

  /** Hands over what was taken. */
  #hand(): void {
    const body = this.#body;
    if (body === undefined) return;
    const size = this.#filled;
    this.#body = undefined;
    this.#filled = 0;
    this.#sink!.onBytes(size === body.length ? body : body.subarray(0, size));
  }

  /** The answer is whole. What comes behind it belongs to no request, and so the connection is of no more use. */
  #finish(hasMore: boolean): number {
    this.#hand();
    const sink = this.#sink!;
    const isLast = hasMore || !this.#head!.isKept;
    // A connection that waits for its next request holds nothing of the last one.
    this.#sink = undefined;
    this.#head = undefined;
    this.#step = this.#skip;
    sink.onEnd(isLast);
    return over;
  }

  #refuse(what: string): number {
    this.#hand();
    this.#step = this.#skip;
    this.#sink!.onFault(what);
    return over;
  }

  #skip(): number {
    return over;
  }
}
