import type { Preset } from "../preset.ts";

export const ollama = (): Preset => ({
  name: "ollama",
  wire: "responses",
  baseUrl: "http://127.0.0.1:11434/v1",
  // Other programs give the variable without the version.
  baseUrlEnd: "/v1",
  env: ["OLLAMA_API_KEY"],
  keyless: true,
  dialect: {
    // Stateless, and these are ignored without a word; an item of another type fails the request.
    refuses: ["previous_response_id", "conversation", "background"],
    drops: ["tool_choice"],
    itemTypes: ["message", "function_call", "function_call_output", "reasoning", "web_search_call"],
    toolTypes: ["function", "namespace", "web_search"],
  },
  embeddings: { encoding: "float" },
  features: ["embeddings", "images", "schema"],
  note: "Ollama on this machine; the model is one that it has pulled, including its tag.",
});
