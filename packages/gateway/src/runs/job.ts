import { AntiphonError, blankResponse, inputType, type CreateResponse, type InputItem, type Loss } from "antiphon";
import { lintItems } from "antiphon/conversation";
import type { Context } from "../context.ts";
import type { Face } from "../http/faces.ts";
import { namedLosses } from "../http/losses.ts";
import type { Admission, Caller } from "../keys/gatekeeper.ts";
import type { ModelRoute } from "../models/models.ts";
import { asksForThoughts } from "../models/thoughts.ts";
import { checkRequestUrls } from "../security/request-urls.ts";
import { checkIds } from "../store/limits.ts";
import type { StoredResponse } from "../store/store.ts";
import type { Trace } from "../telemetry/telemetry.ts";
import { unfold } from "./compaction.ts";
import { historyOf, type Sources } from "./history.ts";
import { conversationOf, present, type Presented } from "./present.ts";
import { readmission } from "./readmission.ts";
import { splitTicket, withTicket } from "./request-ticket.ts";
import type { RunContext } from "./run-context.ts";

/** One answer that is to be made: what was asked, of which model, and what is kept of it. */
export interface Job {
  /** As it stands before the model is asked. */
  stored: StoredResponse;
  /** Whether it is kept at all. */
  keeps: boolean;
  presented: Presented;
  /** As the model is asked: with the whole history, and without what is the gateway's own business. */
  asked: CreateResponse;
  route: ModelRoute;
  /** Whether the client speaks the wire of the model, so that most of the answer need not be read. */
  relays: boolean;
  /** Whether the model is to seal its thoughts, though the client did not ask for them. */
  seals: boolean;
  /** What goes upstream of the client's headers. */
  headers: Record<string, string>;
  admission: Admission | undefined;
  requestId: string | undefined;
  trace?: Trace;
}

/** Who asks, and how. */
export interface Asking {
  face: Face;
  caller: Caller;
  headers?: Record<string, string>;
  requestId?: string;
  trace?: Trace;
  recall?: Sources["recall"];
}

/** Takes a request in: everything that can be wrong with it is thrown here, before anything is kept or asked. */
export async function acceptJob(
  context: RunContext & Pick<Context, "urlGuard">,
  request: CreateResponse,
  asking: Asking,
): Promise<Job> {
  const { store, models, limits, gatekeeper, newId, now } = context;
  const { face, caller } = asking;
  const keeps = request.store ?? face.stores;
  const background = request.background === true;
  if (background && !keeps) throw new AntiphonError("BAD_REQUEST", "A background response must be stored.", { param: "store" });
  checkRequestUrls(request, context.urlGuard);
  const route = models.resolve(request.model, (name) => gatekeeper.allows(caller, name));
  // Whoever is past a limit costs no more than this: histories can be long.
  const admission = await gatekeeper.admit(caller, route.name);
  const { earlier, own } = await historyOf(request, { store, owner: caller.owner, limits, recall: asking.recall });
  const input = keeps || request.conversation ? withIds(own, newId) : own;
  const created_at = now();
  const shown = { id: newId("resp"), created_at, request, model: route.name, store: keeps };
  const response = present(blankResponse(shown.id, created_at, request), shown);
  if (background) response.status = "queued";
  const { headers = {}, requestId } = asking;
  const rest = addFields<CreateResponse>({}, request, inputAlone);
  const stored: StoredResponse = {
    id: shown.id,
    owner: caller.owner,
    request: background ? withTicket(rest, { key: caller.key, headers, requestId }) : rest,
    input,
    previous: request.previous_response_id ?? null,
    conversation: conversationOf(request),
    background,
    response,
  };
  return {
    stored,
    keeps,
    presented: { ...shown, begun: response },
    asked: askedOf(request, earlier, input, route.model),
    route,
    relays: !background && route.relay?.wire === face.wire,
    seals: keeps && sealsUnasked(route, request),
    headers,
    admission,
    requestId,
    ...(asking.trace && { trace: asking.trace }),
  };
}

