import { threeEfforts } from "../chat-fields.ts";
import type { Preset } from "../preset.ts";

export const xaiChat = (): Preset => ({
  name: "xai-chat",
  twin: "xai",
  wire: "chat",
  hosts: "own",
  baseUrl: "https://api.x.ai/v1",
  env: ["XAI_API_KEY"],
  models: { chat: "grok-4.3" },
  dialect: {
    vendor: "xai",
    maxTokens: "max_completion_tokens",
    developerRole: true,
    drops: ["metadata", "prompt_cache_retention", "safety_identifier", "verbosity"],
    passes: ["deferred", "search_parameters"],
    media: ["image"],
    efforts: threeEfforts,
  },
  features: ["images", "schema", "tool_choice"],
  note: "xAI's older Chat Completions API; `xai` supports more features.",
});
