import { AntiphonError } from "../../core/error.ts";
import type { Loss } from "../../core/loss.ts";
import type { JsonObject } from "../../model/guards.ts";
import type { CreateResponse } from "../../model/index.ts";
import type { Ctx, EncodedRequest } from "../codec.ts";
import { withAllTools } from "../shared/all-tools.ts";
import type { ChatDialect } from "./dialect.ts";
import { encodeMessages } from "./encode-messages.ts";
import { encodeTools } from "./encode-tools.ts";
import { encodeThinking } from "./encode-thinking.ts";
import { toolSet } from "./tools.ts";

/** Fills a body; what the dialect does not take is a loss, and what was not given is not sent. */
class Body {
  readonly fields: JsonObject = {};
  readonly losses: Loss[];
  readonly #dialect: ChatDialect;

  constructor(dialect: ChatDialect, losses: Loss[]) {
    this.#dialect = dialect;
    this.losses = losses;
  }

  /** Sets a field under the server's name for it; `path` is where the caller said it. */
  put(name: string, value: unknown, path = name): void {
    if (value === undefined || value === null) return;
    if (this.#dialect.drops.includes(name)) this.lose(path, "The provider does not support this field.");
    else this.fields[this.#dialect.renames[name] ?? name] = value;
  }

  lose(path: string, reason: string): void {
    this.losses.push({ path, reason });
  }
}

type Rule =
  /** The wire has the field under the same name. */
  | "same"
  /** Encoded elsewhere, or without any meaning for a call of this wire. */
  | "apart"
  /** The wire has no word for it. */
  | "lost"
  /** Without it the question would be another one. */
  | "refused";

const rules: Readonly<Record<keyof CreateResponse, Rule>> = {
  model: "same",
  temperature: "same",
  top_p: "same",
  presence_penalty: "same",
  frequency_penalty: "same",
  seed: "same",
  stop: "same",
  metadata: "same",
  service_tier: "same",
  safety_identifier: "same",
  user: "same",
  prompt_cache_key: "same",
  prompt_cache_retention: "same",
  input: "apart",
  instructions: "apart",
  tools: "apart",
  tool_choice: "apart",
  parallel_tool_calls: "apart",
  text: "apart",
  reasoning: "apart",
  include: "apart",
  top_logprobs: "apart",
  max_output_tokens: "apart",
  stream: "apart",
  stream_options: "apart",
  store: "apart",
  truncation: "apart",
  max_tool_calls: "lost",
  context_management: "lost",
  background: "refused",
  previous_response_id: "refused",
  conversation: "refused",
  prompt: "refused",
};

/** The request as a server of this dialect takes it. The caller's request is never changed. */
export function encodeRequest(ctx: Ctx, dialect: ChatDialect): EncodedRequest {
  const request = withAllTools(ctx.request);
  const losses: Loss[] = [];
  const body = new Body(dialect, losses);
  const set = toolSet(request, dialect);
  putByRule(request, dialect, body);
  body.put("messages", encodeMessages(request, dialect, set.names, losses));
  body.put(dialect.maxTokens, request.max_output_tokens, "max_output_tokens");
  const { tools, tool_choice, web_search_options } = encodeTools(request, dialect, set, losses);
  body.put("tools", tools);
  body.put("tool_choice", tool_choice);
  body.put("web_search_options", web_search_options, "tools");
  if (tools) body.put("parallel_tool_calls", request.parallel_tool_calls);
  putText(request, dialect, body);
  encodeThinking(request.reasoning, dialect, body);
  putLogprobs(request, body);
  putStorage(request, body);
  const stream = request.stream ?? true;
  body.put("stream", stream);
  if (stream) putStreamOptions(request, dialect, body);
  return { path: dialect.path, body: { ...body.fields, ...dialect.adds }, losses };
}

function putByRule(request: CreateResponse, { passes }: ChatDialect, body: Body): void {
  for (const [field, value] of Object.entries(request)) {
    const rule = Object.hasOwn(rules, field) ? rules[field as keyof CreateResponse] : passes.includes(field) ? "same" : "lost";
    if (rule === "apart" || value === undefined || value === null) continue;
    if (rule === "same") body.put(field, value);
    if (rule === "lost") body.lose(field, `The Chat Completions API does not support \`${field}\`.`);
    if (rule === "refused" && value !== false) refuse(field);
  }
}

function refuse(param: string): never {
  const sentence = `The Chat Completions API does not support \`${param}\`, and the request cannot be sent without it.`;
  throw new AntiphonError("UNSUPPORTED", sentence, { param });
}

function putText({ text }: CreateResponse, { formats }: ChatDialect, body: Body): void {
  body.put("verbosity", text?.verbosity, "text.verbosity");
  const format = text?.format;
  if (format?.type === "json_object") {
    if (formats.includes("json_object")) body.put("response_format", { type: "json_object" }, "text.format");
    else body.lose("text.format", "The provider does not support JSON mode.");
  }
  if (format?.type !== "json_schema" || !formats.includes("json_schema")) return;
  const { name, description, schema, strict } = format;
  const json_schema = {
    name: name || "answer",
    ...(description ? { description } : {}),
    ...(schema ? { schema } : {}),
    ...(typeof strict === "boolean" ? { strict } : {}),
  };
  body.put("response_format", { type: "json_schema", json_schema }, "text.format");
}

function putLogprobs({ include, top_logprobs }: CreateResponse, body: Body): void {
  include?.forEach((value, index) => {
    // Blobs that servers of this wire have are always kept, so nothing is missed by not asking.
    if (value !== "message.output_text.logprobs" && value !== "reasoning.encrypted_content")
      body.lose(`include[${index}]`, `The Chat Completions API cannot include \`${value}\`.`);
  });
  const wanted = include?.includes("message.output_text.logprobs") || typeof top_logprobs === "number";
  if (wanted) body.put("logprobs", true, "include");
  body.put("top_logprobs", top_logprobs);
}

function putStorage({ store, truncation }: CreateResponse, body: Body): void {
  if (store) body.lose("store", "The Chat Completions API does not store responses for retrieval.");
  if (truncation === "auto") body.lose("truncation", "The Chat Completions API does not truncate the input.");
}

function putStreamOptions({ stream_options }: CreateResponse, { usageOption }: ChatDialect, body: Body): void {
  const obfuscation = stream_options?.include_obfuscation;
  const options = {
    ...(usageOption ? { include_usage: true } : {}),
    ...(typeof obfuscation === "boolean" ? { include_obfuscation: obfuscation } : {}),
  };
  if (Object.keys(options).length > 0) body.put("stream_options", options);
}
