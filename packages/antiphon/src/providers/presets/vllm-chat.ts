import { openaiOnly } from "../chat-fields.ts";
import type { Preset } from "../preset.ts";

export const vllmChat = (): Preset => ({
  name: "vllm-chat",
  twin: "vllm",
  wire: "chat",
  baseUrl: "http://127.0.0.1:8000/v1",
  env: ["VLLM_API_KEY"],
  keyless: true,
  dialect: {
    vendor: "vllm",
    drops: openaiOnly.filter((field) => field !== "user"),
    passes: [
      "chat_template_kwargs",
      "logit_bias",
      "min_p",
      "min_tokens",
      "priority",
      "repetition_penalty",
      "structured_outputs",
      "top_k",
    ],
    media: ["image", "audio", "video"],
    // A server that was started without a reasoning parser sends thoughts inside the text.
    thinkTags: true,
    replay: { as: "reasoning", on: "calls" },
  },
  features: ["embeddings", "images", "schema", "tool_choice"],
  note: "A vLLM server; tools require a server started with --enable-auto-tool-choice.",
});
