import type { Caller } from "../keys/gatekeeper.ts";
import type { RequestStart, Telemetry, Trace } from "../telemetry/telemetry.ts";

/** The request that opened a connection. */
export interface Handshake extends Pick<RequestStart, "path" | "headers" | "address" | "requestId"> {
  caller: Caller;
}

/**
 * Tells of one message as of a request: a connection may stay open for an hour, and carries many of them. `answer` gives the status that
 * the same request would have by HTTP, and never rejects.
 */
export async function asRequest(
  telemetry: Telemetry,
  { caller, ...handshake }: Handshake,
  answer: (trace: Trace | undefined) => Promise<number>,
): Promise<void> {
  const started = performance.now();
  const about = { method: "GET", route: handshake.path };
  const trace = telemetry.begin?.({ ...about, ...handshake });
  const status = await (trace ? trace.within(() => answer(trace)) : answer(undefined));
  const { requestId } = handshake;
  const milliseconds = performance.now() - started;
  telemetry.request({ ...about, status, milliseconds, owner: caller.owner, requestId, ...(trace && { trace }) });
}
