/** A request as it is kept on a tape: without secrets. */
export interface RecordedRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
}

/** An answer as it is kept on a tape. */
export interface RecordedResponse {
  status: number;
  headers: Record<string, string>;
  /** The whole body as text. */
  body: string;
  /** Set where the body is no text, and `body` therefore base64. */
  encoding?: "base64";
  /** How the body arrived: for each read the milliseconds since the request, and the bytes. */
  chunks?: [milliseconds: number, bytes: number][];
  /** Set where the recording ends before the body did: the reader left, or the connection broke. */
  partial?: true;
}

/** Why no answer came, or why it broke off. */
export interface RecordedError {
  code: string;
  message: string;
}

/** One request and what came of it. */
export interface Exchange {
  request: RecordedRequest;
  response?: RecordedResponse;
  error?: RecordedError;
}

/** Where exchanges are kept. */
export interface Tape {
  load(): Promise<Exchange[]>;
  append(exchange: Exchange): Promise<void>;
}

/**
 * Creates a tape in memory. `exchanges` is its content.
 *
 * @example
 * const tape = memoryTape();
 * const respond = connect(provider, { transport: record(transport, tape) });
 */
export function memoryTape(exchanges: Exchange[] = []): Tape & { readonly exchanges: Exchange[] } {
  return {
    exchanges,
    load: async () => structuredClone(exchanges),
    append: async (exchange) => void exchanges.push(structuredClone(exchange)),
  };
}
