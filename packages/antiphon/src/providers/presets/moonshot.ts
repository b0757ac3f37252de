import type { Preset } from "../preset.ts";

export const moonshot = (): Preset => ({
  name: "moonshot",
  aliases: ["kimi", "moonshotai"],
  wire: "chat",
  hosts: "own",
  baseUrl: "https://api.moonshot.ai/v1",
  env: ["MOONSHOT_API_KEY", "MOONSHOTAI_API_KEY"],
  models: { chat: "kimi-k2.6" },
  dialect: {
    vendor: "moonshot",
    drops: ["metadata", "prompt_cache_retention", "seed", "service_tier", "user", "verbosity"],
    passes: [],
    media: ["image", "video"],
    // An effort beside this field fails the request.
    thinking: ["thinking"],
    replay: { as: "reasoning_content", on: "all", needed: true },
  },
  features: ["images", "schema", "tool_choice"],
  note: "Moonshot's API. With reasoning turned on (the default), most Kimi models do not support a forced tool call.",
});
