import type { Preset } from "../preset.ts";

export const anthropic = (): Preset => ({
  name: "anthropic",
  aliases: ["claude"],
  wire: "messages",
  hosts: "own",
  baseUrl: "https://api.anthropic.com/v1",
  // Anthropic's own programs give the variable without the version.
  baseUrlEnd: "/v1",
  env: ["ANTHROPIC_API_KEY"],
  keyHeader: "x-api-key",
  headers: {
    "anthropic-version": "2023-06-01",
    // Code execution, files, remote MCP servers and compaction are refused without these; they change nothing else.
    "anthropic-beta": "code-execution-2025-08-25,files-api-2025-04-14,mcp-client-2025-11-20,compact-2026-01-12",
  },
  models: { chat: "claude-sonnet-5" },
  modelsPath: "/models?limit=1000",
  dialect: { caching: "automatic" },
  features: ["files", "images", "mcp", "schema", "search", "tool_choice"],
  note: "Anthropic's API.",
});
