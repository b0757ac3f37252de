import type { Preset } from "../preset.ts";

export const openrouter = (): Preset => ({
  name: "openrouter",
  wire: "responses",
  hosts: "catalogue",
  baseUrl: "https://openrouter.ai/api/v1",
  env: ["OPENROUTER_API_KEY"],
  models: { chat: "openai/gpt-5.2", embeddings: "openai/text-embedding-3-small" },
  // Stateless: `store: true` and an earlier response's id are both refused.
  dialect: { refuses: ["previous_response_id"], drops: ["store"] },
  features: ["embeddings", "files", "images", "schema", "tool_choice"],
  note: "Hundreds of models of many vendors; model names contain a slash.",
});
