import type { Preset } from "../preset.ts";

export const lmstudio = (): Preset => ({
  name: "lmstudio",
  aliases: ["lm-studio"],
  wire: "responses",
  baseUrl: "http://127.0.0.1:1234/v1",
  env: ["LMSTUDIO_API_KEY"],
  keyless: true,
  // A tool of any other type fails the whole request.
  dialect: { toolTypes: ["function", "mcp"] },
  stores: true,
  embeddings: { encoding: "float" },
  features: ["embeddings", "images", "mcp", "schema", "tool_choice"],
  note: "The model must be downloaded.",
});
