import type { Preset } from "../preset.ts";

export const openrouterChat = (): Preset => ({
  name: "openrouter-chat",
  twin: "openrouter",
  wire: "chat",
  hosts: "catalogue",
  baseUrl: "https://openrouter.ai/api/v1",
  env: ["OPENROUTER_API_KEY"],
  models: { chat: "openai/gpt-5.2", embeddings: "openai/text-embedding-3-small" },
  dialect: {
    vendor: "openrouter",
    developerRole: true,
    refusals: true,
    webSearch: true,
    media: ["image", "audio", "file", "video"],
    fileUrls: "file_data",
    thinking: ["reasoning"],
    replay: { as: "reasoning_details", on: "all" },
    passes: ["logit_bias", "models", "plugins", "provider", "top_k", "transforms", "usage"],
  },
  features: ["embeddings", "files", "images", "schema", "search", "tool_choice"],
  note: "The same models with the older Chat Completions API, which more of them support well; model names contain a slash.",
});
