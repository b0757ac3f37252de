import { abortSignal, inputType, type InputItem, type Respond } from "antiphon";
import { createTokenCounter, summariseAll, summariseWithModel } from "antiphon/conversation";
import type { Context } from "../context.ts";
import { json, withHeaders, type Exchange, type Routes } from "../http/exchange.ts";
import type { Face } from "../http/faces.ts";
import { lossHeaders } from "../http/losses.ts";
import type { ModelRoute } from "../models/models.ts";
import { sealSummary, unfold } from "../runs/compaction.ts";
import { historyOf } from "../runs/history.ts";
import { checkRequestUrls } from "../security/request-urls.ts";
import { upstreamHeaders } from "../security/upstream-headers.ts";
import { guarded, type CallerHandler } from "./guarded.ts";
import { metered } from "./metered.ts";
import { bodyReader } from "./read-body.ts";
import { shownItem } from "./shown-items.ts";

/** Tokens that one request for a summary may hold: longer histories are summarised piece by piece. */
const pieceTokens = 24_000;

/** The routes that read a history without adding to it. */
export const histories = (context: Context, face: Face, prefix: string): Routes => ({
  ...compact(context, face, `POST ${prefix}/responses/compact`),
  ...countTokens(context, face, `POST ${prefix}/responses/input_tokens`, { object: "response.input_tokens" }),
});

function compact(context: Context, face: Face, path: string): Routes {
  const { store, limits, models, gatekeeper, newId, now } = context;
  const read = bodyReader(context, path);
  const handler: CallerHandler = async (exchange, _, caller) => {
    const { body, unread } = await read(exchange);
    const request = face.codec.decodeRequest(body);
    checkRequestUrls(request, context.urlGuard);
    const route = models.resolve(request.model, (name) => gatekeeper.allows(caller, name));
    const admission = await gatekeeper.admit(caller, route.name);
    const { earlier, own } = await historyOf(request, { store, owner: caller.owner, limits });
    const items = unfold([...earlier, ...own]);
    const id = newId("resp");
    const question = { id, route, admission, owner: caller.owner, requestId: exchange.requestId };
    const { summary, usage } = await metered(context, question, () =>
      summariseAll({
        items,
        request: { model: route.model },
        ask: watched(context, route, id, exchange),
        signal: abortSignal(exchange.signal),
        summarise: summariseWithModel,
        counter: createTokenCounter(),
        pieceTokens,
      }),
    );
    const output = [...asked(items, newId), sealSummary(newId("cmp"), summary)];
    const compaction = { id, object: "response.compaction", created_at: now(), output, usage };
    return json(200, compaction, withHeaders(admission.headers, lossHeaders(unread)));
  };
  return { [path]: guarded(context, face, handler) };
}

/** The route that estimates how many tokens a request takes. `fields` are added to the answer. */
export function countTokens(context: Context, face: Face, path: string, fields: object = {}): Routes {
  const { store, limits, models, gatekeeper } = context;
  const read = bodyReader(context, path);
  const handler: CallerHandler = async (exchange, _, caller) => {
    const { body, unread } = await read(exchange);
    const request = face.codec.decodeRequest(body);
    models.resolve(request.model, (name) => gatekeeper.allows(caller, name));
    const { earlier, own } = await historyOf(request, { store, owner: caller.owner, limits });
    const counter = createTokenCounter();
    const input_tokens = counter.frame(request) + counter.items(unfold([...earlier, ...own]));
    return json(200, { ...fields, input_tokens }, lossHeaders(unread));
  };
  return { [path]: guarded(context, face, handler) };
}

/** The model as a run would ask it: with a span of its own where someone traces, and with those headers of the client that go upstream. */
function watched(
  { telemetry, passedOn }: Context,
  { name, provider, respond }: ModelRoute,
  id: string,
  exchange: Exchange,
): Respond {
  const { trace } = exchange;
  const model = telemetry.model?.(respond, { id, model: name, provider, ...(trace && { trace }) }) ?? respond;
  const headers = upstreamHeaders(exchange.headers, passedOn);
  return (request, call) => model(request, { ...call, headers });
}

/** What the user said last is kept word for word: it is what the answer will be about. */
function asked(items: readonly InputItem[], newId: (prefix: string) => string): InputItem[] {
  const last = items.findLast((item) => inputType(item) === "message" && (item as { role?: unknown }).role === "user");
  return last ? [shownItem(last.id ? last : { ...last, id: newId("msg") })] : [];
}
