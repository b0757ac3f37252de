import { PassThrough } from "node:stream";
import type { Dispatcher } from "undici";
import type { HeaderReader } from "../codecs/codec.ts";
import { abortError, AntiphonError, toAntiphonError } from "../core/error.ts";
import { connectionError, connectTimeoutError, systemCode, type Phase } from "../transport/connection-error.ts";
import type { HttpRequest, HttpResponse, Transport } from "../transport/upstream.ts";
import { ByteQueue } from "./byte-queue.ts";
import { createHttpClient, httpUrl, ownHeaders } from "./http-client.ts";
import type { HttpTransportOptions } from "./http-transport.ts";
import { environmentProxy } from "./proxy.ts";
import { Connection, Connections, openerOf, type Undici } from "./undici-connections.ts";

/** Where a URL leads. */
interface Place {
  host: string;
  origin: string;
  path: string;
  authorization: string | undefined;
  connections: Connections;
}

/** Enough for those that are asked again and again. */
const mostPlaces = 256;

/** Sends requests through pools of connections, one for each server. */
export function createUndiciClient(undici: Undici, options: HttpTransportOptions): Transport {
  const { proxy, agent = {} } = options;
  const proxyOf = proxy === undefined ? environmentProxy(process.env) : () => proxy || undefined;
  const byProxy = createHttpClient(options);
  const open = openerOf(undici, agent);
  const pools = new Map<string, Connections>();
  const places = new Map<string, Place | undefined>();
  const place = (text: string): Place | undefined => {
    const url = httpUrl(text, "The base URL is not an HTTP URL.");
    if (proxyOf(url)) return undefined;
    const { origin, host, pathname, search } = url;
    const connections = pools.get(origin) ?? new Connections(() => new Connection(undici, origin, open, agent.timeout));
    pools.set(origin, connections);
    return { host, origin, path: pathname + search, authorization: credentials(url), connections };
  };
  const known = (text: string): Place | undefined => {
    if (places.has(text)) return places.get(text);
    if (places.size >= mostPlaces) places.clear();
    const found = place(text);
    places.set(text, found);
    return found;
  };
  return async (request) => {
    if (request.signal?.aborted) throw abortError(request.signal.reason);
    const found = known(request.url);
    return found ? new Promise((resolve, reject) => new Exchange(request, found, resolve, reject).send()) : byProxy(request);
  };
}

const credentials = ({ username, password }: URL): string | undefined =>
  username
    ? `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64")}`
    : undefined;

/** The codes of a connection that was closed by the other side. */
const closings: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/** One request and its answer. */
class Exchange implements Dispatcher.DispatchHandlers, HttpResponse {
  status = 0;
  headers: HeaderReader = { get: () => null };
  readonly #request: HttpRequest;
  readonly #place: Place;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: AntiphonError) => void;
  #connection: Connection | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #phase: Phase = "connect";
  #abort: ((error?: Error) => void) | undefined;
  #wasUsed = false;
  #bytesBefore = 0;
  #again = false;
  #settled = false;
  #queue: ByteQueue | undefined;
  /** Where the bytes go first that are compressed. */
  #packed: PassThrough | undefined;
  #paused = false;

