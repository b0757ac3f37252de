import { LateBatches } from "../core/late-batches.ts";
import { checkOptions, func, object, objectWith, yesOrNo, type Rules } from "../core/options.ts";
import { fromBatches, type Middleware } from "../core/respond.ts";
import type { Compactor } from "./compactor.ts";
import type { Memory } from "./exchange.ts";
import type { SessionStore, Target } from "./log-records.ts";
import type { Log } from "./log.ts";

/** A conversation and whom it is held with. */
export interface ConverseOptions {
  log: Log;
  target: Target;
  /** Where what is new in the log is kept, before it is sent or shown. */
  sessions?: SessionStore;
  /** Shortens a conversation that has become too long. */
  compact?: Compactor;
  /** Whether system and developer messages at the head of the log go to the instructions; so where nothing is said. */
  hoist?: boolean;
  /** Whether the connection to the provider still has a response, as a WebSocket has: such a one is chained to also where nothing is stored. */
  holds?(response_id: string): boolean;
  /** Seconds since 1970; the clock's where left out. */
  now?(): number;
}

const converseRules: Rules<ConverseOptions> = {
  log: objectWith("be a `Log`", "append"),
  target: object,
  sessions: objectWith("be a session store, such as `memorySessions()`", "load", "append"),
  compact: func,
  hoist: yesOrNo,
  holds: func,
  now: func,
};

/**
 * Middleware that holds a conversation: it logs new items and answers, and plans what to send. Callers may send all
 * items every time or only what is new; the log recognizes its items, also copies from JSON. If the provider has lost
 * the chain, rejects a blob or an item, or finds the conversation too long, the middleware sends one more request in
 * a form that the provider accepts, and emits an `antiphon:recovered` event.
 *
 * @example
 * const respond = converse({ log: new Log(), target })(connect(upstream));
 * await collect(respond({ input: "My name is Ada." }));
 * console.log(text(await collect(respond({ input: "What is my name?" }))));
 */
export function converse(options: ConverseOptions): Middleware {
  checkOptions("converse", options, converseRules);
  // Learnt from errors; a conversation that is opened anew learns it again at the price of one request.
  const memory: Memory = { distrust: {}, keepsNothing: false, last: undefined };
  return (next) => (request, call) =>
    fromBatches(
      () =>
        new LateBatches(async () => {
          // Whoever only asks models does without.
          const { Exchange } = await import("./exchange.ts");
          return new Exchange({ ...options, memory }, next, request, call);
        }),
    );
}
