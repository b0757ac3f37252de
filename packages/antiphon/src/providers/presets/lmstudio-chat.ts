import { openaiOnly } from "../chat-fields.ts";
import type { Preset } from "../preset.ts";

export const lmstudioChat = (): Preset => ({
  name: "lmstudio-chat",
  aliases: ["lm-studio-chat"],
  twin: "lmstudio",
  wire: "chat",
  baseUrl: "http://127.0.0.1:1234/v1",
  env: ["LMSTUDIO_API_KEY"],
  keyless: true,
  dialect: {
    vendor: "lmstudio",
    drops: [...openaiOnly, "logprobs", "parallel_tool_calls", "top_logprobs"],
    passes: ["logit_bias", "repeat_penalty", "top_k", "ttl"],
    media: ["image"],
    // JSON without a schema is refused, and there is no field that asks for thinking.
    formats: ["json_schema"],
    thinking: [],
    thinkTags: true,
  },
  embeddings: { encoding: "float" },
  features: ["embeddings", "images", "schema", "tool_choice"],
  note: "LM Studio on this machine; it can force a tool call, but not a call of a specific tool.",
});
