import {
  AntiphonError,
  batchesOf,
  fromBatches,
  isObject,
  type Middleware,
  type Provider,
  type ResponseEvent,
  type ResponseResource,
} from "antiphon";
import { lifecycle, someOf } from "../event-kinds.ts";

const masked = "***";
/** Words like `ollama` are no secrets: to mask them would only garble what is said. */
const shortest = 8;

/** Keeps to itself what only a provider is told: servers like to repeat the key that they refuse, or all that they were sent. */
export class Discretion {
  readonly #provider: Provider;
  #secrets: readonly string[] | undefined;

  constructor(provider: Provider) {
    this.#provider = provider;
  }

  /** Masks secrets in a message, and names timeouts as configuration files do: `timeouts.first_event`. */
  text(text: string): string {
    this.#secrets ??= secretsOf(this.#provider);
    const named = text.replaceAll("`timeouts.firstEvent`", "`timeouts.first_event`");
    return this.#secrets.reduce((said, secret) => said.replaceAll(secret, masked), named);
  }

  /** What was thrown, without secrets. */
  error(thrown: unknown): unknown {
    if (!(thrown instanceof AntiphonError)) return thrown;
    const { message, vendorCode, param, requestId, cause } = thrown;
    const told = { message, vendorCode, param, requestId };
    const masked = this.#values(told);
    const reason = cause instanceof Error && this.text(cause.message) !== cause.message ? undefined : cause;
    if (masked === told && reason === cause) return thrown;
    // A new error, since the stack of the old one begins with its message.
    return new AntiphonError(thrown.code, masked.message, { ...thrown, ...masked, cause: reason });
  }

  /** A model whose failures tell no secrets. What it says in its answers is its own affair. */
  readonly middleware: Middleware = (next) => (request, call) =>
    fromBatches(() => {
      const inner = batchesOf(next(request, call));
      return {
        next: () => inner.next().then(this.#result, this.#failure),
        return: async () => (await inner.return?.()) ?? { done: true, value: undefined },
      };
    });

  readonly #failure = (thrown: unknown): never => {
    throw this.error(thrown);
  };

  readonly #result = (result: IteratorResult<ResponseEvent[]>): IteratorResult<ResponseEvent[]> =>
    !result.done && someOf(result.value, telling) && result.value.some(tellsOfFailure)
      ? { done: false, value: result.value.map((event) => (tellsOfFailure(event) ? this.#event(event) : event)) }
      : result;

  #event(event: ResponseEvent): ResponseEvent {
    if (!carriesResponse(event)) return this.#values(event);
    const { response } = event;
    return { ...event, response: { ...response, error: response.error && this.#values(response.error) } };
  }

  /** A plain value without secrets in its strings; the same one where there are none. */
  #values<T>(value: T): T {
    // What comes out is of the shape of what went in.
    if (typeof value === "string") return this.text(value) as T;
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map(([name, inner]) => [name, inner, this.#values(inner)] as const);
    if (entries.every(([, inner, masked]) => inner === masked)) return value;
    return Object.fromEntries(entries.map(([name, , masked]) => [name, masked])) as T;
  }
}

type Carrier = Extract<ResponseEvent, { response: ResponseResource }>;

const carriesResponse = (event: ResponseEvent): event is Carrier => "response" in event && isObject(event.response);

/** The types of the events that may tell of a failure. */
const telling: ReadonlySet<string> = new Set([...lifecycle, "error"]);

const tellsOfFailure = (event: ResponseEvent): boolean =>
  event.type === "error" || (carriesResponse(event) && event.response.error !== null);

/** All that goes to a provider beside the request: its headers, its query, and the names and passwords of its address. */
function secretsOf(provider: Provider): string[] {
  if ("respond" in provider) return [];
  const { username = "", password = "" } = URL.canParse(provider.baseUrl) ? new URL(provider.baseUrl) : {};
  const written = [username, password].flatMap((part) => [part, decoded(part)]);
  const basic = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString("base64");
  const headers = Object.values(headersOf(provider)).flatMap((value) => [value, value.slice(value.indexOf(" ") + 1)]);
  const query = Object.values(provider.query ?? {}).flatMap((value) => [value, encodeURIComponent(value)]);
  const all = new Set([...headers, ...query, ...written, basic]);
  // What everybody sends is no secret.
  for (const value of Object.values("headers" in provider.preset ? (provider.preset.headers ?? {}) : {})) all.delete(value);
  // Longest first: one may begin with another.
  return [...all].filter((secret) => secret.length >= shortest).toSorted((a, b) => b.length - a.length);
}

function headersOf(provider: Extract<Provider, { baseUrl: string }>): Record<string, string> {
  try {
    return provider.headers();
  } catch {
    // Without a key it cannot be asked, and is told nothing.
    return {};
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
