import { isTerminal, text, type ResponseEvent, type ResponseResource } from "antiphon";
import { lifecycleLaw } from "antiphon/testing";
import { expect } from "vitest";
import { Client } from "./client.ts";
import { GatewayProcess, type Settings } from "./gateway-process.ts";
import { wordsOf, type Upstream } from "./upstream.ts";

/** What a gateway is put under when it is killed. */
export interface Load {
  /** Streams whose clients wait for them. */
  streams: number;
  /** Runs in the background; every other one is followed. */
  background: number;
}

export interface Round {
  load: Load;
  /** What no other round is called. */
  round: string;
  /** How many events clients see before the kill. */
  after: number;
}

/** How the runs of a round ended. */
export interface Ends {
  acknowledged: number;
  completed: number;
  interrupted: number;
  /** Runs for which the model was asked more than once. */
  again: number;
}

/** Starts a gateway under load, kills it after a while, starts another on the same store, and looks whether all is well. */
export async function killRound(settings: Settings, upstream: Upstream, { load, round, after }: Round): Promise<Ends> {
  const first = await GatewayProcess.start(settings);
  let seen = 0;
  let reached = (): void => {};
  const enough = new Promise<void>((resolve) => (reached = resolve));
  const clients = clientsOf(load, round, () => (seen += 1) >= after && reached());
  const asked = Promise.all(clients.map((client) => client.ask(first.url).catch(() => {})));
  await Promise.race([enough, asked]);
  await first.kill();
  await asked;
  const second = await GatewayProcess.start(settings);
  const known = clients.filter(({ id }) => id !== undefined);
  const ends: Ends = { acknowledged: known.length, completed: 0, interrupted: 0, again: 0 };
  await Promise.all(
    known.map(async (client) => {
      await client.resume(second.url);
      const response = await client.end(second.url);
      expectWhole(client, response);
      if (client.kind !== "foreground") await expectOneLog(client, second.url);
      const calls = upstream.calls.get(client.name)?.length ?? 0;
      if (calls > 1) ends.again += 1;
      expect(calls, `calls of ${client.name}`).toBeGreaterThan(0);
      if (client.kind === "foreground") expect(calls, `calls of ${client.name}`).toBe(1);
      ends[response.status === "completed" ? "completed" : "interrupted"] += 1;
    }),
  );
  await second.stop();
  return ends;
}

function clientsOf({ streams, background }: Load, round: string, told: () => void): Client[] {
  const make = (count: number, kind: (index: number) => Client["kind"]): Client[] =>
    Array.from({ length: count }, (_, index) => new Client(`${round}-${kind(index)}-${index}`, kind(index), told));
  return [...make(background, (index) => (index % 2 === 0 ? "followed" : "plain")), ...make(streams, () => "foreground")];
}

/** A response holds all that one call of the model has said, or says that it was interrupted. */
function expectWhole({ name, seen }: Client, response: ResponseResource): void {
  const said = text(response);
  const call = Number(/^c(\d+)/.exec(said)?.[1] ?? 0);
  if (response.status === "completed") expect(said, `words of ${name}`).toBe(wordsOf(call));
  else {
    expect(response, `end of ${name}`).toMatchObject({ status: "failed", error: { code: "interrupted" } });
    expect(wordsOf(call).startsWith(said), `${name}: ${said}`).toBe(true);
  }
  // What a client has seen of the end stands, also where the gateway was killed the moment after.
  expect(seen.find(isTerminal)?.response, `end of ${name}`).toEqual(response);
  expect(numbersOf(seen), `numbers of ${name}`).toEqual(seen.map((_, index) => index));
}

/** Over all connections a client has seen one stream, and it is what the log holds. */
async function expectOneLog(client: Client, url: string): Promise<void> {
  const again = new Client(client.name, client.kind);
  again.id = client.id;
  await again.resume(url);
  expect(client.seen, `log of ${client.name}`).toEqual(again.seen);
  expect(lifecycleLaw(client.seen), `law of ${client.name}`).toBeUndefined();
}

const numbersOf = (events: readonly ResponseEvent[]): number[] => events.map(({ sequence_number }) => sequence_number);
