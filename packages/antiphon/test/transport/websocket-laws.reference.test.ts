import { expect, test } from "vitest";
import type { Respond } from "../../src/core/respond.ts";
import type { ResponseEvent } from "../../src/model/index.ts";
import { connect } from "../../src/transport/connect.ts";
import { quick } from "../faults/support.ts";
import { responsesRecordings } from "../support/recordings.ts";
import { runs } from "../support/runs.ts";
import { sseValues } from "../support/sse-values.ts";
import { serve } from "./support/servers.ts";
import { serveSockets } from "./support/socket-server.ts";
import { socketsTo } from "./support/sockets.ts";
import { upstreamAt } from "./support/upstream.ts";

async function eventsOf(respond: Respond): Promise<ResponseEvent[]> {
  const events: ResponseEvent[] = [];
  for await (const event of respond({ input: "Hello" })) events.push(event);
  return events;
}

test("recorded streams give the same events over a socket as over HTTP", async () => {
  const some = responsesRecordings().filter(({ stream, status }) => stream && status === 200);
  const stride = Math.max(1, Math.floor(some.length / runs(25, some.length)));
  for (const recording of some.filter((_, index) => index % stride === 0)) {
    const values = sseValues(recording.body()) as { type: string }[];
    // A socket sends nothing after an `error`.
    if (values.some(({ type }) => type === "error")) continue;
    const sockets = await serveSockets({ answer: ({ send, socket }) => (send(...values), socket.close(1000)) });
    const { origin } = await serve((response) =>
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .end(values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join("")),
    );
    const ids = { newId: (prefix: string) => `${prefix}_x`, now: () => 0, retry: { retries: 0 } };
    const socket = await eventsOf(socketsTo(sockets.origin, ids));
    const http = await eventsOf(connect(upstreamAt(origin), { ...quick, ...ids }));
    expect([recording.id, socket]).toEqual([recording.id, http]);
  }
});
