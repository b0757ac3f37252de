import { responsesCodec } from "../../src/codecs/responses/index.ts";
import { reduce } from "../../src/core/reduce.ts";
import { inputType, isObject } from "../../src/model/guards.ts";
import type { CreateResponse, InputItem, ResponseResource } from "../../src/model/index.ts";
import { decodeValues } from "../../src/testing/laws.ts";
import { testCtx } from "../support/ctx.ts";
import { responsesRecordings, type Recording } from "../support/recordings.ts";
import { sseValues } from "../support/sse-values.ts";

/** A recorded request, what came of it, and the exchange that it follows on. */
export interface Exchange {
  id: string;
  request: CreateResponse;
  /** The input, with calls under the ids that the provider gave them. */
  items: InputItem[];
  /** What in it is the caller's own and was not in the request before. */
  fresh: InputItem[];
  response: ResponseResource;
  parent: Exchange | undefined;
  /** All exchanges of the session before it, which may hold items that the request refers to. */
  earlier: readonly Exchange[];
}

const codec = responsesCodec();

function exchangeOf(recording: Recording): Exchange | undefined {
  const request = recording.request();
  const { method, url = "" } = recording.meta();
  const asks = method === "POST" && !/(compact|input_tokens|conversations|cancel)$/.test(url);
  if (!asks || recording.status !== 200 || !isObject(request) || !("input" in request)) return undefined;
  // A body that a real server took is a request.
  const asked = request as CreateResponse;
  const ctx = testCtx(asked);
  const response = recording.stream
    ? reduce(decodeValues(codec, ctx, sseValues(recording.body())))
    : codec.decodeResponse(ctx, recording.json());
  const items: InputItem[] = typeof asked.input === "string" ? [{ role: "user", content: asked.input }] : (asked.input ?? []);
  return { id: recording.id, request: asked, items, fresh: items, response, parent: undefined, earlier: [] };
}

/** Every recorded exchange of a session, in order, each with the one that it follows on. */
export function recordedExchanges(): Exchange[] {
  const sessions = new Map<string, Recording[]>();
  for (const recording of responsesRecordings()) {
    const session = recording.chain?.split(":")[0];
    if (session) sessions.set(session, [...(sessions.get(session) ?? []), recording]);
  }
  return [...sessions.values()].flatMap((session) => {
    const exchanges = session.toSorted((a, b) => place(a) - place(b)).flatMap((recording) => exchangeOf(recording) ?? []);
    exchanges.forEach((exchange, at) => settle(exchange, exchanges.slice(0, at)));
    return exchanges;
  });
}

const place = ({ chain }: Recording): number => Number(chain?.split(":")[1]?.split("/")[0]);

/** Finds what an exchange follows on, and what is new in it. */
function settle(exchange: Exchange, earlier: readonly Exchange[]): void {
  exchange.earlier = earlier;
  const parent = earlier.findLast((before) => follows(exchange, before));
  if (!parent) return;
  exchange.parent = parent;
  const made = [...parent.items, ...parent.response.output];
  const whole = exchange.items.map(resolved(made));
  exchange.items = whole.map(withOwnCallIds(whole, made));
  const last = exchange.items.findLastIndex(isModels);
  if (!exchange.request.previous_response_id) exchange.fresh = exchange.items.slice(Math.max(last + 1, parent.items.length));
}

const callIdOf = (item: InputItem): unknown => Reflect.get(item, "call_id");
const isCall = (item: InputItem): boolean => inputType(item).endsWith("_call") && typeof callIdOf(item) === "string";

/** Some clients give calls other ids when they send them back; the n-th call is the n-th call all the same. */
function withOwnCallIds(items: readonly InputItem[], made: readonly InputItem[]): (item: InputItem) => InputItem {
  const own = made.filter(isCall).map(callIdOf);
  const theirs = items.filter(isCall).map(callIdOf);
  const names = new Map(theirs.length === own.length ? theirs.map((id, at) => [id, own[at]]) : []);
  return (item) => (names.has(callIdOf(item)) ? ({ ...item, call_id: names.get(callIdOf(item)) } as InputItem) : item);
}

const resolved =
  (made: readonly InputItem[]) =>
  (item: InputItem): InputItem =>
    inputType(item) === "item_reference" ? (made.find(({ id }) => id === item.id) ?? item) : item;

/** Whether a request goes on from an earlier one: by its id, or by sending all of it again and something of the answer. */
function follows({ request, items }: Exchange, before: Exchange): boolean {
  if (request.previous_response_id) return request.previous_response_id === before.response.id;
  const made = [...before.items, ...before.response.output];
  const [ours, theirs] = [inBriefs(items.map(resolved(made))), inBriefs(before.items)];
  const names = (item: InputItem): unknown[] => [item.id, callIdOf(item), brief(item)].filter((name) => name !== undefined);
  const answer = new Set(before.response.output.flatMap(names));
  const goesOn = items.slice(before.items.length).some((item) => names(item).some((name) => answer.has(name)));
  return goesOn && theirs.every((item, at) => item === ours[at]);
}

const brief = (item: InputItem): string => JSON.stringify(inBrief(item));

/** Whether only a model, or somebody on its behalf, can have made an item. */
const isModels = (item: InputItem): boolean => {
  const type = inputType(item);
  if (type === "message") return Reflect.get(item, "role") === "assistant";
  return !/(_output|approval_response|additional_tools)$/.test(type);
};

/** What an item says, whichever way it is written. */
function inBrief(item: InputItem): unknown[] {
  const type = inputType(item);
  const of = (field: string): unknown => Reflect.get(item, field);
  if (type === "message") return [of("role"), contentOf(of("content"))];
  if (type === "function_call") return [type, of("call_id"), of("name"), parsed(of("arguments"))];
  if (type === "custom_tool_call") return [type, of("call_id"), of("name"), of("input")];
  if (type.endsWith("_output")) return [type, of("call_id") ?? of("id"), contentOf(of("output"))];
  // Blobs are sealed afresh each time that a server writes them, and ids may be left out.
  if (type === "reasoning") return [type];
  return [type, of("id") ?? of("approval_request_id")];
}

/** A list in brief, one line an item. Calls are numbered: what their ids are is nobody's business. */
export function inBriefs(items: readonly InputItem[]): string[] {
  const numbers = new Map<unknown, number>();
  let count = 0;
  return items.map((item) => {
    if (isCall(item)) numbers.set(callIdOf(item), (count += 1));
    const number = numbers.get(callIdOf(item));
    return brief(number === undefined ? item : ({ ...item, call_id: number } as unknown as InputItem));
  });
}

const contentOf = (content: unknown): unknown =>
  Array.isArray(content)
    ? content.map((part) => part.text ?? part.refusal ?? part.image_url ?? part.file_id ?? part.type).join("")
    : content;

function parsed(written: unknown): unknown {
  try {
    return JSON.parse(String(written));
  } catch {
    return written;
  }
}
