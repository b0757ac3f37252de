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
    call_id: string("What the output must name."),
    name: string(),
    arguments: string("JSON, as the model wrote it."),
    status,
    namespace: optional(string()),
  },
  "A function that the model asks the client to run.",
);

const functionCallOutput = objectOf<FunctionCallOutput>(
  {
    type: constant("function_call_output"),
    id: string(),
    call_id: string(),
    output: either(string(), list(ref("InputContent"))),
    status,
  },
  "What a function gave back.",
);

const reasoning = objectOf<Reasoning>(
  {
    type: constant("reasoning"),
    id: string(),
    summary: list(ref("SummaryText")),
    content: maybe(list(ref("ReasoningText"))),
    encrypted_content: maybe(string("Only its maker can read it.")),
    status: maybe(status),
  },
  "What the model thought.",
);

const compaction = objectOf<Compaction>(
  {
    type: constant("compaction"),
    id: string(),
    encrypted_content: string(),
    created_by: optional(string()),
    status: optional(status),
  },
  "A compressed stretch of conversation.",
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
    "What a tool at the provider did. Below `/v1` its type carries the maker's prefix, as extensions of the specification do.",
  ),
  ExtensionItem: object({ type: extension, id: string() }, "An item of somebody's own making."),
  Item: anyOf(["Message", "FunctionCall", "FunctionCallOutput", "Reasoning", "Compaction", "HostedItem", "ExtensionItem"]),
};
