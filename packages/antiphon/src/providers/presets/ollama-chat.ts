import { openaiOnly } from "../chat-fields.ts";
import type { Preset } from "../preset.ts";

export const ollamaChat = (): Preset => ({
  name: "ollama-chat",
  twin: "ollama",
  wire: "chat",
  baseUrl: "http://127.0.0.1:11434/v1",
  baseUrlEnd: "/v1",
  env: ["OLLAMA_API_KEY"],
  keyless: true,
  dialect: {
    vendor: "ollama",
    developerRole: true,
    // Skipped without a word.
    drops: [...openaiOnly, "parallel_tool_calls", "tool_choice"],
    passes: [],
    media: ["image"],
    toolMedia: ["image"],
    replay: { as: "reasoning", on: "calls" },
  },
  embeddings: { encoding: "float" },
  features: ["embeddings", "images", "schema"],
  note: "The base URL of Ollama's cloud is `https://ollama.com/v1`.",
});
