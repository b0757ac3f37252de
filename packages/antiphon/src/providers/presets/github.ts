import { openaiOnly } from "../chat-fields.ts";
import type { Preset } from "../preset.ts";

export const github = (): Preset => ({
  name: "github",
  aliases: ["github-models"],
  wire: "chat",
  hosts: "catalogue",
  baseUrl: "https://models.github.ai",
  baseUrlEnv: ["GITHUB_MODELS_BASE_URL"],
  env: ["GITHUB_TOKEN", "GITHUB_API_KEY"],
  headers: { "X-GitHub-Api-Version": "2022-11-28" },
  models: { chat: "openai/gpt-4.1" },
  modelsPath: "/catalog/models",
  dialect: {
    path: "/inference/chat/completions",
    vendor: "github",
    developerRole: true,
    drops: [...openaiOnly, "logprobs", "parallel_tool_calls", "top_logprobs"],
    passes: ["modalities"],
    media: ["image", "audio"],
  },
  features: ["images", "schema", "tool_choice"],
  note: "The key is a token with the permission `models:read`.",
});
