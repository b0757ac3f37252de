import { AntiphonError, toAntiphonError } from "../core/error.ts";
import { isErrorCode } from "../core/error-codes.ts";
import type { HttpRequest, HttpResponse, Transport } from "../transport/upstream.ts";
import { differences, type Difference } from "./difference.ts";
import type { MaskOptions } from "../core/mask.ts";
import { checkOptions, limit, listOf, object, text, yesOrNo, type Rules } from "../core/options.ts";
import { maskExchange } from "./mask-exchange.ts";
import type { Exchange, RecordedError, RecordedResponse, Tape } from "./tape.ts";

/** How to find and to give back what was recorded. */
export interface ReplayOptions {
  /** Paths of the body that may differ: `metadata.run`, `input[*].id`; `*` stands for any one key or index. */
  ignore?: readonly string[];
  /** Begins again where every fitting exchange was given back. */
  loop?: boolean;
  /** Cuts bodies into pieces of this many bytes. */
  chunk?: number;
  /** Waits as the recorded server did, where the tape has times. */
  pace?: boolean;
  /** What was masked beside keys when the tape was made. */
  mask?: MaskOptions;
}

const replayRules: Rules<ReplayOptions> = {
  ignore: listOf(text),
  loop: yesOrNo,
  chunk: limit(1),
  pace: yesOrNo,
  mask: object,
};

/** A transport that gives back what a tape holds. */
export type Replayer = Transport & {
  /** The exchanges that nobody has asked for so far. */
  unused(): Promise<Exchange[]>;
};

/**
 * Creates a transport that answers requests from a tape: same method, path and JSON body, each exchange once and in
 * order. A request that was not recorded is an error that names what differs.
 *
 * @example
 * const respond = connect(upstream, { transport: replay(fileTape("test/tapes/weather")) });
 */
export function replay(tape: Tape | readonly Exchange[], options: ReplayOptions = {}): Replayer {
  checkOptions("replay", options, replayRules);
  let loading: Promise<Entry[]> | undefined;
  const entries = (): Promise<Entry[]> => (loading ??= load(tape, options));
  const send: Transport = async (request) => {
    if (request.signal?.aborted) throw stopped(request);
    const entry = find(await entries(), request, options);
    entry.uses += 1;
    const { response, error } = entry.exchange;
    if (!response) throw revived(error);
    return new ReplayedBody(request, response, error, options);
  };
  const unused = async (): Promise<Exchange[]> =>
    (await entries()).filter(({ uses }) => uses === 0).map(({ exchange }) => exchange);
  return Object.assign(send, { unused });
}

/** An exchange, what identifies its request, and how often it was given back. */
interface Entry {
  exchange: Exchange;
  key: string;
  body: unknown;
  uses: number;
}

const load = async (tape: Tape | readonly Exchange[], { mask }: ReplayOptions): Promise<Entry[]> =>
  ("load" in tape ? await tape.load() : tape).map((exchange) => {
    // Tapes written by hand may still hold what a recorder would have masked.
    const { request } = maskExchange({ request: exchange.request }, mask);
    return { exchange, key: keyOf(request), body: jsonOf(request.body), uses: 0 };
  });

function keyOf({ method, url }: { method: string; url: string }): string {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  searchParams.sort();
  const query = searchParams.toString();
  return `${method} ${pathname}${query ? `?${query}` : ""}`;
}

function jsonOf(body: string | undefined): unknown {
  try {
    return body === undefined ? undefined : JSON.parse(body);
  } catch {
    return body;
  }
}

function find(entries: readonly Entry[], request: HttpRequest, { ignore = [], loop, mask }: ReplayOptions): Entry {
  const { method, url, headers, body } = request;
  const asked = maskExchange({ request: { method, url, headers, ...(body === undefined ? {} : { body }) } }, mask).request;
  const key = keyOf(asked);
  const wanted = jsonOf(asked.body);
  const near = entries
    .filter((entry) => entry.key === key)
    .map((entry) => ({ entry, off: differences(entry.body, wanted, ignore) }));
  const fitting = near.filter(({ off }) => off.length === 0).map(({ entry }) => entry);
  const next = fitting.find(({ uses }) => uses === Math.min(...fitting.map((entry) => entry.uses)));
  if (next && (next.uses === 0 || loop)) return next;
  throw new AntiphonError("NOT_FOUND", next ? usedUp(key, fitting.length) : miss(entries, key, near));
}

