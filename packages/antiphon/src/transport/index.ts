export { connect, fetchJson, type ConnectOptions, type FetchJsonOptions } from "./connect.ts";
export { connectionError, connectTimeoutError, NotConnected } from "./connection-error.ts";
export { fetchTransport } from "./fetch-transport.ts";
export { newId } from "./ids.ts";
export { defaultRetry, isStateful, mayRetry, retryDelay, type RetryFacts } from "./retry.ts";
export { SseParser, type Frame, type SseOptions } from "./sse.ts";
export { defaultTimeouts } from "./timeouts.ts";
export type { TransportChoice } from "./transport-choice.ts";
export type { HttpRequest, HttpResponse, LocalUpstream, Transport, Upstream, WireUpstream } from "./upstream.ts";
