import { describe, expect, test } from "vitest";
import { responsesCodec } from "../../src/codecs/responses/index.ts";
import { abortLaw, type WatchedModel } from "../../src/testing/abort-law.ts";
import { cut } from "../../src/testing/laws.ts";
import { connect } from "../../src/transport/connect.ts";
import type { Transport } from "../../src/transport/upstream.ts";
import { responsesRecordings, type Recording } from "../support/recordings.ts";
import { sseValues } from "../support/sse-values.ts";
import { exceptions } from "./responses-exceptions.ts";

/** A model that plays a recording in small reads, over a connection that can be watched. */
function played(recording: Recording): WatchedModel {
  let open = true;
  const transport: Transport = async () => {
    const chunks = cut(recording.body(), 700);
    return {
      status: 200,
      headers: { get: (name) => (name === "content-type" ? "text/event-stream" : null) },
      read: async () => {
        const { value, done } = chunks.next();
        if (done) open = false;
        return open ? (value ?? undefined) : undefined;
      },
      cancel: () => {
        open = false;
      },
    };
  };
  const upstream = { name: "played", baseUrl: "http://127.0.0.1", codec: responsesCodec(), headers: () => ({}) };
  return { respond: connect(upstream, { transport, retry: { retries: 0 } }), closed: () => !open };
}

const streams = responsesRecordings().filter(({ stream }) => stream);

describe("abort", () => {
  test(`leaving and stopping ${streams.length} recorded streams, early, midway and late`, async () => {
    const breaches: string[] = [];
    for (const recording of streams) {
      const count = sseValues(recording.body()).length;
      const positions = [1, 2, 3, 5, Math.floor(count / 2), count - 2].filter((position) => position > 0);
      const finding = await abortLaw(() => played(recording), { input: "Hello" }, positions);
      const isException = exceptions.abort[recording.id] !== undefined;
      if (finding && !isException) breaches.push(`${recording.id}: ${finding}`);
      if (!finding && isException) breaches.push(`${recording.id}: is no exception`);
    }
    expect(breaches).toEqual([]);
  });
});
