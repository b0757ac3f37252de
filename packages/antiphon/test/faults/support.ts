import type { ServerResponse } from "node:http";
import { checkLifecycle } from "../../src/core/lifecycle.ts";
import { Writer } from "../../src/core/writer.ts";
import type { CallOptions, Respond } from "../../src/core/respond.ts";
import { AntiphonError } from "../../src/core/error.ts";
import type { CreateResponse, ResponseEvent, ResponseResource } from "../../src/model/index.ts";
import { isTerminal } from "../../src/model/guards.ts";
import { connect, type ConnectOptions } from "../../src/transport/connect.ts";
import { testCtx } from "../support/ctx.ts";
import { upstreamAt } from "../transport/support/upstream.ts";
import { expect } from "vitest";

/** The events of a lawful answer, one delta a word. */
export function answer(...words: string[]): ResponseEvent[] {
  const writer = new Writer(testCtx());
  for (const word of words) writer.text(word);
  writer.response({ usage: null });
  writer.finish({ status: "completed" });
  return writer.drain();
}

/** The events of an answer that failed before any output. */
export function failure(code: string, message: string): ResponseEvent[] {
  const writer = new Writer(testCtx());
  writer.fail(new AntiphonError("SERVER_ERROR", message, { vendorCode: code }));
  return writer.drain();
}

/** One event as it travels. */
export const frame = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;
export const frames = (events: readonly object[]): string => events.map(frame).join("");

/** Begins an event stream. */
export const stream = (response: ServerResponse, ...events: object[]): ServerResponse => {
  response.writeHead(200, { "content-type": "text/event-stream", "x-request-id": "req_1" });
  response.write(frames(events) || ": open\n\n");
  return response;
};

/** Answers well. */
export const answers =
  (...words: string[]) =>
  (response: ServerResponse): void =>
    void stream(response, ...answer(...words)).end();

/** Answers with an error status. */
export const refuses =
  (status: number, body: unknown = { error: { message: "No." } }, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void =>
    void response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(typeof body === "string" ? body : JSON.stringify(body));

/** Short enough for a test, long enough for a busy machine. */
export const quick: ConnectOptions = { retry: { minDelay: 1, maxDelay: 50 }, timeouts: { firstEvent: 5_000, idle: 5_000 } };

export const connectTo = (origin: string, options: ConnectOptions = {}): Respond =>
  connect(upstreamAt(origin), { ...quick, ...options });

export interface Outcome {
  /** The events of the response, in order. */
  events: ResponseEvent[];
  /** Those of this library's own. */
  notes: ResponseEvent[];
  /** The response of the terminal event. */
  response: ResponseResource | undefined;
  /** What was thrown. */
  error: AntiphonError | undefined;
}

/** Reads a call to its end, whatever that is. What has begun must be lawful and end in a terminal event. */
export async function outcomeOf(
  respond: Respond,
  request: CreateResponse = { input: "Hello" },
  { onEvent, ...call }: CallOptions & { onEvent?: (event: ResponseEvent, count: number) => void } = {},
): Promise<Outcome> {
  const all: ResponseEvent[] = [];
  let error: AntiphonError | undefined;
  try {
    for await (const event of respond(request, call)) {
      all.push(event);
      onEvent?.(event, all.length);
    }
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(AntiphonError);
    error = thrown as AntiphonError;
  }
  const events = all.filter((event) => !event.type.startsWith("antiphon:"));
  if (events.length > 0) expect(checkLifecycle(events)).toBeUndefined();
  const last = events.at(-1);
  return {
    events,
    notes: all.filter((event) => event.type.startsWith("antiphon:")),
    response: last && isTerminal(last) ? last.response : undefined,
    error,
  };
}

/** The text that the deltas spell. */
export const spelt = (events: readonly ResponseEvent[]): string =>
  events.map((event) => (event.type === "response.output_text.delta" ? event.delta : "")).join("");
