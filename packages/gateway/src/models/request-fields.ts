import { presets, type CreateResponse } from "antiphon";
import type { GatewayField, RequestParams } from "./models-config.ts";
import { number, anyTable, anything, count, flag, isTable, list, suggestion, text, written, type Reader } from "./shapes.ts";

/** What each field of a request holds, as far as it can be told without asking a model. */
const fields: { [F in Exclude<keyof CreateResponse, GatewayField>]-?: Reader<unknown> } = {
  instructions: text,
  tools: list(anyTable),
  tool_choice: anything,
  parallel_tool_calls: flag,
  max_tool_calls: count,
  text: anyTable,
  reasoning: anyTable,
  include: list(text),
  temperature: number,
  top_p: number,
  presence_penalty: number,
  frequency_penalty: number,
  top_logprobs: count,
  max_output_tokens: count,
  truncation: text,
  service_tier: text,
  safety_identifier: text,
  user: text,
  prompt_cache_key: text,
  prompt_cache_retention: text,
  prompt: anyTable,
  context_management: anything,
  seed: number,
  stop: anything,
};

const readers: ReadonlyMap<string, Reader<unknown>> = new Map(Object.entries(fields));

const ofGateway: Readonly<Record<GatewayField, true>> = {
  model: true,
  input: true,
  previous_response_id: true,
  conversation: true,
  store: true,
  background: true,
  stream: true,
  stream_options: true,
  metadata: true,
};

/** Fields beyond the common ones that some server takes: `top_k`, `min_p`, … */
const passedOn: ReadonlySet<string> = new Set(
  presets().flatMap((preset) => (preset.wire === "chat" ? (preset.dialect?.passes ?? []) : [])),
);

/** Reads request fields, in the spelling of the wire. */
export const requestFields: Reader<RequestParams> = (value, path, problems) => {
  const given = anyTable(value, path, problems);
  for (const [name, inner] of Object.entries(given ?? {})) {
    const here = [...path, name];
    const read = readers.get(name);
    if (read) read(inner, here, problems);
    else if (Object.hasOwn(ofGateway, name))
      problems.push({ path: here, message: `${written(here)} cannot be configured: requests or the gateway set it` });
    else if (!passedOn.has(name)) {
      const meant = suggestion(name, [...readers.keys(), ...passedOn]);
      problems.push({ path: here, message: `Unknown request field "${written(here)}"${meant}` });
    }
  }
  return given;
};

/**
 * A request with the fields that were configured for its model: `params` where it says nothing itself, `overrides` in any case.
 * Fields that are tables, such as `reasoning`, are put together key by key.
 */
export function withFields(request: CreateResponse, params?: RequestParams, overrides?: RequestParams): CreateResponse {
  const filled = params ? { ...request, ...laid(params, request, Object.keys(params)) } : request;
  return overrides ? { ...filled, ...laid(filled, overrides, Object.keys(overrides)) } : filled;
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields of the first, where the second says nothing else. */
function laid(below: object, above: object, names: readonly string[]): Fields {
  // Requests are plain objects; their fields are looked at by name here, whatever they hold.
  const [under, over] = [below as Fields, above as Fields];
  return Object.fromEntries(names.map((name) => [name, joined(under[name], over[name])]));
}

function joined(under: unknown, over: unknown): unknown {
  if (over == null) return under;
  return isTable(under) && isTable(over) ? { ...under, ...laid(under, over, Object.keys(over)) } : over;
}
