import type { Preset } from "../preset.ts";

export const huggingface = (): Preset => ({
  name: "huggingface",
  aliases: ["hf"],
  wire: "responses",
  hosts: "catalogue",
  baseUrl: "https://router.huggingface.co/v1",
  env: ["HF_TOKEN", "HUGGINGFACE_API_KEY"],
  models: { chat: "openai/gpt-oss-120b" },
  dialect: {
    // The router skips these without a word; hosted tools and other items fail the request.
    refuses: ["previous_response_id", "background"],
    drops: ["truncation", "parallel_tool_calls", "max_tool_calls", "top_logprobs"],
    itemTypes: [
      "message",
      "function_call",
      "function_call_output",
      "mcp_list_tools",
      "mcp_call",
      "mcp_approval_request",
      "mcp_approval_response",
    ],
    toolTypes: ["function", "mcp"],
  },
  features: ["images", "mcp", "schema", "tool_choice"],
  note: "`model:host` selects a host.",
});
