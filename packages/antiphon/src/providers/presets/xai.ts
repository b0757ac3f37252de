import type { Preset } from "../preset.ts";

export const xai = (): Preset => ({
  name: "xai",
  aliases: ["x-ai", "grok"],
  wire: "responses",
  hosts: "own",
  baseUrl: "https://api.x.ai/v1",
  env: ["XAI_API_KEY"],
  models: { chat: "grok-4.3" },
  // The first two are taken for compatibility's sake and do nothing; instructions are refused in a chain.
  dialect: { refuses: ["background"], drops: ["metadata"], chainedInstructions: false },
  stores: true,
  features: ["files", "images", "mcp", "schema", "search", "tool_choice"],
  note: "xAI's Grok; responses are stored for thirty days.",
});
