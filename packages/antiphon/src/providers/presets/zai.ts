import { openaiOnly } from "../chat-fields.ts";
import type { Preset } from "../preset.ts";

export const zai = (): Preset => ({
  name: "zai",
  aliases: ["z.ai", "zhipu"],
  wire: "chat",
  hosts: "own",
  baseUrl: "https://api.z.ai/api/paas/v4",
  env: ["ZAI_API_KEY", "ZHIPU_API_KEY"],
  models: { chat: "glm-5.2" },
  dialect: {
    vendor: "zai",
    drops: [...openaiOnly, "frequency_penalty", "logprobs", "parallel_tool_calls", "presence_penalty", "top_logprobs"],
    passes: ["do_sample", "request_id", "tool_stream"],
    media: ["image", "file", "video"],
    formats: ["json_object"],
    thinking: ["thinking"],
    replay: { as: "reasoning_content", on: "calls" },
  },
  features: ["images", "tool_choice"],
  note: "Z.AI's API, for GLM models.",
});
