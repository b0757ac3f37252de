import type { Preset } from "../preset.ts";

export const venice = (): Preset => ({
  name: "venice",
  wire: "chat",
  hosts: "catalogue",
  baseUrl: "https://api.venice.ai/api/v1",
  env: ["VENICE_API_KEY"],
  dialect: { vendor: "venice", passes: ["logit_bias", "min_p", "repetition_penalty", "top_k", "venice_parameters"] },
  embeddings: { encoding: "float" },
  features: ["embeddings", "images", "schema", "tool_choice"],
});
