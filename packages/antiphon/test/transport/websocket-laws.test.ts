import fc, { type Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";
import type { Respond } from "../../src/core/respond.ts";
import type { CreateResponse, ResponseEvent } from "../../src/model/index.ts";
import { foldLaw } from "../../src/testing/laws.ts";
import type { SocketRespond } from "../../src/transport/websocket-connect.ts";
import { haveRecordings, responsesRecordings, sseValues } from "../support/recordings.ts";
import { runs } from "../support/runs.ts";
import { outcomeOf, quick, type Outcome } from "../faults/support.ts";
import { connect } from "../../src/transport/connect.ts";
import { serve } from "./support/servers.ts";
import { serveSockets, type ServerTurn } from "./support/socket-server.ts";
import { fleeting, socketsTo } from "./support/sockets.ts";
import { upstreamAt } from "./support/upstream.ts";

/** What becomes of a request, at one of its events. */
interface Fate {
  kind: "answer" | "refuse" | "fail" | "cut" | "close" | "garble" | "age" | "stop" | "leave";
  at: number;
}

const fates: Arbitrary<Fate> = fc.record({
  kind: fc.constantFrom("answer", "answer", "refuse", "fail", "cut", "close", "garble", "age", "stop", "leave"),
  at: fc.integer({ min: 0, max: 8 }),
});

const error = (code: string): object => ({ type: "error", status: 400, error: { code, message: "No." } });

/** What a server does to a request. */
const deeds: Readonly<Record<Fate["kind"], (turn: ServerTurn) => unknown>> = {
  answer: ({ send, events }) => send(...events),
  refuse: ({ send }) => send(error("invalid_prompt")),
  fail: ({ send }) => send(error("server_error")),
  cut: ({ socket }) => setTimeout(() => socket.terminate(), 2),
  close: ({ socket }) => socket.close(1001),
  garble: ({ socket }) => socket.send("{"),
  age: ({ send }) => send(error("websocket_connection_limit_reached")),
  // What the reader does; the server waits.
  stop: () => {},
  leave: () => {},
};

/** Asks once; a reader that leaves sees no end. */
async function ask(respond: SocketRespond, request: CreateResponse, { kind, at }: Fate): Promise<Outcome | undefined> {
  if (kind === "leave") {
    let count = 0;
    const signal = AbortSignal.timeout(50);
    for await (const _ of respond(request, { signal })) if (++count > at) return undefined;
    return undefined;
  }
  const controller = new AbortController();
  if (kind === "stop") setTimeout(() => controller.abort(), at);
  return outcomeOf(respond, request, { signal: controller.signal, retry: { retries: 0 } });
}

describe("whatever happens to connections", () => {
  test("every answer is lawful, no connection is shared, and the conversation goes on", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fates, { maxLength: 8 }), fc.integer({ min: 1, max: 3 }), async (script, connections) => {
        let fate: Fate = { kind: "answer", at: 0 };
        const server = await serveSockets({
          answer: (turn) => {
            if (fate.kind !== "answer" && fate.kind !== "refuse") turn.send(...turn.events.slice(0, fate.at));
            deeds[fate.kind](turn);
          },
        });
        const respond = socketsTo(server.origin, { connections });
        let previous: string | undefined;
        for (fate of [...script, { kind: "answer", at: 0 } as const]) {
          let outcome = await ask(respond, fleeting(previous), fate).catch(() => undefined);
          if (outcome?.error?.code === "CHAIN_NOT_FOUND") outcome = await ask(respond, fleeting(), fate).catch(() => undefined);
          if (outcome?.events.length) expect(foldLaw(outcome.events)).toBeUndefined();
          if (outcome?.response?.status === "completed" && respond.holds(outcome.response.id)) previous = outcome.response.id;
          if (fate.kind === "answer") expect(outcome?.response?.status).toBe("completed");
        }
        expect(server.overlaps).toBe(0);
        respond.close();
      }),
      { numRuns: runs(30, 3_000) },
    );
  });

  test("requests at the same time all come to an end", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fates, { minLength: 2, maxLength: 8 }),
        fc.integer({ min: 1, max: 3 }),
        async (script, connections) => {
          const server = await serveSockets({
            answer: (turn) => {
              const fate = script[Number(turn.message.input)]!;
              if (fate.kind !== "answer" && fate.kind !== "refuse") turn.send(...turn.events.slice(0, fate.at));
              deeds[fate.kind](turn);
            },
          });
          const respond = socketsTo(server.origin, { connections });
          const asked = script.map((fate, index) => ask(respond, { input: String(index) }, fate).catch(() => undefined));
          for (const [index, outcome] of (await Promise.all(asked)).entries())
            if (script[index]?.kind === "answer") expect(outcome?.response?.status).toBe("completed");
          expect(server.overlaps).toBe(0);
          respond.close();
        },
      ),
      { numRuns: runs(20, 2_000) },
    );
  });
});

async function eventsOf(respond: Respond): Promise<ResponseEvent[]> {
  const events: ResponseEvent[] = [];
  for await (const event of respond({ input: "Hello" })) events.push(event);
  return events;
}

test.skipIf(!haveRecordings)(
  "recorded streams come over a socket as over HTTP (skipped where the recordings are not at hand)",
  async () => {
    const some = responsesRecordings().filter(({ stream, status }) => stream && status === 200);
    const stride = Math.max(1, Math.floor(some.length / runs(25, some.length)));
    for (const recording of some.filter((_, index) => index % stride === 0)) {
      const values = sseValues(recording.body()) as { type: string }[];
      // On a socket an `error` is the last word, and nothing follows it.
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
  },
);
