import { openaiOnly, threeEfforts } from "../chat-fields.ts";
import type { Preset } from "../preset.ts";

export const cerebras = (): Preset => ({
  name: "cerebras",
  wire: "chat",
  hosts: "catalogue",
  baseUrl: "https://api.cerebras.ai/v1",
  env: ["CEREBRAS_API_KEY"],
  models: { chat: "gpt-oss-120b" },
  dialect: {
    vendor: "cerebras",
    // These fail the request; users alone are known.
    drops: [...openaiOnly.filter((field) => field !== "user"), "frequency_penalty", "parallel_tool_calls", "presence_penalty"],
    passes: ["clear_thinking", "disable_reasoning", "reasoning_format"],
    efforts: threeEfforts,
  },
  features: ["schema", "tool_choice"],
});
