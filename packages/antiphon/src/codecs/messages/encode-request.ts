import { AntiphonError } from "../../core/error.ts";
import { unknownFields } from "../../core/unknown-fields.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { CreateResponse } from "../../model/index.ts";
import type { Ctx, EncodedRequest } from "../codec.ts";
import { withAllTools } from "../shared/all-tools.ts";
import { markPrompt } from "./caching.ts";
import type { MessagesDialect } from "./dialect.ts";
import { isOnlyHosted } from "./encode-hosted.ts";
import { encodePrompt, type Prompt } from "./encode-messages.ts";
import {
  encodeSampling,
  encodeThinking,
  isThinking,
  maxTokensFor,
  withoutLostThinking,
  type Thinking,
} from "./encode-thinking.ts";
import { encodeToolChoice, encodeTools } from "./encode-tools.ts";
import { newEncoding, type Encoding } from "./encoding.ts";
import { extra, extras, maker, objectIn } from "./extension.ts";
import { toBindable } from "./schema.ts";
import { answerTool, schemaFormat } from "./typed-output.ts";

/** The request as a server of this dialect takes it. The caller's request is never changed. */
export function encodeRequest(ctx: Ctx, dialect: MessagesDialect): EncodedRequest {
  const request = withAllTools(ctx.request);
  refuseState(request);
  const encoding = newEncoding(request, dialect);
  const answer = answerTool(request, dialect);
  const prompt = encodePrompt(encoding);
  const thinking = withoutLostThinking(encodeThinking(encoding), prompt.messages, encoding);
  const thinks = isThinking(thinking);
  const { tools, servers, uploads, container } = encodeTools(encoding, answer);
  const choice = encodeToolChoice(encoding, tools, answer, thinks);
  const { output_config: _, ...own } = extras(request);
  const stream = request.stream ?? true;
  askForJson(prompt, encoding);
  upload(prompt, uploads);
  const body: JsonObject = {
    ...(dialect.modelInBody && request.model && { model: request.model }),
    max_tokens: maxTokensFor(thinking, encoding),
    ...(prompt.system.length > 0 && { system: prompt.system }),
    messages: prompt.messages,
    ...(tools.length > 0 && { tools }),
    ...(choice && { tool_choice: choice }),
    ...(thinking.thinking && { thinking: thinking.thinking }),
    ...encodeOutput(thinking, encoding),
    ...encodeSampling(thinks, encoding),
    ...encodeRest(encoding),
    ...(servers.length > 0 && { mcp_servers: servers }),
    ...(container && { container }),
    stream,
    ...dialect.fixed,
    ...own,
  };
  declareUnsaid(encoding);
  const marked = markPrompt(body, encoding);
  return { path: pathFor(stream, encoding), body: marked, losses: encoding.losses };
}

const stateful: readonly (keyof CreateResponse)[] = ["previous_response_id", "conversation", "background", "prompt"];

function refuseState(request: CreateResponse): void {
  for (const field of stateful)
    if (request[field])
      throw new AntiphonError("UNSUPPORTED", `The Messages API does not support \`${field}\`; send the whole history.`, {
        param: field,
      });
}

function pathFor(stream: boolean, { dialect, request }: Encoding): string {
  const path = stream ? (dialect.streamPath ?? dialect.path) : dialect.path;
  return path.replace("{model}", encodeURIComponent(request.model ?? "").replaceAll("%40", "@"));
}

/** `output_config`: the effort, and the schema where the model can be bound to one. */
function encodeOutput({ effort }: Thinking, { request, traits, losses, lose }: Encoding): JsonObject {
  const asked = traits.typedOutput === "tool" ? undefined : schemaFormat(request);
  if (asked?.description)
    lose("text.format.description", "The Messages API does not support a description of the output format.");
  const format = asked && { type: "json_schema", schema: toBindable(asked.schema, "text.format.schema", losses) };
  const older = traits.typedOutput === "output_format";
  const own = objectIn(extra(request, "output_config"));
  const config = { ...(effort && { effort }), ...(format && !older && { format }), ...own };
  return { ...(Object.keys(config).length > 0 && { output_config: config }), ...(format && older && { output_format: format }) };
}

const jsonWords = "Answer with one JSON object and nothing else.";

