import { expect } from "vitest";
import { AntiphonError } from "../../../src/core/error.ts";
import type { EventStream } from "../../../src/core/respond.ts";
import { Writer } from "../../../src/core/writer.ts";
import { isTerminal } from "../../../src/model/guards.ts";
import type { ResponseEvent, ResponseResource } from "../../../src/model/index.ts";
import { foldLaw, lifecycleLaw } from "../../../src/testing/laws.ts";
import { background, type Background, type BackgroundOptions } from "../../../src/transport/background.ts";
import { testCtx } from "../../support/ctx.ts";
import { upstreamAt } from "./upstream.ts";

/** Fast enough for tests. */
export const hasty: BackgroundOptions = {
  retry: { minDelay: 1, maxDelay: 5 },
  poll: { minDelay: 1, maxDelay: 5 },
  timeouts: { firstEvent: 5_000, idle: 5_000 },
};

export const jobsAt = (origin: string, options: BackgroundOptions = {}): Background =>
  background(upstreamAt(origin), { ...hasty, ...options });

/** A job's events: it thinks, says something and calls a function. */
export function story(): ResponseEvent[] {
  const request = { model: "test-model", input: "Hello", background: true };
  const writer = new Writer(testCtx(request));
  writer.summary("Let me ");
  writer.summary("think.");
  writer.text("It is ");
  writer.text("sunny.");
  writer.annotate({ type: "url_citation", url: "https://example.com", title: "Weather", start_index: 0, end_index: 5 });
  writer.call("a", { call_id: "call_1", name: "weather" });
  writer.args("a", '{"city":');
  writer.args("a", '"Oslo"}');
  writer.finish({ status: "completed" });
  return writer.drain();
}

/** What came of a stream: its own events, this library's notes, and what was thrown. */
export interface Told {
  events: ResponseEvent[];
  notes: ResponseEvent[];
  error: AntiphonError | undefined;
}

/** Reads a stream to its end, or to the event of a number. */
export async function told(stream: EventStream, last = Number.POSITIVE_INFINITY): Promise<Told> {
  const all: ResponseEvent[] = [];
  let error: AntiphonError | undefined;
  try {
    for await (const event of stream) {
      all.push(event);
      if (event.sequence_number >= last && !event.type.startsWith("antiphon:")) break;
    }
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(AntiphonError);
    error = thrown as AntiphonError;
  }
  const isNote = ({ type }: ResponseEvent): boolean => type.startsWith("antiphon:");
  return { events: all.filter((event) => !isNote(event)), notes: all.filter(isNote), error };
}

/** That a whole stream keeps the laws. */
export function expectLawful(events: readonly ResponseEvent[]): void {
  expect(lifecycleLaw(events)).toBeUndefined();
  expect(foldLaw(events)).toBeUndefined();
}

/** Returns the text of all deltas, and the output of the terminal event. */
export const gist = (seen: readonly ResponseEvent[]) => ({
  deltas: seen.map((event) => ("delta" in event ? event.delta : "")).join(""),
  output: (seen.findLast(isTerminal) as { response: ResponseResource } | undefined)?.response.output,
});
