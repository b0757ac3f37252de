import { expect } from "vitest";
import type { Respond } from "../../../src/core/respond.ts";
import type { ResponseEvent } from "../../../src/model/index.ts";
import { connect } from "../../../src/transport/connect.ts";
import { quick } from "../../faults/support.ts";
import { serve } from "./servers.ts";
import { serveSockets } from "./socket-server.ts";
import { socketsTo } from "./sockets.ts";
import { upstreamAt } from "./upstream.ts";

async function eventsOf(respond: Respond): Promise<ResponseEvent[]> {
  const events: ResponseEvent[] = [];
  for await (const event of respond({ input: "Hello" })) events.push(event);
  return events;
}

/** Expects a stream of the Responses API to give the same events over a socket as over HTTP. */
export async function expectSocketParity(name: string, values: readonly object[]): Promise<void> {
  const sockets = await serveSockets({ answer: ({ send, socket }) => (send(...values), socket.close(1000)) });
  const { origin } = await serve((response) =>
    response
      .writeHead(200, { "content-type": "text/event-stream" })
      .end(values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join("")),
  );
  const ids = { newId: (prefix: string) => `${prefix}_x`, now: () => 0, retry: { retries: 0 } };
  const socket = await eventsOf(socketsTo(sockets.origin, ids));
  const http = await eventsOf(connect(upstreamAt(origin), { ...quick, ...ids }));
  expect([name, socket]).toEqual([name, http]);
}
