import type { HostedEventType, StandardEventFields, StandardEventType, StreamError } from "antiphon";
import {
  anyOf,
  constant,
  integer,
  list,
  object,
  objectOf,
  optional,
  orNull,
  record,
  ref,
  string,
  words,
  type Fields,
  type Schema,
} from "./schema.ts";

const ofItem = { item_id: string(), output_index: integer() };
const ofPart = { ...ofItem, content_index: integer() };
const ofSummary = { ...ofItem, summary_index: integer() };
const delta = { delta: string(), obfuscation: optional(string("Padding that hides the length of tokens.")) };
const response = { response: ref("Response") };
const item = { output_index: integer(), item: ref("Item") };

/** Every event of the specification with its fields, but for `type` and `sequence_number`. */
const standardEvents: { readonly [K in StandardEventType]: Fields<StandardEventFields[K]> } = {
  "response.created": response,
  "response.queued": response,
  "response.in_progress": response,
  "response.completed": response,
  "response.incomplete": response,
  "response.failed": response,
  "response.output_item.added": item,
  "response.output_item.done": item,
  "response.content_part.added": { ...ofPart, part: ref("MessageContent") },
  "response.content_part.done": { ...ofPart, part: ref("MessageContent") },
  "response.output_text.delta": { ...ofPart, ...delta, logprobs: optional(list(ref("LogProb"))) },
  "response.output_text.done": { ...ofPart, text: string(), logprobs: optional(list(ref("LogProb"))) },
  "response.output_text.annotation.added": { ...ofPart, annotation_index: integer(), annotation: ref("Annotation") },
  "response.refusal.delta": { ...ofPart, ...delta },
  "response.refusal.done": { ...ofPart, refusal: string() },
  "response.reasoning.delta": { ...ofPart, ...delta },
  "response.reasoning.done": { ...ofPart, text: string() },
  "response.reasoning_summary_part.added": { ...ofSummary, part: ref("SummaryText") },
  "response.reasoning_summary_part.done": { ...ofSummary, part: ref("SummaryText") },
  "response.reasoning_summary_text.delta": { ...ofSummary, ...delta },
  "response.reasoning_summary_text.done": { ...ofSummary, text: string() },
  "response.function_call_arguments.delta": { ...ofItem, ...delta },
  "response.function_call_arguments.done": { ...ofItem, arguments: string(), name: optional(string()) },
  error: {
    error: objectOf<StreamError>({
      type: string(),
      code: orNull(string()),
      message: string(),
      param: orNull(string()),
      headers: optional(record(string())),
    }),
  },
};

/** Of server-side tools; their fields are the provider's. */
const hostedEvents: Readonly<Record<HostedEventType, true>> = {
  "response.web_search_call.in_progress": true,
  "response.web_search_call.searching": true,
  "response.web_search_call.completed": true,
  "response.file_search_call.in_progress": true,
  "response.file_search_call.searching": true,
  "response.file_search_call.completed": true,
  "response.code_interpreter_call.in_progress": true,
  "response.code_interpreter_call.interpreting": true,
  "response.code_interpreter_call.completed": true,
  "response.code_interpreter_call_code.delta": true,
  "response.code_interpreter_call_code.done": true,
  "response.image_generation_call.in_progress": true,
  "response.image_generation_call.generating": true,
  "response.image_generation_call.completed": true,
  "response.image_generation_call.partial_image": true,
  "response.mcp_list_tools.in_progress": true,
  "response.mcp_list_tools.completed": true,
  "response.mcp_list_tools.failed": true,
  "response.mcp_call.in_progress": true,
  "response.mcp_call.completed": true,
  "response.mcp_call.failed": true,
  "response.mcp_call_arguments.delta": true,
  "response.mcp_call_arguments.done": true,
  "response.custom_tool_call_input.delta": true,
  "response.custom_tool_call_input.done": true,
  "response.shell_call_command.added": true,
  "response.shell_call_command.delta": true,
  "response.shell_call_command.done": true,
  "response.shell_call_output_content.delta": true,
  "response.shell_call_output_content.done": true,
  "response.apply_patch_call_operation_diff.delta": true,
  "response.apply_patch_call_operation_diff.done": true,
  "response.audio.delta": true,
  "response.audio.done": true,
  "response.audio.transcript.delta": true,
  "response.audio.transcript.done": true,
  keepalive: true,
};

/** How OpenAI's clients call some of them. */
const openaiNames: Partial<Record<StandardEventType, string>> = {
  "response.reasoning.delta": "response.reasoning_text.delta",
  "response.reasoning.done": "response.reasoning_text.done",
};

/** `response.output_text.delta` is described as `ResponseOutputTextDeltaEvent`. */
const componentName = (type: string): string =>
  `${type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")}Event`;

const number = integer("The position of the event in the stream: counts from 0, without gaps.");
const types = Object.keys(standardEvents);
const openaiTypes = types.map((type) => openaiNames[type as StandardEventType] ?? type);

const eventSchema = (type: string, fields: object): Schema =>
  object({ type: constant(type), sequence_number: number, ...fields });

const described = Object.entries(standardEvents).flatMap(([type, fields]) =>
  [type, openaiNames[type as StandardEventType]].flatMap((name) =>
    name === undefined ? [] : [[componentName(name), eventSchema(name, fields)] as const],
  ),
);

/** What a stream of a response tells. */
export const eventSchemas: Readonly<Record<string, Schema>> = {
  ...Object.fromEntries(described),
  HostedEvent: object({ type: words(hostedEvents), sequence_number: number }),
  ExtensionEvent: object({
    type: { type: "string", pattern: "^[^:]+:.+$" },
    sequence_number: number,
  }),
  ResponseEvent: anyOf(
    [...types.map(componentName), "ExtensionEvent"],
    "An event as defined by the Open Responses specification.",
  ),
  OpenAIResponseEvent: anyOf(
    [...openaiTypes.map(componentName), "HostedEvent", "ExtensionEvent"],
    "An event as OpenAI clients expect it.",
  ),
};
