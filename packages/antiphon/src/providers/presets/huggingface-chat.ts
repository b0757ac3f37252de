import type { Preset } from "../preset.ts";

export const huggingfaceChat = (): Preset => ({
  name: "huggingface-chat",
  aliases: ["hf-chat"],
  twin: "huggingface",
  wire: "chat",
  hosts: "catalogue",
  baseUrl: "https://router.huggingface.co/v1",
  env: ["HF_TOKEN", "HUGGINGFACE_API_KEY"],
  models: { chat: "openai/gpt-oss-120b" },
  // Hosts that do not part thoughts from text send both together.
  dialect: { vendor: "huggingface", media: ["image"], thinkTags: true },
  features: ["images", "schema", "tool_choice"],
  note: "`model:host` selects a host.",
});
