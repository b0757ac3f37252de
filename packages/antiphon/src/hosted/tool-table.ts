import type { HostedEventType, Item } from "../model/index.ts";

/**
 * What an event is in the life of a call: a step, a piece of a text (told singly, recorded once and whole), or the whole of such a text
 * (told only where no piece came before it).
 */
export type Stage = "step" | "piece" | "whole";

/** The events that are no server-side tool's: speech, keep-alives, and the input of the caller's own free-form tools. */
type Other = `response.audio.${string}` | `response.custom_tool_call_input.${string}` | "keepalive";

/** For each event of a server-side tool: the tool that it is told under, and its stage. A new event is a line. */
export const toolEvents: { readonly [K in Exclude<HostedEventType, Other>]: readonly [tool: string, stage: Stage] } = {
  "response.web_search_call.in_progress": ["web_search", "step"],
  "response.web_search_call.searching": ["web_search", "step"],
  "response.web_search_call.completed": ["web_search", "step"],
  "response.file_search_call.in_progress": ["file_search", "step"],
  "response.file_search_call.searching": ["file_search", "step"],
  "response.file_search_call.completed": ["file_search", "step"],
  "response.code_interpreter_call.in_progress": ["code_interpreter", "step"],
  "response.code_interpreter_call.interpreting": ["code_interpreter", "step"],
  "response.code_interpreter_call.completed": ["code_interpreter", "step"],
  "response.code_interpreter_call_code.delta": ["code_interpreter", "piece"],
  "response.code_interpreter_call_code.done": ["code_interpreter", "whole"],
  "response.image_generation_call.in_progress": ["image_generation", "step"],
  "response.image_generation_call.generating": ["image_generation", "step"],
  "response.image_generation_call.completed": ["image_generation", "step"],
  "response.image_generation_call.partial_image": ["image_generation", "step"],
  "response.mcp_list_tools.in_progress": ["mcp", "step"],
  "response.mcp_list_tools.completed": ["mcp", "step"],
  "response.mcp_list_tools.failed": ["mcp", "step"],
  "response.mcp_call.in_progress": ["mcp", "step"],
  "response.mcp_call.completed": ["mcp", "step"],
  "response.mcp_call.failed": ["mcp", "step"],
  "response.mcp_call_arguments.delta": ["mcp", "piece"],
  "response.mcp_call_arguments.done": ["mcp", "whole"],
  "response.shell_call_command.added": ["shell", "step"],
  "response.shell_call_command.delta": ["shell", "piece"],
  "response.shell_call_command.done": ["shell", "whole"],
  "response.shell_call_output_content.delta": ["shell", "piece"],
  "response.shell_call_output_content.done": ["shell", "whole"],
  "response.apply_patch_call_operation_diff.delta": ["apply_patch", "piece"],
  "response.apply_patch_call_operation_diff.done": ["apply_patch", "whole"],
};

const itemTools: ReadonlyMap<string, string> = new Map([
  ["web_search_call", "web_search"],
  ["file_search_call", "file_search"],
  ["code_interpreter_call", "code_interpreter"],
  ["image_generation_call", "image_generation"],
  ["mcp_list_tools", "mcp"],
  ["mcp_approval_request", "mcp"],
  ["mcp_call", "mcp"],
  ["local_shell_call", "local_shell"],
  ["local_shell_call_output", "local_shell"],
  ["shell_call", "shell"],
  ["shell_call_output", "shell"],
  ["apply_patch_call", "apply_patch"],
  ["apply_patch_call_output", "apply_patch"],
  ["computer_call", "computer"],
  ["computer_call_output", "computer"],
  ["tool_search_call", "tool_search"],
  ["tool_search_output", "tool_search"],
  ["program", "programmatic_tool_calling"],
  ["program_output", "programmatic_tool_calling"],
  ["x_search_call", "x_search"],
]);

/** The tool that an item is told under, if it is a server-side one's: its name, where the vocabulary has no word for it. */
export function toolOf(item: Item): string | undefined {
  if (item.type === "anthropic:server_tool_call") return typeof item["name"] === "string" ? item["name"] : item.type;
  return itemTools.get(item.type);
}