  constructor(
    request: HttpRequest,
    place: Place,
    resolve: (response: HttpResponse) => void,
    reject: (error: AntiphonError) => void,
  ) {
    this.#request = request;
    this.#place = place;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  send(): void {
    const { method, body, connectTimeout, signal } = this.#request;
    const { host, origin, path, authorization, connections } = this.#place;
    const headers: Record<string, string> = { ...ownHeaders, ...(authorization && { authorization }), ...this.#request.headers };
    signal?.addEventListener("abort", this.#onAbort);
    this.#connection = connections.take();
    this.#connection.client.dispatch({ origin, path, method, headers, body: body ?? null }, this);
    // A connection that was kept stands already.
    if (connectTimeout && this.#phase === "connect" && !this.#settled)
      this.#timer = setTimeout(() => this.#giveUp(connectTimeoutError(host, connectTimeout)), connectTimeout);
  }

  onConnect(abort: (error?: Error) => void): void {
    if (this.#settled) return abort(abortError("given up"));
    clearTimeout(this.#timer);
    this.#abort = abort;
    this.#phase = "answer";
    this.#wasUsed = this.#connection!.isUsed;
    this.#bytesBefore = this.#connection!.bytesRead;
  }

  onHeaders(status: number, raw: Buffer[], resume: () => void): boolean {
    // What only says that an answer will come.
    if (status < 200) return true;
    this.#phase = "body";
    this.status = status;
    this.headers = readerOf(raw);
    const encoding = this.headers.get("content-encoding") ?? "identity";
    if (encoding === "identity")
      this.#answer(new ByteQueue({ pause: () => (this.#paused = true), resume: () => this.#resume(resume) }));
    else void this.#unpack((this.#packed = new PassThrough().on("drain", resume)), encoding);
    return true;
  }

  onData(bytes: Buffer): boolean {
    if (this.#packed) return this.#packed.write(bytes);
    this.#queue?.push(bytes);
    return !this.#paused;
  }

  onComplete(): void {
    this.#place.connections.give(this.#connection!);
    if (this.#packed) this.#packed.end();
    else this.#end();
  }

  onError(error: Error): void {
    this.#connection?.close();
    if (this.#settled) return;
    if (this.#isStale(error)) return this.#sendAgain();
    this.#fail(this.#told(error));
  }

  read(apart?: boolean): Promise<Uint8Array | undefined> {
    return this.#queue!.read(apart);
  }

  more(): Uint8Array | undefined {
    return this.#queue!.more();
  }

  get isOver(): boolean {
    return this.#queue!.isOver;
  }

  cancel(): void {
    this.#giveUp(abortError("cancelled"));
  }

  #answer(queue: ByteQueue): void {
    this.#queue = queue;
    this.#resolve(this);
  }

  async #unpack(packed: PassThrough, encoding: string): Promise<void> {
    try {
      const { decompress } = await import("./decompress.ts");
      const plain = decompress(packed, encoding);
      const queue = new ByteQueue(plain);
      plain.on("data", (bytes: Uint8Array) => queue.push(bytes));
      plain.once("end", () => this.#end());
      plain.once("error", (error) => this.#giveUp(connectionError(this.#place.host, "body", error)));
      this.#answer(queue);
    } catch (thrown) {
      this.#giveUp(toAntiphonError(thrown, "PROTOCOL"));
    }
  }

  #resume(resume: () => void): void {
    this.#paused = false;
    resume();
  }

  readonly #onAbort = (): void => this.#giveUp(abortError(this.#request.signal?.reason));

  #giveUp(error: AntiphonError): void {
    if (this.#settled) return;
    this.#fail(error);
    // Without a connection yet, it is told when it has one.
    this.#abort?.(error);
  }

  #end(): void {
    if (this.#settled) return;
    this.#settle();
    this.#queue?.end();
  }

  #fail(error: AntiphonError): void {
    this.#settle();
    if (this.#queue) this.#queue.fail(error);
    else this.#reject(error);
  }

  #settle(): void {
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener("abort", this.#onAbort);
  }

  #told(error: Error): AntiphonError {
    const code = systemCode(error);
    // It names the header that holds what HTTP does not allow, never its value.
    if (code === "UND_ERR_INVALID_ARG") return new AntiphonError("BAD_REQUEST", error.message, { cause: error });
    return connectionError(this.#place.host, this.#phase, error);
  }

  /** Whether the server had closed a kept-alive connection just when it was used again, and so never saw the request. */
  #isStale(error: Error): boolean {
    const untouched = this.#phase === "answer" && this.#wasUsed && this.#connection!.bytesRead === this.#bytesBefore;
    return untouched && closings.has(systemCode(error)) && !this.#again && !this.#request.once;
  }

  #sendAgain(): void {
    this.#request.signal?.removeEventListener("abort", this.#onAbort);
    this.#again = true;
    this.#phase = "connect";
    this.#abort = undefined;
    this.#place.connections.closeIdle();
    this.send();
  }
}

/** Names and values by turns, looked up when they are asked for: most answers are asked for two or three. */
function readerOf(raw: readonly Buffer[]): HeaderReader {
  return {
    get: (name) => {
      const wanted = name.toLowerCase();
      const values: string[] = [];
      for (let at = 0; at < raw.length; at += 2) {
        const key = raw[at]!;
        if (key.length === wanted.length && key.toString("latin1").toLowerCase() === wanted)
          values.push(raw[at + 1]!.toString("latin1"));
      }
      return values.length > 0 ? values.join(", ") : null;
    },
  };
}
