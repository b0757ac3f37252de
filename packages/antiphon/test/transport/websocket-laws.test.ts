import fc, { type Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";
import type { CreateResponse } from "../../src/model/index.ts";
import { foldLaw } from "../../src/testing/laws.ts";
import type { SocketRespond } from "../../src/transport/websocket-connect.ts";
import { exchangeOf, offlineAnswers } from "../laws/exchanges.ts";
import { runs } from "../support/runs.ts";
import { outcomeOf, type Outcome } from "../faults/support.ts";
import { expectSocketParity } from "./support/socket-parity.ts";
import { serveSockets, type ServerTurn } from "./support/socket-server.ts";
import { wires } from "../wires/chain.ts";
import { fleeting, socketsTo } from "./support/sockets.ts";

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

test("answers give the same events over a socket as over HTTP", async () => {
  for (const [name, events] of await offlineAnswers())
    await expectSocketParity(name, exchangeOf(wires.responses, events).values as object[]);
});
