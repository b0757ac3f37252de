import { AntiphonError } from "../../core/error.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { CreateResponse } from "../../model/index.ts";
import { bareType } from "./hosted-names.ts";

type Check = (value: unknown) => boolean;
const isString: Check = (value) => typeof value === "string";
const isBoolean: Check = (value) => typeof value === "boolean";
const isList: Check = (value) => Array.isArray(value);
const isWhole: Check = (value) => Number.isInteger(value);
const inRange =
  (low: number, high: number): Check =>
  (value) =>
    typeof value === "number" && value >= low && value <= high;
const either =
  (...checks: Check[]): Check =>
  (value) =>
    checks.some((check) => check(value));

// Each field that the rest of the library reads, with what it must be; `null` stands for "not given" everywhere.
const fields: Readonly<Record<string, readonly [Check, string]>> = {
  model: [isString, "a string"],
  input: [either(isString, isList), "a string or a list of items"],
  instructions: [isString, "a string"],
  previous_response_id: [isString, "a string"],
  conversation: [either(isString, isObject), "a string or an object with an id"],
  tools: [isList, "a list"],
  tool_choice: [either(isString, isObject), "a string or an object"],
  parallel_tool_calls: [isBoolean, "true or false"],
  max_tool_calls: [isWhole, "a whole number"],
  text: [isObject, "an object"],
  reasoning: [isObject, "an object"],
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
};

const refuse = (param: string, expected: string): never => {
  throw new AntiphonError("BAD_REQUEST", `\`${param}\` must be ${expected}.`, { param });
};

/** Reads the body of `POST /responses`: what the library reads is checked, everything else is kept as it came. */
export function decodeRequest(body: unknown): CreateResponse {
  if (!isObject(body)) throw new AntiphonError("BAD_REQUEST", "The body must be a JSON object.");
  for (const [field, [check, expected]] of Object.entries(fields)) {
    const value = body[field];
    if (value !== undefined && value !== null && !check(value)) refuse(field, expected);
  }
  const request: JsonObject = { ...body };
  if (Array.isArray(body["input"])) request["input"] = body["input"].map((item, index) => checkItem(item, `input[${index}]`));
  if (Array.isArray(body["tools"])) request["tools"] = body["tools"].map((tool, index) => checkTyped(tool, `tools[${index}]`));
  if (isObject(body["tool_choice"])) request["tool_choice"] = checkTyped(body["tool_choice"], "tool_choice");
  // Every field that the type names was checked above.
  return request;
}

function checkTyped(value: unknown, param: string): JsonObject {
  if (!isObject(value)) return refuse(param, "an object");
  if (typeof value["type"] !== "string") return refuse(`${param}.type`, "a string");
  return bareType(value);
}

// Messages and references may leave their type out, and many clients do.
function checkItem(value: unknown, param: string): JsonObject {
  if (!isObject(value)) return refuse(param, "an object");
  const type = value["type"] ?? (value["role"] === undefined ? "item_reference" : "message");
  if (typeof type !== "string") return refuse(`${param}.type`, "a string");
  if (type === "message" && !isString(value["role"])) return refuse(`${param}.role`, "a role");
  if (type === "message" && !either(isString, isList)(value["content"]))
    return refuse(`${param}.content`, "a string or a list of parts");
  if (type === "function_call_output" && !isString(value["call_id"])) return refuse(`${param}.call_id`, "a string");
  return bareType(value);
}
