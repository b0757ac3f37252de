import { newId, type CreateResponse, type Respond, type StopSignal } from "antiphon";
import { offline } from "antiphon/testing";
import { afterAll } from "vitest";
import { startAround, startLocked, upstreams, type Upstream } from "./gateway.ts";

/** What the model behind the gateway saw. */
export interface Watched {
  /** What it was asked, oldest first. */
  asked: CreateResponse[];
  /** Resolves when a call of it is stopped. */
  stopped: Promise<void>;
}

/** A gateway for the tests of one file. */
export interface Served {
  url: string;
  /** Where the model is behind Google's wire. */
  gemini: string;
  /** A gateway that wants a key; the one it has is for the model `offline` alone. */
  locked: { url: string; secret: string };
  /** Watches the model from now on; calls from before are none of the watcher's. */
  watch(): Watched;
}

/** Names that clients take for those of reasoning models, for which some of them ask in another way. */
const known = Object.fromEntries(upstreams.map((upstream) => [`gpt-5-${upstream}`, upstream]));

/** Starts a gateway with a model behind it, by default the offline one, until the tests of the file are over. */
export async function serve(model: Respond = offline({ newId })): Promise<Served> {
  let seen = (_: CreateResponse, __: StopSignal | undefined): void => undefined;
  const watched: Respond = (request, options) => {
    seen(request, options?.signal);
    return model(request, options);
  };
  const [around, locked] = [await startAround(watched, known), await startLocked(watched)];
  afterAll(async () => {
    await locked.close();
    await around.close();
  });
  const watch = (): Watched => {
    const asked: CreateResponse[] = [];
    const stopped = new Promise<void>((resolve) => {
      seen = (request, signal) => {
        asked.push(request);
        signal?.addEventListener("abort", () => resolve());
      };
    });
    return { asked, stopped };
  };
  return { url: around.url, gemini: around.gemini, locked, watch };
}

type Named = readonly [client: string, ...rest: unknown[]];
type Across<C extends Named> = C extends readonly [string, ...infer R] ? [title: string, upstream: Upstream, ...R] : never;

/** Each client with each upstream: `openai 7 · Responses → chat`. */
export const across = <C extends Named>(clients: readonly C[]): Across<C>[] =>
  clients.flatMap(([client, ...rest]) =>
    // The tuple is the client's own, with the upstream put in.
    upstreams.map((upstream) => [`${client} → ${upstream}`, upstream, ...rest] as Across<C>),
  );

/** Everything that a stream gives. */
export async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of stream) values.push(value);
  return values;
}
