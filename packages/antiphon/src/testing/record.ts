import { AntiphonError, toAntiphonError } from "../core/error.ts";
import type { HttpRequest, HttpResponse, Transport } from "../transport/upstream.ts";
import type { MaskOptions } from "../core/mask.ts";
import { checkOptions, object, yesOrNo, type Rules } from "../core/options.ts";
import { maskExchange } from "./mask-exchange.ts";
import type { Exchange, RecordedError, RecordedRequest, RecordedResponse, Tape } from "./tape.ts";

/** What to keep of the traffic. */
export interface RecordOptions {
  /** What else to mask, beside keys. */
  mask?: MaskOptions;
  /** Keeps the size and the time of every read, too. */
  chunks?: boolean;
}

const recordRules: Rules<RecordOptions> = { mask: object, chunks: yesOrNo };

/** A transport that records. */
export type Recorder = Transport & {
  /** Waits until everything that was begun is on the tape; rejects where the tape could not be written. */
  flush(): Promise<void>;
};

/**
 * Wraps a transport and records each exchange on a tape, without secrets. The bytes pass at once; an exchange is
 * written when its body ends, breaks or is left.
 *
 * @example
 * const transport = record(createHttpTransport(), fileTape("test/tapes/weather"));
 * await collect(connect(upstream, { transport })({ input: "Weather in Oslo?" }));
 * await transport.flush();
 */
export function record(transport: Transport, tape: Tape, options: RecordOptions = {}): Recorder {
  checkOptions("record", options, recordRules);
  const pending = new Set<Promise<void>>();
  let broken: AntiphonError | undefined;
  const send: Transport = async (request) => {
    if (broken) throw broken;
    const { promise, resolve } = withResolver<Exchange>();
    const kept = promise
      .then((exchange) => tape.append(maskExchange(exchange, options.mask)))
      .catch((cause: unknown) => void (broken ??= unwritten(cause)))
      .finally(() => pending.delete(kept));
    pending.add(kept);
    return sendRecorded(transport, request, options.chunks === true, resolve);
  };
  const flush = async (): Promise<void> => {
    while (pending.size > 0) await Promise.all(pending);
    if (broken) throw broken;
  };
  return Object.assign(send, { flush });
}

const unwritten = (cause: unknown): AntiphonError =>
  new AntiphonError("BAD_REQUEST", `The tape could not be written: ${cause instanceof Error ? cause.message : String(cause)}`, {
    cause,
  });

async function sendRecorded(
  transport: Transport,
  request: HttpRequest,
  chunks: boolean,
  done: (exchange: Exchange) => void,
): Promise<HttpResponse> {
  const sent = requestOf(request);
  const started = performance.now();
  try {
    const response = await transport(request);
    return new RecordedBody(response, chunks ? started : undefined, (said, error) =>
      done({ request: sent, response: said, ...error }),
    );
  } catch (thrown) {
    done({ request: sent, ...errorOf(toAntiphonError(thrown, "CONNECTION_ERROR")) });
    throw thrown;
  }
}

const requestOf = ({ method, url, headers, body }: HttpRequest): RecordedRequest => ({
  method,
  url,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  ...(body === undefined ? {} : { body }),
});

const errorOf = ({ code, message }: AntiphonError): { error: RecordedError } => ({ error: { code, message } });

/** Headers that tell something about an answer, whether somebody reads them now or not. */
const telling = ["content-type", "retry-after", "retry-after-ms", "x-should-retry", "x-request-id", "request-id"];

/** An answer that remembers what was read of it. */
class RecordedBody implements HttpResponse {
  readonly status: number;
  readonly headers: HttpResponse["headers"];
  readonly #inner: HttpResponse;
  readonly #started: number | undefined;
  readonly #done: (response: RecordedResponse, error?: { error: RecordedError }) => void;
  readonly #read: Uint8Array[] = [];
  readonly #chunks: [number, number][] = [];
  readonly #asked = new Set(telling);
  #over = false;

  constructor(
    inner: HttpResponse,
    started: number | undefined,
    done: (response: RecordedResponse, error?: { error: RecordedError }) => void,
  ) {
    this.#inner = inner;
    this.#started = started;
    this.#done = done;
    this.status = inner.status;
    // A transport's headers can be asked for, not listed, so those are kept that somebody asks for.
    this.headers = {
      get: (name) => {
        this.#asked.add(name.toLowerCase());
        return inner.headers.get(name);
      },
    };
  }

  async read(): Promise<Uint8Array | undefined> {
    let bytes: Uint8Array | undefined;
    try {
      bytes = await this.#inner.read();
    } catch (thrown) {
      this.#end(true, errorOf(toAntiphonError(thrown, "CONNECTION_ERROR")));
      throw thrown;
    }
    if (bytes === undefined) this.#end(false);
    else if (!this.#over) this.#keep(bytes);
    return bytes;
  }

  cancel(): void {
    this.#end(true);
    this.#inner.cancel();
  }

  #keep(bytes: Uint8Array): void {
    // A copy: the reader may do with its bytes what it likes.
    this.#read.push(bytes.slice());
    if (this.#started !== undefined) this.#chunks.push([Math.round(performance.now() - this.#started), bytes.length]);
  }

  #end(partial: boolean, error?: { error: RecordedError }): void {
    if (this.#over) return;
    this.#over = true;
    const headers: Record<string, string> = {};
    for (const name of this.#asked) {
      const value = this.#inner.headers.get(name);
      if (value !== null) headers[name] = value;
    }
    const timed = this.#started === undefined ? {} : { chunks: this.#chunks };
    this.#done({ status: this.status, headers, ...bodyOf(this.#read), ...timed, ...(partial ? { partial } : {}) }, error);
  }
}

function bodyOf(chunks: readonly Uint8Array[]): Pick<RecordedResponse, "body" | "encoding"> {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  try {
    // A byte order mark is part of what came.
    return { body: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { body: toBase64(bytes), encoding: "base64" };
  }
}

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

// `Promise.withResolvers` is younger than the oldest runtime that this library runs on.
function withResolver<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}
