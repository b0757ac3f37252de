import { openaiOnly, threeEfforts } from "../chat-fields.ts";
import type { Preset } from "../preset.ts";

export const nvidia = (): Preset => ({
  name: "nvidia",
  aliases: ["nim"],
  wire: "chat",
  hosts: "catalogue",
  baseUrl: "https://integrate.api.nvidia.com/v1",
  env: ["NVIDIA_API_KEY"],
  models: { chat: "openai/gpt-oss-120b" },
  dialect: {
    vendor: "nvidia",
    // An unknown field fails the request.
    drops: openaiOnly,
    passes: ["chat_template_kwargs"],
    media: ["image", "audio", "video"],
    efforts: threeEfforts,
    thinkTags: true,
  },
  embeddings: { encoding: "float" },
  features: ["embeddings", "images", "schema", "tool_choice"],
  note: "Models on NVIDIA's servers, each with its own list of fields; model names contain a slash.",
});
