import type { Preset } from "../preset.ts";

export const chat = (): Preset => ({
  name: "chat",
  aliases: ["chat-completions", "openai-compatible"],
  wire: "chat",
  env: ["CHAT_API_KEY"],
  keyless: true,
  features: ["images", "schema", "tool_choice"],
  note: "Any server with a Chat Completions API; set its base URL.",
});
