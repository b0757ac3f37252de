import { openaiOnly, threeEfforts } from "../chat-fields.ts";
import type { Preset } from "../preset.ts";

export const groq = (): Preset => ({
  name: "groq",
  wire: "chat",
  hosts: "catalogue",
  baseUrl: "https://api.groq.com/openai/v1",
  env: ["GROQ_API_KEY"],
  models: { chat: "openai/gpt-oss-120b" },
  dialect: {
    vendor: "groq",
    // Log probabilities and unknown fields fail the request; it knows users and tiers.
    drops: [...openaiOnly.filter((field) => field !== "user" && field !== "service_tier"), "logprobs", "top_logprobs"],
    passes: ["reasoning_format", "include_reasoning", "search_settings"],
    media: ["image"],
    efforts: threeEfforts,
    replay: { as: "reasoning", on: "calls" },
  },
  features: ["images", "schema", "tool_choice"],
});
