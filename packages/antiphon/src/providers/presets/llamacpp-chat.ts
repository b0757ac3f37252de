import { openaiOnly } from "../chat-fields.ts";
import type { Preset } from "../preset.ts";

export const llamacppChat = (): Preset => ({
  name: "llamacpp-chat",
  aliases: ["llama.cpp-chat", "llama-cpp-chat"],
  twin: "llamacpp",
  wire: "chat",
  baseUrl: "http://127.0.0.1:8080/v1",
  env: ["LLAMACPP_API_KEY"],
  keyless: true,
  dialect: {
    vendor: "llamacpp",
    drops: openaiOnly,
    passes: ["chat_template_kwargs", "grammar", "logit_bias", "min_p", "repeat_penalty", "top_k"],
    // Other content fails the request.
    media: ["image", "audio"],
    toolMedia: ["image"],
    thinkTags: true,
    replay: { as: "reasoning_content", on: "calls" },
  },
  embeddings: { encoding: "float" },
  features: ["embeddings", "images", "schema", "tool_choice"],
  note: "llama.cpp's server; unlike its Responses API, this API supports JSON schemas.",
});
