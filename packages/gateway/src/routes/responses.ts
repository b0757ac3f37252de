import { AntiphonError, type InputItem, type ResponseEvent } from "antiphon";
import type { Context } from "../context.ts";
import { json, type Exchange, type Reply, type Routes } from "../http/exchange.ts";
import { notFound, type Face } from "../http/faces.ts";
import { pageOf, paged } from "../http/pages.ts";
import { streamReply } from "../http/write-stream.ts";
import type { Caller } from "../keys/gatekeeper.ts";
import { followEnd } from "../runs/follow.ts";
import { unwired } from "../runs/unwire.ts";
import { isStorableId } from "../store/limits.ts";
import type { StoredResponse } from "../store/store.ts";
import { create } from "./create.ts";
import { guarded } from "./guarded.ts";
import { shownItem } from "./shown-items.ts";

/** The routes of responses below a prefix, in the words of a face. */
export const responses = (context: Context, face: Face, prefix: string): Routes => ({
  [`POST ${prefix}/responses`]: guarded(context, face, create(context, face, `POST ${prefix}/responses`)),
  [`GET ${prefix}/responses/:id`]: guarded(context, face, async (exchange, { id = "" }, caller) => {
    const stored = await find(context, id, caller);
    return isAsked(exchange.query.get("stream"))
      ? retell(context, face, stored, exchange)
      : json(200, face.codec.encodeResponse(stored.response));
  }),
  [`DELETE ${prefix}/responses/:id`]: guarded(context, face, async (_, { id = "" }, { owner }) => {
    if (!isStorableId(id) || !(await context.store.deleteResponse(id, owner))) throw notFound("response", id);
    context.recent.delete(id);
    context.live.get(id)?.stop(new AntiphonError("ABORTED", "The response was deleted."));
    return json(200, { id, object: "response.deleted", deleted: true });
  }),
  [`POST ${prefix}/responses/:id/cancel`]: guarded(context, face, async (_, { id = "" }, caller) => {
    const { background } = await find(context, id, caller);
    if (!background)
      throw new AntiphonError("BAD_REQUEST", "Only background responses can be cancelled.", { param: "response_id" });
    const response = await context.background.cancel(id, caller.owner);
    if (!response) throw notFound("response", id);
    return json(200, face.codec.encodeResponse(response));
  }),
  [`GET ${prefix}/responses/:id/input_items`]: guarded(context, face, async ({ query }, { id = "" }, caller) =>
    json(200, paged((await inputOf(context, await find(context, id, caller))).map(shownItem), pageOf(query, "desc"))),
  ),
});

async function find({ store }: Context, id: string, { owner }: Caller): Promise<StoredResponse> {
  const stored = isStorableId(id) ? await store.getResponse(id, owner) : undefined;
  if (!stored) throw notFound("response", id);
  return stored;
}

const isAsked = (value: string | null): boolean => value === "true" || value === "1";

/** The items that a response was asked with: its own, after those of the chain that it goes on from. */
async function inputOf({ store, limits }: Context, { input, previous, owner }: StoredResponse): Promise<InputItem[]> {
  const turns = previous === null ? [] : ((await store.getChain(previous, owner, limits.maxChain)) ?? []);
  return [...turns.flatMap((turn) => [...turn.input, ...turn.output]), ...input];
}

/** Tells a response once more, from any of its events on. */
async function retell(
  context: Context,
  face: Face,
  { id, owner, request, background }: StoredResponse,
  { query, signal }: Exchange,
): Promise<Reply> {
  const after = startingAfter(query.get("starting_after"));
  const batches = background
    ? await context.background.follow(id, owner, signal)
    : (eventsOf(context, id) ?? followEnd({ store: context.store, id, owner, signal }, after));
  if (!batches)
    throw new AntiphonError("BAD_REQUEST", "The events of this response are no longer stored. Request it without `stream`.", {
      param: "stream",
    });
  return streamReply(batches, { face, request, after, heartbeat: context.heartbeat });
}

/** The events of a stream that runs here, or has just ended here; nothing where they are not kept. */
function eventsOf({ live, recent }: Context, id: string): AsyncIterator<ResponseEvent[]> | undefined {
  const running = live.get(id);
  if (running) return running.isWhole ? unwired(running.read()) : undefined;
  const events = recent.get(id);
  return events && once(events);
}

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}

function startingAfter(written: string | null): number {
  if (written === null) return -1;
  const number = Number(written);
  if (!Number.isInteger(number) || written.trim() === "")
    throw new AntiphonError("BAD_REQUEST", "`starting_after` must be the sequence number of an event.", {
      param: "starting_after",
    });
  return number;
}
