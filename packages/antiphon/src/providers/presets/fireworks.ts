import { threeEfforts } from "../chat-fields.ts";
import type { Preset } from "../preset.ts";

export const fireworks = (): Preset => ({
  name: "fireworks",
  aliases: ["fireworks-ai"],
  wire: "chat",
  hosts: "catalogue",
  baseUrl: "https://api.fireworks.ai/inference/v1",
  env: ["FIREWORKS_API_KEY"],
  models: { chat: "accounts/fireworks/models/gpt-oss-120b" },
  dialect: {
    vendor: "fireworks",
    // An unknown field fails the request.
    drops: ["prompt_cache_retention", "safety_identifier", "verbosity"],
    passes: ["context_length_exceeded_behavior", "logit_bias", "min_p", "reasoning_history", "repetition_penalty", "top_k"],
    media: ["image"],
    efforts: threeEfforts,
    thinkTags: true,
    replay: { as: "reasoning_content", on: "calls" },
  },
  embeddings: { encoding: "float" },
  features: ["embeddings", "images", "schema", "tool_choice"],
});