/** The job of a background response that was taken in earlier, maybe by another process. */
export async function resumeJob(context: RunContext, stored: StoredResponse): Promise<Job> {
  const { store, models, limits } = context;
  const { request: kept, ticket } = splitTicket(stored.request);
  const request: CreateResponse = { ...kept, input: stored.input };
  const route = models.resolve(request.model);
  const { earlier, own } = await historyOf(request, { store, owner: stored.owner, limits });
  const { created_at } = stored.response;
  return {
    stored,
    keeps: true,
    presented: { id: stored.id, created_at, request, model: route.name, store: true, begun: stored.response },
    asked: askedOf(request, earlier, own, route.model),
    route,
    relays: false,
    seals: sealsUnasked(route, request),
    headers: ticket.headers,
    admission: readmission(context, ticket.key),
    requestId: ticket.requestId,
  };
}

const sealsUnasked = ({ seals = false }: ModelRoute, request: CreateResponse): boolean => seals && !asksForThoughts(request);

/** What the model is asked: the whole history. What is kept, chained and run later is the gateway's own business. */
function askedOf(request: CreateResponse, earlier: InputItem[], own: InputItem[], model: string): CreateResponse {
  // A background run is streamed whatever the client said, so that its events are there for those who follow it.
  const stream = request.background === true ? true : request.stream === true;
  return addFields({ model, input: sendable(earlier, own), store: false, stream }, request, ownBusiness);
}

/** Returns the losses of a job as its client is told them. */
export function lossesOf({ asked, stored }: Job, losses: readonly Loss[], { fieldNames }: Face): Loss[] {
  if (losses.length === 0) return [];
  // The positions of items that came from a chain or a conversation mean nothing to the client.
  const isOwnInput = asked.input?.length === stored.input.length;
  return namedLosses(losses, isOwnInput ? fieldNames : [...fieldNames, ["input", "input"]]);
}

const inputAlone: ReadonlySet<string> = new Set(["input"]);
/** What is not for the model, and what is written anew for it. */
const ownBusiness: ReadonlySet<string> = new Set([
  "previous_response_id",
  "conversation",
  "background",
  "metadata",
  "model",
  "input",
  "store",
  "stream",
]);

/** Adds the fields of another object, but for some. In a loop, which takes a fraction of what spreads do. */
function addFields<T extends object>(to: T, from: object, left: ReadonlySet<string>): T {
  // What is added is of a type that has these fields; the caller sees to that.
  const [target, source] = [to as Record<string | symbol, unknown>, from as Record<string | symbol, unknown>];
  for (const field in source) if (!left.has(field)) target[field] = source[field];
  // What a client of another wire asked for, and this vocabulary has no field for.
  for (const mark of Object.getOwnPropertySymbols(source)) target[mark] = source[mark];
  return to;
}

/** The items in a shape that any server takes: what only another could read, and ids that say nothing to it, are left out. */
function sendable(earlier: InputItem[], own: InputItem[]): InputItem[] {
  const items = unfold(earlier.length > 0 ? [...earlier, ...own] : own);
  return items.length === 1 ? items : lintItems(items).items;
}

const prefixes: ReadonlyMap<string, string> = new Map([
  ["message", "msg"],
  ["function_call", "fc"],
  ["function_call_output", "fco"],
  ["reasoning", "rs"],
  ["custom_tool_call", "ctc"],
  ["custom_tool_call_output", "ctco"],
]);

const idAlone: ReadonlySet<string> = new Set(["id"]);

/** Items with an id each, under which they can be kept: what is kept can be asked for. */
export const withIds = (items: InputItem[], newId: (prefix: string) => string): InputItem[] =>
  items.map((item) => {
    if (!item.id) return addFields<InputItem>({ id: newId(prefixes.get(inputType(item)) ?? "item") }, item, idAlone);
    checkIds({ item: item.id });
    return item;
  });
