import { openaiOnly, threeEfforts } from "../chat-fields.ts";
import type { Preset } from "../preset.ts";

export const together = (): Preset => ({
  name: "together",
  aliases: ["togetherai"],
  wire: "chat",
  hosts: "catalogue",
  baseUrl: "https://api.together.xyz/v1",
  env: ["TOGETHER_API_KEY"],
  models: { chat: "openai/gpt-oss-120b" },
  dialect: {
    vendor: "together",
    // Log probabilities are asked for by a number there.
    drops: [...openaiOnly, "logprobs", "top_logprobs", "parallel_tool_calls"],
    passes: ["chat_template_kwargs", "logit_bias", "min_p", "repetition_penalty", "safety_model", "top_k"],
    media: ["image", "audio", "video"],
    efforts: threeEfforts,
    thinkTags: true,
  },
  embeddings: { encoding: "float" },
  features: ["embeddings", "images", "schema", "tool_choice"],
  note: "Open models on Together's servers; model names contain a slash.",
});
