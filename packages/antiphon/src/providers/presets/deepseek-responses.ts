import type { Preset } from "../preset.ts";

export const deepseekResponses = (): Preset => ({
  name: "deepseek-responses",
  twin: "deepseek",
  wire: "responses",
  hosts: "own",
  baseUrl: "https://api.deepseek.com",
  env: ["DEEPSEEK_API_KEY"],
  models: { chat: "deepseek-v4-flash" },
  // Stateless, and what it does not know it skips without a word.
  dialect: { refuses: ["previous_response_id", "conversation", "background"], drops: ["store"] },
  features: ["tool_choice"],
  note: "DeepSeek's Responses API, for deepseek-v4-flash.",
});
