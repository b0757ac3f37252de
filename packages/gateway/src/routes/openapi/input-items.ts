import type { HostedInputItem, HostedItem, ItemReference } from "antiphon";
import { extension, hostedTypes, role } from "./items.ts";
import {
  anyOf,
  anything,
  constant,
  either,
  list,
  maybe,
  object,
  objectOf,
  oneOf,
  record,
  ref,
  string,
  typeOfField,
  type Optional,
  type Schema,
} from "./schema.ts";

type RequestOnly = Exclude<HostedInputItem["type"], HostedItem["type"]>;
const requestOnlyTypes: Readonly<Record<RequestOnly, true>> = { mcp_approval_response: true, local_shell_call_output: true };

/** Hosted items that are described below, with the fields that the gateway reads. */
const describedTypes: ReadonlySet<string> = new Set(["custom_tool_call", "custom_tool_call_output", "mcp_call"]);
const otherHostedTypes = [...Object.keys(hostedTypes), ...Object.keys(requestOnlyTypes)].filter(
  (type) => !describedTypes.has(type),
);

const id = maybe(string());
// Servers have their own states, and clients send items back as they came.
const status = maybe(string("`in_progress`, `completed`, `incomplete` or another status."));
const callArguments = string("The JSON text that the model wrote.");
const output = either(string(), list(ref("MessageContentParam")));
const textParts = list(object({ type: string(), text: maybe(string()) }));

/** An item of a request with a type of its own. */
const item = (type: string, fields: Readonly<Record<string, Schema | Optional>>, description?: string): Schema =>
  object({ type: constant(type), id, status, ...fields }, description);

/** The items that have a type, by the names of their schemas. */
const typedItems: Readonly<Record<string, Schema>> = {
  FunctionCallParam: item("function_call", {
    call_id: string("The id that the output must contain as its `call_id`."),
    name: string(),
    arguments: callArguments,
    namespace: maybe(string()),
  }),
  FunctionCallOutputParam: item("function_call_output", { call_id: string(), output }),
  CustomToolCallParam: item("custom_tool_call", { call_id: string(), name: string(), input: string() }),
  CustomToolCallOutputParam: item("custom_tool_call_output", { call_id: string(), output }),
  ReasoningParam: item("reasoning", {
    summary: maybe(textParts),
    content: maybe(textParts),
    encrypted_content: maybe(string("Encrypted; only the provider that created it can read it.")),
  }),
  CompactionParam: item("compaction", { encrypted_content: string(), created_by: maybe(string()) }),
  McpCallParam: item("mcp_call", {
    name: string(),
    server_label: string(),
    arguments: callArguments,
    output: maybe(string()),
  }),
  AdditionalToolsParam: item(
    "additional_tools",
    { tools: list(ref("Tool")) },
    "Tools that become available at this point of the conversation.",
  ),
};

const knownTypes = [
  "message",
  "item_reference",
  "additional_tools",
  "function_call",
  "function_call_output",
  "reasoning",
  "compaction",
  ...Object.keys(hostedTypes),
  ...Object.keys(requestOnlyTypes),
];

const annotations = maybe(list(record(anything())));

/** The parts of messages and tool results in a request. */
const contentSchemas: Readonly<Record<string, Schema>> = {
  InputTextParam: object({ type: constant("input_text"), text: string() }),
  InputImageParam: object({
    type: constant("input_image"),
    image_url: maybe(string("A URL or a data URL.")),
    file_id: maybe(string()),
    detail: maybe(string("`low`, `high`, `auto` or `original`.")),
  }),
  InputFileParam: object({
    type: constant("input_file"),
    filename: maybe(string()),
    file_data: maybe(string("A data URL.")),
    file_url: maybe(string()),
    file_id: maybe(string()),
  }),
  InputVideoParam: object({ type: constant("input_video"), video_url: string() }),
  InputAudioParam: object({
    type: constant("input_audio"),
    input_audio: maybe(object({ data: string("Base64."), format: string() })),
    audio_url: maybe(string()),
  }),
  OutputTextParam: object({
    type: constant("output_text"),
    text: string(),
    annotations,
    logprobs: maybe(list(anything())),
  }),
  RefusalParam: object({ type: constant("refusal"), refusal: string() }),
  TextParam: object({ type: oneOf("text", "summary_text", "reasoning_text"), text: string() }),
  EncryptedContentParam: object({ type: constant("encrypted_content"), encrypted_content: string() }),
  ExtensionPart: object({ type: extension }, "A vendor-specific content part; its type starts with the vendor's prefix."),
};

/** The items of requests. Unlike those of responses, they may lack ids, states and types. */
export const inputItemSchemas: Readonly<Record<string, Schema>> = {
  ...contentSchemas,
  MessageContentParam: anyOf(Object.keys(contentSchemas)),
  MessageParam: object(
    {
      type: maybe(constant("message")),
      role,
      content: either(string(), list(ref("MessageContentParam"))),
      id,
      status,
      phase: maybe(string("`commentary` or `final_answer`.")),
    },
    "A message. A string is equivalent to one text part.",
  ),
  ...typedItems,
  ItemReference: {
    ...objectOf<ItemReference>(
      { type: maybe(constant("item_reference")), id: string() },
      "A reference to an item that the gateway has stored.",
    ),
    not: { required: ["role"] },
  },
  HostedItemParam: object({ type: oneOf(...otherHostedTypes), id, status }, "An item of a tool that runs at the provider."),
  ExtensionItemParam: object({ type: extension, id }, "A vendor-specific item; its type starts with the vendor's prefix."),
  OtherItemParam: {
    ...object(
      { type: { type: "string", not: { enum: knownTypes } }, id },
      "An item that only some servers support. The gateway forwards it to providers with the Responses API and reports a loss for others.",
    ),
    ...typeOfField("role", "message"),
  },
  InputItem: anyOf([
    "MessageParam",
    ...Object.keys(typedItems),
    "ItemReference",
    "HostedItemParam",
    "ExtensionItemParam",
    "OtherItemParam",
  ]),
};
