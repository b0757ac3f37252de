import type { InputContent } from "./content.ts";
import type { Tool } from "./tools.ts";

/** Where a server-side tool is; each tool uses some of these. */
export type HostedStatus =
  | "in_progress"
  | "searching"
  | "interpreting"
  | "generating"
  | "calling"
  | "completed"
  | "incomplete"
  | "failed";

interface Hosted<T extends string> {
  type: T;
  id: string;
  status: HostedStatus;
}

/** A web search, or a page opened or searched in. */
export interface WebSearchCall extends Hosted<"web_search_call"> {
  action?:
    | { type: "search"; query?: string; queries?: string[]; sources?: { type: string; url?: string }[] }
    | { type: "open_page"; url?: string | null }
    | { type: "find_in_page" | "find"; url: string; pattern: string };
}

/** One passage that a file search found. */
export interface FileSearchResult {
  file_id?: string;
  filename?: string;
  score?: number;
  text?: string;
  attributes?: Record<string, string | number | boolean> | null;
}

/** A search over vector stores. */
export interface FileSearchCall extends Hosted<"file_search_call"> {
  queries: string[];
  results?: FileSearchResult[] | null;
}

/** Code that ran in a container. */
export interface CodeInterpreterCall extends Hosted<"code_interpreter_call"> {
  code: string | null;
  container_id: string;
  outputs: ({ type: "logs"; logs: string } | { type: "image"; url: string })[] | null;
}

/** A picture being made; `result` is base64 once it is done. */
export interface ImageGenerationCall extends Hosted<"image_generation_call"> {
  result?: string | null;
  revised_prompt?: string;
  size?: string;
  quality?: string;
  background?: string;
  output_format?: string;
  action?: string;
}

/** The tools that a remote MCP server offers. */
export interface McpListTools {
  type: "mcp_list_tools";
  id: string;
  server_label: string;
  tools: { name: string; description?: string | null; input_schema: unknown; annotations?: unknown }[];
  error?: unknown;
  status?: HostedStatus;
}

/** A call of a remote MCP tool that waits for consent. */
export interface McpApprovalRequest {
  type: "mcp_approval_request";
  id: string;
  server_label: string;
  name: string;
  arguments: string;
  status?: HostedStatus;
}

/** A call of a remote MCP tool, with what it gave back. */
export interface McpCall {
  type: "mcp_call";
  id: string;
  server_label: string;
  name: string;
  arguments: string;
  output?: string | null;
  error?: unknown;
  approval_request_id?: string | null;
  status?: HostedStatus;
}

/** A command for the caller's own shell. */
export interface LocalShellCall extends Hosted<"local_shell_call"> {
  call_id: string;
  action: {
    type: "exec";
    command: string[];
    env: Record<string, string>;
    timeout_ms?: number | null;
    user?: string | null;
    working_directory?: string | null;
  };
}

/** Commands for a shell, hosted or the caller's. */
export interface ShellCall extends Hosted<"shell_call"> {
  call_id: string;
  action: { commands: string[]; timeout_ms?: number | null; max_output_length?: number | null };
  environment?: unknown;
}

/** What one shell command printed and how it ended. */
export interface ShellOutput {
  stdout: string;
  stderr: string;
  outcome: { type: "exit"; exit_code: number } | { type: "timeout" };
}

/** What the commands of a shell call gave. */
export interface ShellCallOutput extends Hosted<"shell_call_output"> {
  call_id: string;
  output: ShellOutput[];
  max_output_length?: number | null;
}

/** A change of one file, as a diff. */
export interface ApplyPatchCall extends Hosted<"apply_patch_call"> {
  call_id: string;
  operation:
    | { type: "create_file"; path: string; diff: string }
    | { type: "update_file"; path: string; diff: string }
    | { type: "delete_file"; path: string };
}

/** How a patch went. */
export interface ApplyPatchCallOutput extends Hosted<"apply_patch_call_output"> {
  call_id: string;
  output?: string | null;
}

/** A click, a key or a scroll on a computer that the caller runs. */
export interface ComputerCall extends Hosted<"computer_call"> {
  call_id: string;
  action?: { type: string; [field: string]: unknown };
  actions?: { type: string; [field: string]: unknown }[];
  pending_safety_checks: { id: string; code?: string | null; message?: string | null }[];
}

/** The screen after a computer call. */
export interface ComputerCallOutput extends Hosted<"computer_call_output"> {
  call_id: string;
  output: { type: "computer_screenshot"; image_url?: string; file_id?: string };
}

/** A call of a free-form tool: its input is text, not JSON. */
export interface CustomToolCall {
  type: "custom_tool_call";
  id: string;
  call_id: string;
  name: string;
  input: string;
  namespace?: string;
  status?: HostedStatus;
}

/** What a free-form tool gave back. */
export interface CustomToolCallOutput {
  type: "custom_tool_call_output";
  id: string;
  call_id: string;
  output: string | InputContent[];
  status?: HostedStatus;
}

/** The model looks for tools that were not loaded yet. */
export interface ToolSearchCall extends Hosted<"tool_search_call"> {
  call_id: string | null;
  arguments: unknown;
  execution: "server" | "client";
}

/** Tools that a tool search loaded. */
export interface ToolSearchOutput extends Hosted<"tool_search_output"> {
  call_id: string | null;
  execution: "server" | "client";
  tools: Tool[];
}

/** A program by which the model calls tools. */
export interface Program {
  type: "program";
  id: string;
  call_id: string;
  code: string;
  fingerprint: string;
  status?: HostedStatus;
}

/** What such a program printed. */
export interface ProgramOutput extends Hosted<"program_output"> {
  call_id: string;
  result: string;
}

/** OpenAI's server-side items, under their bare names; other vendors' server tools use the same. */
export type HostedItem =
  | WebSearchCall
  | FileSearchCall
  | CodeInterpreterCall
  | ImageGenerationCall
  | McpListTools
  | McpApprovalRequest
  | McpCall
  | LocalShellCall
  | ShellCall
  | ShellCallOutput
  | ApplyPatchCall
  | ApplyPatchCallOutput
  | ComputerCall
  | ComputerCallOutput
  | CustomToolCall
  | CustomToolCallOutput
  | ToolSearchCall
  | ToolSearchOutput
  | Program
  | ProgramOutput;

/** The answer to a request for consent. */
export interface McpApprovalResponse {
  type: "mcp_approval_response";
  approval_request_id: string;
  approve: boolean;
  reason?: string | null;
  id?: string | null;
}

/** What the caller's own shell printed; here, and only here, `id` is the call's id. */
export interface LocalShellCallOutput {
  type: "local_shell_call_output";
  id: string;
  output: string;
  status?: HostedStatus | null;
}

type Param<T extends { id: string; status?: unknown }> = Omit<T, "id" | "status"> & {
  id?: string | null;
  status?: T["status"] | null;
};

/** Hosted items that only a request holds, or holds with fewer fields. */
export type HostedInputItem =
  | McpApprovalResponse
  | LocalShellCallOutput
  | Param<ShellCallOutput>
  | Param<ApplyPatchCallOutput>
  | Param<ComputerCallOutput>
  | Param<CustomToolCall>
  | Param<CustomToolCallOutput>
  | Param<ToolSearchOutput>;
