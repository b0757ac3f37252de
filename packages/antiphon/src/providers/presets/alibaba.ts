import { openaiOnly } from "../chat-fields.ts";
import type { Preset } from "../preset.ts";

export const alibaba = (): Preset => ({
  name: "alibaba",
  aliases: ["dashscope"],
  wire: "chat",
  hosts: "catalogue",
  baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
  env: ["DASHSCOPE_API_KEY", "ALIBABA_API_KEY"],
  models: { chat: "qwen3-max" },
  dialect: {
    vendor: "alibaba",
    drops: [...openaiOnly, "frequency_penalty"],
    passes: ["enable_search", "search_options", "thinking_budget", "top_k"],
    // Files fail the request.
    media: ["image", "audio", "video"],
    thinking: ["enable_thinking"],
  },
  embeddings: { encoding: "float" },
  features: ["embeddings", "images", "schema", "tool_choice"],
  note: "Qwen on Alibaba Cloud; the default base URL is the international region.",
});