function askForJson(prompt: Prompt, { request, lose }: Encoding): void {
  if (request.text?.format?.type !== "json_object") return;
  lose("text.format", "The Messages API has no JSON mode; the system prompt requests JSON.");
  prompt.system.push({ type: "text", text: jsonWords });
}

/** Files for the container stand in the first user message, where they stay as the conversation grows. */
function upload({ messages }: Prompt, uploads: readonly string[]): void {
  messages[0]?.content.push(...uploads.map((file_id) => ({ type: "container_upload", file_id })));
}

const tiers: ReadonlyMap<string, string> = new Map([
  ["auto", "auto"],
  ["default", "standard_only"],
]);

function encodeRest(encoding: Encoding): JsonObject {
  const { request, lose } = encoding;
  const rest: JsonObject = {};
  const userId = request.safety_identifier ?? request.user;
  if (userId) rest["metadata"] = { user_id: userId };
  if (request.safety_identifier && request.user)
    lose("user", "The Messages API accepts one user id; `safety_identifier` was sent.");
  if (request.stop?.length) rest["stop_sequences"] = typeof request.stop === "string" ? [request.stop] : request.stop;
  const tier = tiers.get(request.service_tier ?? "");
  if (tier) rest["service_tier"] = tier;
  else if (request.service_tier)
    lose("service_tier", `The Messages API does not support the service tier "${request.service_tier}".`);
  const edits = compactionEdits(encoding);
  if (edits) rest["context_management"] = { edits };
  return rest;
}

/** Compaction at a threshold is the one kind of context management that both sides have. */
function compactionEdits({ request, dialect, lose }: Encoding): JsonObject[] | undefined {
  const asked = request.context_management;
  if (asked === undefined || asked === null) return undefined;
  const entries = Array.isArray(asked) ? asked.filter(isObject) : [];
  const compactions = entries.filter(({ type }) => type === "compaction");
  if (!dialect.hosted.compaction || compactions.length === 0 || compactions.length < entries.length) {
    lose("context_management", "The provider does not support this `context_management`.");
    return undefined;
  }
  return compactions.map(({ compact_threshold: value }) => ({
    type: dialect.hosted.compaction,
    ...(typeof value === "number" && { trigger: { type: "input_tokens", value } }),
  }));
}

/** Fields that the wire has no word for, what of them makes no difference, and why the rest is lost. */
const unsaid: readonly (readonly [field: keyof CreateResponse, harmless: (value: unknown) => boolean, reason: string])[] = [
  ["store", (value) => value === false, "The Messages API does not store responses."],
  ["truncation", (value) => value === "disabled", "The Messages API does not truncate the input."],
  ["presence_penalty", (value) => value === 0, "The Messages API does not support `presence_penalty`."],
  ["frequency_penalty", (value) => value === 0, "The Messages API does not support `frequency_penalty`."],
  ["top_logprobs", (value) => value === 0, "The Messages API does not return log probabilities."],
  ["seed", () => false, "The Messages API does not support `seed`."],
  ["metadata", (value) => isObject(value) && Object.keys(value).length === 0, "The Messages API does not store metadata."],
  [
    "prompt_cache_retention",
    (value) => value === "in_memory",
    "The Messages API does not support `prompt_cache_retention` without `prompt_cache_key`.",
  ],
];

const given: ReadonlySet<string> = new Set([
  "reasoning.encrypted_content",
  "web_search_call.action.sources",
  "web_search_call.results",
  "code_interpreter_call.outputs",
]);

function declareUnsaid(encoding: Encoding): void {
  const { request, dialect, losses, lose } = encoding;
  losses.push(...unknownFields(request, "The Messages API does not support this field.", maker));
  for (const [field, harmless, reason] of unsaid) {
    const value = request[field];
    const said = field === "prompt_cache_retention" && dialect.caching !== "none" && Boolean(request.prompt_cache_key);
    if (value !== undefined && value !== null && !harmless(value) && !said) lose(field, reason);
  }
  if (request.text?.verbosity) lose("text.verbosity", "The Messages API does not support `verbosity`.");
  if (request.max_tool_calls && !isOnlyHosted(encoding))
    lose("max_tool_calls", "The Messages API limits the calls of each tool separately.");
  if (request.prompt_cache_key && dialect.caching === "none")
    lose("prompt_cache_key", "Caching is turned off for this provider.");
  request.include?.forEach((value, index) => {
    if (!given.has(value)) lose(`include[${index}]`, `The Messages API cannot include \`${value}\`.`);
  });
}
