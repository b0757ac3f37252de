import type {
  Compaction,
  FunctionCall,
  FunctionCallOutput,
  HostedItem,
  ItemStatus,
  Message,
  Phase,
  Reasoning,
  Role,
} from "antiphon";
import {
  anyOf,
  constant,
  either,
  list,
  maybe,
  object,
  objectOf,
  optional,
  ref,
  string,
  words,
  type Fields,
  type Schema,
} from "./schema.ts";

const status = words<ItemStatus>({ in_progress: true, completed: true, incomplete: true });
export const role = words<Role>({ user: true, assistant: true, system: true, developer: true });
const phase = words<Phase>({ commentary: true, final_answer: true });

const messageFields: Fields<Message> = {
  type: constant("message"),
  id: string(),
  status,
  role,
  content: list(ref("MessageContent")),
  phase: maybe(phase),
};

const functionCall = objectOf<FunctionCall>(
  {
    type: constant("function_call"),
    id: string(),
    call_id: string("The id that the output must contain."),
    name: string(),
    arguments: string("The JSON text that the model wrote."),
    status,
    namespace: optional(string()),
  },
  "A call of a function that the client runs.",
);

const functionCallOutput = objectOf<FunctionCallOutput>(
  {
    type: constant("function_call_output"),
    id: string(),
    call_id: string(),
    output: either(string(), list(ref("InputContent"))),
    status,
  },
  "The result of a function call.",
);

const reasoning = objectOf<Reasoning>(
  {
    type: constant("reasoning"),
    id: string(),
    summary: list(ref("SummaryText")),
    content: maybe(list(ref("ReasoningText"))),
    encrypted_content: maybe(string("Encrypted; only the provider that created it can read it.")),
    status: maybe(status),
  },
  "The model's reasoning.",
);

const compaction = objectOf<Compaction>(
  {
    type: constant("compaction"),
    id: string(),
    encrypted_content: string(),
    created_by: optional(string()),
    status: optional(status),
  },
  "A compacted part of the conversation.",
);

/** Items of server-side tools. Their fields are the provider's. */
export const hostedTypes: Readonly<Record<HostedItem["type"], true>> = {
  web_search_call: true,
  file_search_call: true,
  code_interpreter_call: true,
  image_generation_call: true,
  mcp_list_tools: true,
  mcp_approval_request: true,
  mcp_call: true,
  local_shell_call: true,
  shell_call: true,
  shell_call_output: true,
  apply_patch_call: true,
  apply_patch_call_output: true,
  computer_call: true,
  computer_call_output: true,
  custom_tool_call: true,
  custom_tool_call_output: true,
  tool_search_call: true,
  tool_search_output: true,
  program: true,
  program_output: true,
};

export const extension = { type: "string", pattern: "^[^:]+:.+$" };

/** The items of responses. */
export const itemSchemas: Readonly<Record<string, Schema>> = {
  Message: objectOf<Message>(messageFields),
  FunctionCall: functionCall,
  FunctionCallOutput: functionCallOutput,
  Reasoning: reasoning,
  Compaction: compaction,
  HostedItem: object(
    { type: words(hostedTypes), id: string() },
    "A call of a tool that runs at the provider. Under `/v1`, its type starts with the vendor's prefix, as the specification requires for extensions.",
  ),
  ExtensionItem: object({ type: extension, id: string() }, "A custom item."),
  Item: anyOf(["Message", "FunctionCall", "FunctionCallOutput", "Reasoning", "Compaction", "HostedItem", "ExtensionItem"]),
};
