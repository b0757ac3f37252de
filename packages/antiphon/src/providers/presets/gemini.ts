import type { Preset } from "../preset.ts";

export const gemini = (): Preset => ({
  name: "gemini",
  aliases: ["google", "googleai"],
  wire: "gemini",
  hosts: "own",
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  env: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
  keyHeader: "x-goog-api-key",
  models: { chat: "gemini-3.5-flash", embeddings: "gemini-embedding-001", media: "gemini-2.5-flash-image" },
  modelsPath: "/models?pageSize=1000",
  embeddings: { batch: 100 },
  features: ["embeddings", "files", "images", "mcp", "schema", "search", "tool_choice"],
});
