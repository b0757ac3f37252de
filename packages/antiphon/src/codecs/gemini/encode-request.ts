import { AntiphonError } from "../../core/error.ts";
import type { Loss } from "../../core/loss.ts";
import { unknownFields } from "../../core/unknown-fields.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { CreateResponse } from "../../model/index.ts";
import type { Ctx, EncodedRequest } from "../codec.ts";
import { withAllTools } from "../shared/all-tools.ts";
import { traitsOf, type GeminiDialect } from "./dialect.ts";
import { encodeConfig } from "./encode-config.ts";
import { encodeContents } from "./encode-contents.ts";
import { encodeTools } from "./encode-tools.ts";
import type { TurnContext } from "./encode-turn.ts";
import { extras, maker } from "./extension.ts";
import { pathOf } from "./route.ts";
import { toolSet } from "./tool-set.ts";
import { toWireTier } from "./usage.ts";

// Without these the server would answer something else than what was asked.
const needed: Readonly<Partial<Record<keyof CreateResponse, string>>> = {
  previous_response_id: "The Gemini API does not store responses; send the whole history.",
  conversation: "The Gemini API does not store conversations; send the whole history.",
  background: "The Gemini API does not support `background`.",
  prompt: "The Gemini API does not support stored prompts.",
};

// What makes the answer no other than it was asked to be, and that the wire cannot say.
const lost: Readonly<Partial<Record<keyof CreateResponse, string>>> = {
  store: "The Gemini API does not store responses.",
  metadata: "The Gemini API does not support `metadata`.",
  user: "The Gemini API does not support user ids.",
  safety_identifier: "The Gemini API does not support user ids.",
  prompt_cache_key: "The Gemini API caches automatically and does not support cache keys.",
  prompt_cache_retention: "The Gemini API caches automatically and does not support a retention time.",
  max_tool_calls: "The Gemini API does not support a limit on tool calls.",
  context_management: "The Gemini API does not support `context_management`.",
};

/** The request as a model of this dialect takes it. The caller's request is never changed. */
export function encodeRequest(ctx: Ctx, dialect: GeminiDialect): EncodedRequest {
  const request = withAllTools(ctx.request);
  const losses: Loss[] = unknownFields(request, "The Gemini API does not support this field.", maker);
  for (const [field, reason] of entries(needed))
    if (isGiven(request[field])) throw new AntiphonError("UNSUPPORTED", reason, { param: field });
  for (const [field, reason] of entries(lost)) if (isGiven(request[field])) losses.push({ path: field, reason });
  if (request.truncation === "auto") losses.push({ path: "truncation", reason: "The Gemini API does not truncate the input." });
  const traits = traitsOf(request.model, dialect);
  const set = toolSet(request, traits);
  const context: TurnContext = { dialect, traits, names: set.names, losses };
  const { tools, toolConfig, pictures } = encodeTools(request, set, context);
  const generationConfig = encodeConfig(request, dialect, pictures, losses);
  const body: JsonObject = {
    ...encodeContents(request, context),
    ...(tools && { tools }),
    ...(toolConfig && { toolConfig }),
    ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
    ...serviceTier(request, losses),
  };
  const path = pathOf(request.model, request.stream !== false, dialect.modelPath);
  return { path, body: overlay(body, extras(request)), losses };
}

const entries = (table: Readonly<Partial<Record<keyof CreateResponse, string>>>): [keyof CreateResponse, string][] =>
  // The table's keys are what its type says.
  Object.entries(table) as [keyof CreateResponse, string][];

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== false;

function serviceTier({ service_tier: tier }: CreateResponse, losses: Loss[]): JsonObject {
  if (!tier || tier === "auto") return {};
  const serviceTier = toWireTier(tier);
  if (serviceTier === undefined)
    losses.push({ path: "service_tier", reason: `The Gemini API does not support the service tier "${tier}".` });
  return serviceTier === undefined ? {} : { serviceTier };
}

/** The wire's own fields of the caller over those that were made from the common ones, object by object. */
function overlay(body: JsonObject, own: JsonObject): JsonObject {
  const merged = { ...body };
  for (const [name, value] of Object.entries(own)) {
    const before = merged[name];
    merged[name] = isObject(before) && isObject(value) ? overlay(before, value) : value;
  }
  return merged;
}
