import { openaiOnly } from "../chat-fields.ts";
import type { Preset } from "../preset.ts";

export const deepseek = (): Preset => ({
  name: "deepseek",
  wire: "chat",
  hosts: "own",
  baseUrl: "https://api.deepseek.com",
  env: ["DEEPSEEK_API_KEY"],
  models: { chat: "deepseek-v4-flash" },
  dialect: {
    vendor: "deepseek",
    // What it does not know it skips without a word; content other than text fails the request.
    drops: [...openaiOnly, "parallel_tool_calls", "seed"],
    passes: [],
    media: [],
    formats: ["json_object"],
    hiddenTool: "offered",
    thinking: ["thinking", "reasoning_effort"],
    efforts: { minimal: "low", xhigh: "max" },
    // While it thinks, a call without the thoughts that led to it fails the request.
    replay: { as: "reasoning_content", on: "calls", needed: true },
  },
  features: ["tool_choice"],
  note: "DeepSeek's API. With reasoning turned on (the default), it does not support a forced tool choice.",
});
