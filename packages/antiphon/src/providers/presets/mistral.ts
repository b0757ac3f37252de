import { openaiOnly } from "../chat-fields.ts";
import type { Preset } from "../preset.ts";

export const mistral = (): Preset => ({
  name: "mistral",
  aliases: ["mistralai"],
  wire: "chat",
  hosts: "own",
  baseUrl: "https://api.mistral.ai/v1",
  env: ["MISTRAL_API_KEY"],
  models: { chat: "mistral-large-latest", embeddings: "mistral-embed" },
  dialect: {
    vendor: "mistral",
    // An unknown field fails the request; it knows metadata and cache keys.
    drops: [...openaiOnly.filter((field) => field !== "metadata" && field !== "prompt_cache_key"), "logprobs", "top_logprobs"],
    passes: ["guardrails", "prediction", "prompt_mode", "safe_prompt"],
    renames: { seed: "random_seed" },
    usageOption: false,
    callIds: { pattern: /^[a-zA-Z0-9]{9}$/, length: 9 },
    requiredChoice: "any",
    audioForm: "bare",
    fileUrls: "document_url",
    // It thinks or it does not.
    efforts: { minimal: "high", low: "high", medium: "high", xhigh: "high" },
    replay: { as: "thinking", on: "all" },
  },
  embeddings: { encoding: "float", dimensionsField: "output_dimension" },
  features: ["embeddings", "files", "images", "schema", "tool_choice"],
  note: "Mistral's API.",
});
