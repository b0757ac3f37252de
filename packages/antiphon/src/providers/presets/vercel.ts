import type { Preset } from "../preset.ts";

export const vercel = (): Preset => ({
  name: "vercel",
  aliases: ["ai-gateway"],
  wire: "chat",
  hosts: "catalogue",
  baseUrl: "https://ai-gateway.vercel.sh/v1",
  env: ["AI_GATEWAY_API_KEY", "VERCEL_OIDC_TOKEN"],
  models: { chat: "openai/gpt-5.2" },
  dialect: {
    vendor: "vercel",
    replay: { as: "reasoning_details", on: "all" },
    passes: ["logit_bias", "models", "providerOptions"],
  },
  features: ["embeddings", "images", "schema", "tool_choice"],
  note: "Vercel's gateway to many vendors; model names contain a slash.",
});
