import { collect } from "../../src/core/collect.ts";
import type { Respond } from "../../src/core/respond.ts";
import type { Entry, Origin, Target } from "../../src/conversation/log-records.ts";
import type { CreateResponse, InputItem, Item, ResponseEvent } from "../../src/model/index.ts";

export const target = (provider = "first", more: Partial<Target> = {}): Target => ({
  provider,
  endpoint: `https://${provider}.example/v1`,
  model: "model",
  stores: true,
  encrypts: true,
  ...more,
});

export const origin = (response_id: string, provider = "first", more: Partial<Origin> = {}): Origin => ({
  provider,
  endpoint: `https://${provider}.example/v1`,
  model: "model",
  response_id,
  stored: true,
  ...more,
});

/** Entries of one response. */
export const made = (of: Origin, ...items: InputItem[]): Entry[] => items.map((item) => ({ item, origin: of }));

export const said = (text: string, id = `msg_${text}`): Item => ({
  type: "message",
  id,
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
});
export const thought = (id: string, more: object = {}): Item => ({ type: "reasoning", id, summary: [], ...more });
export const called = (call_id: string, more: object = {}): Item => ({
  type: "function_call",
  id: `fc_${call_id}`,
  call_id,
  name: "clock",
  arguments: "{}",
  status: "completed",
  ...more,
});
export const searched = (id: string): Item => ({
  type: "web_search_call",
  id,
  status: "completed",
  action: { type: "search", query: "Oslo" },
});

export async function eventsOf(respond: Respond, request: CreateResponse): Promise<ResponseEvent[]> {
  const events: ResponseEvent[] = [];
  for await (const event of respond(request)) events.push(event);
  return events;
}

export const ask = (respond: Respond, input: CreateResponse["input"], more: CreateResponse = {}) =>
  collect(respond({ ...more, input: input ?? [] }));

/** Types and roles, for a glance at a list. */
export const outline = (items: readonly InputItem[]): string[] =>
  items.map((item) => ("role" in item && item.role ? item.role : (item.type ?? "item_reference")) as string);
