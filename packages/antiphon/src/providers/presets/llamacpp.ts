import type { Preset } from "../preset.ts";

export const llamacpp = (): Preset => ({
  name: "llamacpp",
  aliases: ["llama.cpp", "llama-cpp"],
  wire: "responses",
  baseUrl: "http://127.0.0.1:8080/v1",
  env: ["LLAMACPP_API_KEY"],
  keyless: true,
  dialect: {
    // An earlier response's id and items of another type are refused; `text` never reaches the model.
    refuses: ["previous_response_id"],
    drops: ["text"],
    itemTypes: ["message", "function_call", "function_call_output", "reasoning"],
    toolTypes: ["function"],
    reasoning: "text",
  },
  embeddings: { encoding: "float" },
  features: ["embeddings", "images", "tool_choice"],
  note: "Has one model and ignores the name.",
});
