import { openaiOnly } from "../chat-fields.ts";
import type { Preset } from "../preset.ts";

export const perplexity = (): Preset => ({
  name: "perplexity",
  wire: "chat",
  hosts: "own",
  baseUrl: "https://api.perplexity.ai",
  env: ["PERPLEXITY_API_KEY"],
  models: { chat: "sonar", embeddings: "pplx-embed-v1-0.6b" },
  embeddings: { encoding: "int8" },
  modelsPath: null,
  dialect: {
    vendor: "perplexity",
    // No tools of the caller's own: it searches, and that is all.
    drops: [...openaiOnly, "logprobs", "parallel_tool_calls", "seed", "stop", "tool_choice", "tools", "top_logprobs"],
    passes: [
      "disable_search",
      "return_images",
      "return_related_questions",
      "search_after_date_filter",
      "search_before_date_filter",
      "search_domain_filter",
      "search_mode",
      "search_recency_filter",
      "top_k",
    ],
    systemMessages: "leading",
    media: ["image"],
    webSearch: true,
    formats: ["json_schema"],
    efforts: { xhigh: "high" },
    thinkTags: true,
  },
  features: ["embeddings", "images", "schema", "search"],
  note: "Searches the web for each answer.",
});
