import { isObject, type JsonObject } from "../../../src/model/guards.ts";

// Ways of saying the same that the wire allows: a request and its second telling must agree once these are evened out.

/** Marks for caches, names of speakers, fields of answers that clients send back: nothing that the model is asked. */
const besides: ReadonlySet<string> = new Set([
  "cache_control",
  "prompt_cache_breakpoint",
  "annotations",
  "name",
  "prefix",
  "index",
  "reasoning",
  "reasoning_content",
  "reasoning_details",
  "reasoning_signature",
]);

/** A body in the one form that all bodies of the same meaning share. */
export function canonical(body: JsonObject): JsonObject {
  const { max_completion_tokens, random_seed, functions, messages, tools, ...rest } = withoutNulls(body);
  const { max_tokens = max_completion_tokens, seed = random_seed, tool_choice, function_call, ...same } = rest;
  const list = [...asList(tools), ...asList(functions).map((one) => ({ type: "function", function: one }))];
  for (const field of ["n", "stream_options", "store", "stream", "usage"]) delete same[field];
  if (isObject(same["response_format"]) && same["response_format"]["type"] === "text") delete same["response_format"];
  return withoutNulls({
    ...same,
    max_tokens,
    seed,
    tools: list.length > 0 ? list.map(tool) : undefined,
    tool_choice: choice(tool_choice ?? function_call),
    messages: asList(messages).flatMap(message),
  });
}

const asList = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
const withoutNulls = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined));

function choice(value: unknown): unknown {
  if (value === "any") return "required";
  return isObject(value) ? { type: "function", ...value } : value;
}

function tool(value: JsonObject): unknown {
  const { cache_control: _, ...rest } = value;
  if (!isObject(value["function"])) return rest;
  const { strict, parameters, description, ...named } = withoutNulls(value["function"]);
  return {
    type: "function",
    function: {
      ...named,
      ...(description ? { description } : {}),
      parameters: isObject(parameters) && Object.keys(parameters).length > 0 ? parameters : { type: "object", properties: {} },
      ...(strict ? { strict } : {}),
    },
  };
}

function message(value: JsonObject): JsonObject[] {
  const { content, tool_calls, refusal, ...rest } = withoutNulls(value);
  for (const field of besides) delete rest[field];
  const said = contentIn(content);
  const calls = asList(tool_calls).map(call);
  if (rest["role"] !== "tool" && !said && !refusal && calls.length === 0 && !rest["function_call"] && !rest["audio"]) return [];
  return [{ ...rest, ...(refusal ? { refusal } : {}), content: said, ...(calls.length > 0 ? { tool_calls: calls } : {}) }];
}

function contentIn(content: unknown): unknown {
  if (!Array.isArray(content)) return content ?? "";
  const parts = asList(content).filter((part) => part["type"] !== "thinking");
  if (parts.every((part) => part["type"] === "text")) return parts.map((part) => part["text"]).join("");
  return parts.map(({ cache_control: _, prompt_cache_breakpoint: __, ...part }) => withoutNulls(part));
}

function call({ index: _, ...value }: JsonObject): JsonObject {
  const said = value["function"];
  return isObject(said) ? { ...value, function: { ...said, arguments: said["arguments"] || "{}" } } : value;
}
