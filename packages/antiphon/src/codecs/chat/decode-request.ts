import { AntiphonError } from "../../core/error.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { CreateResponse, ReasoningEffort, TextFormat } from "../../model/index.ts";
import { given, objectAt, refuse, stringAt } from "./check.ts";
import { decodeMessages } from "./decode-messages.ts";
import { decodeTools } from "./decode-tools.ts";

type Check = (value: unknown) => boolean;
const isString: Check = (value) => typeof value === "string";
const isBoolean: Check = (value) => typeof value === "boolean";
const isWhole: Check = (value) => Number.isInteger(value);
const inRange =
  (low: number, high: number): Check =>
  (value) =>
    typeof value === "number" && value >= low && value <= high;
const isStop: Check = (value) => isString(value) || (Array.isArray(value) && value.every(isString));

// Fields that both wires have under one name, with what they must be; `null` stands for "not given" everywhere.
const shared: Readonly<Record<string, readonly [Check, string]>> = {
  model: [isString, "a string"],
  temperature: [inRange(0, 2), "a number from 0 to 2"],
  top_p: [inRange(0, 1), "a number from 0 to 1"],
  presence_penalty: [inRange(-2, 2), "a number from -2 to 2"],
  frequency_penalty: [inRange(-2, 2), "a number from -2 to 2"],
  top_logprobs: [inRange(0, 20), "a number from 0 to 20"],
  seed: [isWhole, "a whole number"],
  stop: [isStop, "a string or a list of strings"],
  metadata: [isObject, "an object of strings"],
  service_tier: [isString, "a string"],
  safety_identifier: [isString, "a string"],
  user: [isString, "a string"],
  prompt_cache_key: [isString, "a string"],
  prompt_cache_retention: [isString, "a string"],
  parallel_tool_calls: [isBoolean, "true or false"],
  stream: [isBoolean, "true or false"],
};

/** Fields that are read below, or that change nothing. */
const readApart: ReadonlySet<string> = new Set([
  "messages",
  "tools",
  "tool_choice",
  "functions",
  "function_call",
  "web_search_options",
  "max_tokens",
  "max_completion_tokens",
  "response_format",
  "verbosity",
  "reasoning_effort",
  "reasoning",
  "thinking",
  "enable_thinking",
  "logprobs",
  "stream_options",
  "store",
  "random_seed",
  "n",
]);

/** Fields of the common vocabulary that this wire does not have: taking them for what they seem to be would be a guess. */
const foreign: ReadonlySet<string> = new Set([
  "input",
  "instructions",
  "previous_response_id",
  "conversation",
  "max_tool_calls",
  "text",
  "include",
  "max_output_tokens",
  "truncation",
  "background",
  "prompt",
  "context_management",
]);

/** A symbol, so that it stays with the request as it is passed on, and out of everything that is sent or stored. */
export const includeUsage: unique symbol = Symbol("include_usage");

/** A request that may ask for a last chunk with the usage. */
export interface UsageAsked {
  [includeUsage]?: boolean;
}

/**
 * Reads the body of `POST /chat/completions`. What has a word in the common vocabulary is checked and translated; fields beyond
 * it stay on the request as they came, for an upstream of the same wire to take or to declare lost.
 */
export function decodeRequest(raw: unknown): CreateResponse {
  if (!isObject(raw)) throw new AntiphonError("BAD_REQUEST", "The body must be a JSON object.");
  const several = given(raw["n"]) && raw["n"] !== 1;
  if (several) refuse("n", "1: only one choice is supported");
  const fields = Object.fromEntries(Object.entries(raw).filter(([field, value]) => given(value) && !readApart.has(field)));
  for (const field of Object.keys(fields))
    if (foreign.has(field)) refuse(field, "omitted: the Chat Completions API does not support this field");
  for (const [field, [check, expected]] of Object.entries(shared))
    if (field in fields && !check(fields[field])) refuse(field, expected);
  const request: JsonObject = {
    ...fields,
    ...decodeMessages(raw["messages"]),
    ...decodeTools(raw),
    ...decodeOutput(raw),
    // Mistral's name for it.
    ...(given(raw["random_seed"]) ? { seed: raw["random_seed"] } : {}),
    // The wire keeps nothing unless asked to, while Responses are kept by default.
    store: raw["store"] === true,
  };
  const options = isObject(raw["stream_options"]) ? raw["stream_options"] : {};
  if (typeof options["include_obfuscation"] === "boolean")
    request["stream_options"] = { include_obfuscation: options["include_obfuscation"] };
  const asked: UsageAsked = options["include_usage"] === true ? { [includeUsage]: true } : {};
  // Every field that the type names was checked above or made here.
  return Object.assign(request, asked) as CreateResponse;
}

function decodeOutput(raw: JsonObject): CreateResponse {
  const limit = raw["max_completion_tokens"] ?? raw["max_tokens"];
  if (given(limit) && !isWhole(limit)) refuse("max_completion_tokens", "a whole number");
  const format = given(raw["response_format"]) ? decodeFormat(objectAt(raw["response_format"], "response_format")) : undefined;
  const verbosity = verbosities.find((word) => word === raw["verbosity"]);
  const effort = decodeEffort(raw);
  return {
    ...(given(limit) ? { max_output_tokens: limit as number } : {}),
    ...(format || verbosity ? { text: { ...(format ? { format } : {}), ...(verbosity ? { verbosity } : {}) } } : {}),
    ...(effort ? { reasoning: { effort } } : {}),
    ...(raw["logprobs"] === true ? { include: ["message.output_text.logprobs"] } : {}),
  };
}

const verbosities = ["low", "medium", "high"] as const;
const efforts: readonly ReasoningEffort[] = ["none", "minimal", "low", "medium", "high", "xhigh"];

/** The effort, in whichever of the servers' fields it is said; one that only switches thinking on says no more than the default. */
function decodeEffort({ reasoning_effort, reasoning, thinking, enable_thinking }: JsonObject): ReasoningEffort | undefined {
  const graded = reasoning_effort ?? (isObject(reasoning) ? reasoning["effort"] : undefined);
  if (given(graded))
    return efforts.find((effort) => effort === graded) ?? refuse("reasoning_effort", `one of ${efforts.join(", ")}`);
  const off = enable_thinking === false || (isObject(thinking) && thinking["type"] === "disabled");
  return off ? "none" : undefined;
}

function decodeFormat(format: JsonObject): TextFormat {
  const type = stringAt(format["type"], "response_format.type");
  if (type === "text" || type === "json_object") return { type };
  if (type !== "json_schema") return refuse("response_format.type", "`text`, `json_object` or `json_schema`");
  const { name, description, schema, strict } = objectAt(format["json_schema"], "response_format.json_schema");
  return {
    type,
    ...(typeof name === "string" ? { name } : {}),
    ...(typeof description === "string" ? { description } : {}),
    ...(isObject(schema) ? { schema } : {}),
    ...(typeof strict === "boolean" ? { strict } : {}),
  };
}
