import { AntiphonError } from "../../core/error.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { CreateResponse } from "../../model/index.ts";
import { bareType } from "./hosted-names.ts";
import {
  checkItem,
  checkTool,
  either,
  isBoolean,
  isList,
  isMissing,
  isString,
  objectOf,
  refuse,
  type Check,
  type Rule,
} from "./request-shapes.ts";

const hasId: Check = (value) => isObject(value) && isString(value["id"]);
const isWhole: Check = (value) => Number.isInteger(value);
const inRange =
  (low: number, high: number): Check =>
  (value) =>
    typeof value === "number" && value >= low && value <= high;
const isFormat = objectOf({ type: isString, name: isString, description: isString, schema: isObject });

// Each field that the rest of the library reads, with what it must be; `null` stands for "not given" everywhere.
const fields: readonly (readonly [string, Rule])[] = Object.entries<Rule>({
  model: [isString, "a string"],
  input: [either(isString, isList), "a string or a list of items"],
  instructions: [isString, "a string"],
  previous_response_id: [isString, "a string"],
  conversation: [either(isString, hasId), "a string or an object with an id"],
  tools: [isList, "a list"],
  tool_choice: [either(isString, isObject), "a string or an object"],
  parallel_tool_calls: [isBoolean, "true or false"],
  max_tool_calls: [isWhole, "a whole number"],
  text: [objectOf({ format: isFormat, verbosity: isString }), "an object with a `format`, a `verbosity` or both"],
  reasoning: [objectOf({ effort: isString, summary: isString }), "an object whose `effort` and `summary` are strings"],
  include: [isList, "a list"],
  temperature: [inRange(0, 2), "a number from 0 to 2"],
  top_p: [inRange(0, 1), "a number from 0 to 1"],
  presence_penalty: [inRange(-2, 2), "a number from -2 to 2"],
  frequency_penalty: [inRange(-2, 2), "a number from -2 to 2"],
  top_logprobs: [inRange(0, 20), "a number from 0 to 20"],
  max_output_tokens: [isWhole, "a whole number"],
  truncation: [isString, "`auto` or `disabled`"],
  metadata: [isObject, "an object of strings"],
  store: [isBoolean, "true or false"],
  background: [isBoolean, "true or false"],
  stream: [isBoolean, "true or false"],
  service_tier: [isString, "a string"],
  safety_identifier: [isString, "a string"],
  prompt_cache_key: [isString, "a string"],
});

/** Reads the body of `POST /responses`: what the library reads is checked, everything else is kept as it came. */
export function decodeRequest(body: unknown): CreateResponse {
  if (!isObject(body)) throw new AntiphonError("BAD_REQUEST", "The body must be a JSON object.");
  for (const [field, [check, expected]] of fields) {
    const value = body[field];
    if (!isMissing(value) && !check(value)) refuse(field, expected);
  }
  const request: JsonObject = { ...body };
  if (Array.isArray(body["input"]))
    request["input"] = body["input"].map((item, index) => withTypedText(checkItem(bareType(item), `input[${index}]`)));
  if (Array.isArray(body["tools"]))
    request["tools"] = body["tools"].map((tool, index) => checkTool(bareType(tool), `tools[${index}]`));
  if (isObject(body["tool_choice"])) request["tool_choice"] = checkTool(bareType(body["tool_choice"]), "tool_choice");
  // Every field that the type names was checked above.
  return request;
}

/** Renames parts of type `text`, which some clients send: codecs of other APIs read only `input_text` and `output_text`. */
function withTypedText(item: JsonObject): JsonObject {
  const field = item["role"] === undefined ? "output" : "content";
  const parts = item[field];
  if (!Array.isArray(parts) || !parts.some(isPlainText)) return item;
  const type = item["role"] === "assistant" ? "output_text" : "input_text";
  return { ...item, [field]: parts.map((part: unknown) => (isPlainText(part) ? { ...part, type } : part)) };
}

const isPlainText = (part: unknown): part is JsonObject => isObject(part) && part["type"] === "text";
