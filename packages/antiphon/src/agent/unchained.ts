import type { Memory } from "../conversation/exchange.ts";
import { Log } from "../conversation/log.ts";
import type { Entry, Origin, Target } from "../conversation/log-records.ts";
import { fallbackIn, originOf } from "../conversation/ownership.ts";
import { LateBatches } from "../core/late-batches.ts";
import { batchesOf, fromBatches, type CallOptions, type EventStream, type Middleware, type Respond } from "../core/respond.ts";
import { isOutput, terminalIn } from "../core/seen-events.ts";
import { inputType } from "../model/guards.ts";
import type { CreateResponse, InputItem, ResponseEvent } from "../model/index.ts";
import { targetOf } from "./chat-target.ts";
import { inputItems } from "./loop/run-items.ts";
import { tap } from "./meter.ts";
import type { ResolvedModel } from "./resolve-model.ts";

// Kept beyond a run: the history of a reply may be sent again, also to another provider.
const origins = new WeakMap<InputItem, Origin>();

/**
 * Returns the middleware of a run that no conversation plans: every request carries the whole input. It is sent as it is while
 * the provider has stored the items under their ids. Where nothing is stored, the request is built as for a chat: encrypted
 * reasoning is requested and sent back, and ids that the server does not know are left out. Errors about items are recovered
 * from as in a chat.
 */
export function unchainedRun(): (model: ResolvedModel) => Middleware {
  const known = new Map<ResolvedModel, Middleware>();
  return (model) => {
    const made = known.get(model) ?? unchained(targetOf(model));
    known.set(model, made);
    return made;
  };
}

function unchained(of: Target): Middleware {
  // A server may store responses without the preset saying so; only an error or its response tells.
  const target = { ...of, stores: true };
  const memory: Memory = { distrust: {}, keepsNothing: false, last: undefined };
  return (next) => (request, call) => {
    const items = inputItems(request);
    const isBare = request.store !== false && !memory.keepsNothing && !items.some(isBound);
    if (target.translates || request.conversation || isBare) return noting(next(request, call), request, target, memory);
    return fromBatches(() => new LateBatches(() => exchange(items, { target, memory }, next, request, call)));
  };
}

/** Whether an item may mean something only to the server that made it. */
const isBound = (item: InputItem): boolean =>
  typeof item.id === "string" || ["reasoning", "compaction", "item_reference"].includes(inputType(item));

/** Sends a request as a conversation that lasts as long as the request: it is planned, and recovers from errors. */
async function exchange(
  items: readonly InputItem[],
  about: { target: Target; memory: Memory },
  next: Respond,
  request: CreateResponse,
  call: CallOptions | undefined,
): Promise<AsyncIterator<ResponseEvent[]>> {
  const { Exchange } = await import("../conversation/exchange.ts");
  const { previous_response_id, ...own } = request;
  const log = new Log();
  log.append(items.map((item): Entry => entryOf(item)));
  const count = log.entries.length;
  const follows = previous_response_id !== undefined && previous_response_id !== null;
  // The caller decides what is stored and which response the input follows on.
  const given = { ...(follows && { previous_response_id }), ...("store" in own && { store: own.store }) };
  const send: Respond = ({ store: _, ...planned }, options) => next({ ...planned, ...given }, options);
  const options = { ...about, log, hoist: false, chain: false, follows };
  const stream = fromBatches(() => new Exchange(options, send, { ...own, input: [] }, call));
  return batchesOf(
    tap(stream, (batch) => {
      if (!terminalIn(batch)) return;
      for (const { item, origin } of log.entries.slice(count)) if (origin) origins.set(item, origin);
    }),
  );
}

function entryOf(item: InputItem): Entry {
  const origin = origins.get(item);
  return origin ? { item, origin } : { item };
}

/** Remembers who made the items of an answer, and whether the provider stores them. */
function noting(stream: EventStream, { store }: CreateResponse, target: Target, memory: Memory): EventStream {
  let fallback: number | undefined;
  let hasOutput = false;
  return tap(stream, (batch) => {
    if (!hasOutput) {
      fallback = fallbackIn(batch) ?? fallback;
      hasOutput = batch.some(isOutput);
    }
    const response = terminalIn(batch)?.response;
    if (!response) return;
    const isStored = store !== false && response.store;
    if (store !== false && !response.store) memory.keepsNothing = true;
    const origin = originOf(response, target, { fallback, stored: isStored && response.status === "completed" });
    for (const item of response.output) origins.set(item, origin);
  });
}
