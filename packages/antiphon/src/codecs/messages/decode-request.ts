import { AntiphonError } from "../../core/error.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { CreateResponse, TextConfig } from "../../model/index.ts";
import { decodeMessages, decodeSystem } from "./decode-messages.ts";
import { decodeReasoning } from "./decode-reasoning.ts";
import { decodeToolChoice, decodeTools, namesContainer } from "./decode-tools.ts";
import type { MessagesDialect } from "./dialect.ts";
import { objectIn, prefixed, stringIn, withExtra } from "./extension.ts";

type Check = readonly [holds: (value: unknown) => boolean, expected: string];
const isText: Check = [(value) => typeof value === "string", "a string"];
const isList: Check = [Array.isArray, "a list"];
const isThing: Check = [isObject, "an object"];
const inRange = (low: number, high: number): Check => [
  (value) => typeof value === "number" && value >= low && value <= high,
  `a number from ${low} to ${high}`,
];

// Each field that is read, with what it must be; `null` stands for "not given" everywhere.
const fields: Readonly<Record<string, Check>> = {
  model: isText,
  max_tokens: [(value) => Number.isInteger(value) && Number(value) > 0, "a whole number above 0"],
  messages: isList,
  system: [(value) => typeof value === "string" || Array.isArray(value), "a string or a list of blocks"],
  tools: isList,
  tool_choice: isThing,
  thinking: isThing,
  output_config: isThing,
  output_format: isThing,
  temperature: inRange(0, 1),
  top_p: inRange(0, 1),
  stop_sequences: [(value) => Array.isArray(value) && value.every((word) => typeof word === "string"), "a list of strings"],
  metadata: isThing,
  service_tier: isText,
  stream: [(value) => typeof value === "boolean", "true or false"],
  mcp_servers: isList,
  context_management: isThing,
};

/** Fields that say nothing to anybody but the server that they were meant for. */
const ignored: ReadonlySet<string> = new Set(["anthropic_version"]);

/** Reads the body of `POST /messages`: what is read is checked, and what the vocabulary has no word for is kept under the wire's prefix. */
export function decodeRequest(body: unknown, dialect: MessagesDialect): CreateResponse {
  if (!isObject(body)) throw new AntiphonError("BAD_REQUEST", "The body must be a JSON object.");
  checkFields(body);
  if (!Array.isArray(body["messages"]))
    throw new AntiphonError("BAD_REQUEST", "`messages` must be a list.", { param: "messages" });
  // What comes over a thread is only the end of a conversation; the official client, told so, sends all of it.
  if (body["thread"] !== undefined && body["thread"] !== null)
    throw new AntiphonError("UNSUPPORTED", "Threads are not supported; send the whole conversation.", { param: "thread" });
  const reasoning = decodeReasoning(body, dialect);
  const { instructions, items } = decodeSystem(body["system"]);
  const input = [...items, ...decodeMessages(body["messages"], reasoning, dialect)];
  return {
    ...kept(body),
    ...defined("model", stringIn(body["model"])),
    ...defined("max_output_tokens", body["max_tokens"]),
    ...defined("instructions", instructions),
    input,
    ...decodeTools(body, dialect),
    ...decodeToolChoice(body),
    ...defined("reasoning", reasoning),
    ...decodeFormat(body),
    ...decodeOutputRest(body["output_config"]),
    ...defined("temperature", body["temperature"]),
    ...defined("top_p", body["top_p"]),
    ...defined("stop", body["stop_sequences"]),
    ...defined("safety_identifier", stringIn(objectIn(body["metadata"])["user_id"])),
    ...defined("service_tier", tiers.get(stringIn(body["service_tier"]) ?? "")),
    ...decodeContext(body["context_management"]),
    stream: body["stream"] === true,
  };
}

function checkFields(body: JsonObject): void {
  for (const [param, [holds, expected]] of Object.entries(fields)) {
    const value = body[param];
    if (value !== undefined && value !== null && !holds(value))
      throw new AntiphonError("BAD_REQUEST", `\`${param}\` must be ${expected}.`, { param });
  }
}

const defined = (name: string, value: unknown): JsonObject => (value === undefined || value === null ? {} : { [name]: value });

const tiers: ReadonlyMap<string, string> = new Map([
  ["auto", "auto"],
  ["standard_only", "default"],
]);

function kept(body: JsonObject): JsonObject {
  const isRead = (name: string): boolean => Object.hasOwn(fields, name) || (name === "container" && namesContainer(body));
  const unread = Object.entries(body).filter(([name]) => !isRead(name) && !ignored.has(name));
  return prefixed(Object.fromEntries(unread));
}

function decodeFormat(body: JsonObject): { text?: TextConfig } {
  const format = objectIn(objectIn(body["output_config"])["format"] ?? body["output_format"]);
  if (format["type"] === undefined) return {};
  if (format["type"] !== "json_schema" || !isObject(format["schema"]))
    throw new AntiphonError("BAD_REQUEST", "The output format must be a `json_schema` with a `schema`.", {
      param: "output_config.format",
    });
  return { text: { format: { type: "json_schema", name: "answer", schema: format["schema"], strict: true } } };
}

function decodeOutputRest(config: unknown): JsonObject {
  const { effort: _, format: __, ...rest } = objectIn(config);
  return Object.keys(rest).length > 0 ? withExtra("output_config", rest) : {};
}

/** Compaction at a threshold has a word in the vocabulary; other edits are kept as the wire writes them. */
function decodeContext(context: unknown): JsonObject {
  if (!isObject(context)) return {};
  const edits = Array.isArray(context["edits"]) ? context["edits"].filter(isObject) : [];
  const compactions = edits.flatMap(({ type, trigger, ...rest }) =>
    (stringIn(type) ?? "").startsWith("compact_") && Object.keys(rest).length === 0
      ? [{ type: "compaction", ...defined("compact_threshold", objectIn(trigger)["value"]) }]
      : [],
  );
  return edits.length > 0 && compactions.length === edits.length
    ? { context_management: compactions }
    : withExtra("context_management", context);
}