const usedUp = (key: string, count: number): string =>
  `${key} was recorded ${count === 1 ? "once" : `${count} times`} and requested once more. Set \`loop\` to start again.`;

function miss(entries: readonly Entry[], key: string, near: { entry: Entry; off: Difference[] }[]): string {
  const nearest = near.toSorted((a, b) => a.off.length - b.off.length)[0];
  const [first] = nearest?.off ?? [];
  if (nearest && first) {
    const where = `exchange ${entries.indexOf(nearest.entry) + 1}`;
    return `No recorded ${key} has this body. The nearest is ${where}, which differs at ${first.path}: recorded ${first.left}, requested ${first.right}.`;
  }
  const known = [...new Set(entries.map((entry) => entry.key))];
  return `No ${key} was recorded; the tape contains ${known.length === 0 ? "nothing" : known.join(", ")}.`;
}

const stopped = ({ signal }: HttpRequest): AntiphonError => toAntiphonError(signal?.reason, "ABORTED");

const revived = (error: RecordedError | undefined): AntiphonError => {
  const { code = "CONNECTION_ERROR", message = "The recording has no response." } = error ?? {};
  return new AntiphonError(isErrorCode(code) ? code : "CONNECTION_ERROR", message);
};

const leftHere: RecordedError = { code: "CONNECTION_ERROR", message: "The recording ends here because its reader cancelled." };

/** A recorded answer, piece by piece. */
class ReplayedBody implements HttpResponse {
  readonly status: number;
  readonly headers: HttpResponse["headers"];
  readonly #request: HttpRequest;
  readonly #response: RecordedResponse;
  readonly #error: RecordedError | undefined;
  readonly #pieces: Iterator<Piece>;
  readonly #started = performance.now();
  readonly #pace: boolean;
  #cancelled = false;
  #wake: (() => void) | undefined;

  constructor(request: HttpRequest, response: RecordedResponse, error: RecordedError | undefined, options: ReplayOptions) {
    this.#request = request;
    this.#response = response;
    this.#error = error;
    this.#pieces = piecesOf(response, options.chunk)[Symbol.iterator]();
    this.#pace = options.pace === true;
    this.status = response.status;
    this.headers = { get: (name) => response.headers[name.toLowerCase()] ?? null };
    request.signal?.addEventListener("abort", () => this.#wake?.());
  }

  async read(): Promise<Uint8Array | undefined> {
    const { done, value } = this.#pieces.next();
    if (!done && this.#pace) await this.#until(this.#started + value.at);
    if (this.#request.signal?.aborted) throw stopped(this.#request);
    if (this.#cancelled) throw new AntiphonError("ABORTED", "The reader cancelled the stream.");
    if (!done) return value.bytes;
    if (this.#response.partial) throw revived(this.#error ?? leftHere);
    return undefined;
  }

  cancel(): void {
    this.#cancelled = true;
    this.#wake?.();
  }

  #until(moment: number): Promise<void> {
    const left = moment - performance.now();
    if (left <= 0 || this.#cancelled) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, left);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

interface Piece {
  bytes: Uint8Array;
  /** Milliseconds after the request. */
  at: number;
}

/** The body as it arrived, or in pieces of a size. A mask may have changed its length: the last piece takes up the rest. */
function* piecesOf(response: RecordedResponse, chunk: number | undefined): Generator<Piece> {
  const bytes = bytesOf(response);
  const even = Array.from({ length: chunk ? Math.ceil(bytes.length / chunk) : 1 }, (): [number, number] => [
    0,
    chunk ?? bytes.length,
  ]);
  const plan = chunk || !response.chunks?.length ? even : response.chunks;
  let from = 0;
  for (const [index, [at, size]] of plan.entries()) {
    const to = index === plan.length - 1 ? bytes.length : from + size;
    if (to > from) yield { bytes: bytes.slice(from, to), at };
    from = to;
  }
}

const bytesOf = ({ body, encoding }: RecordedResponse): Uint8Array =>
  encoding === "base64" ? Uint8Array.from(atob(body), (letter) => letter.charCodeAt(0)) : new TextEncoder().encode(body);
