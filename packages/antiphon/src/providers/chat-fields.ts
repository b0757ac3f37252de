import type { ChatDialect } from "../codecs/chat/dialect.ts";

/** Body fields of Chat Completions that OpenAI reads; most other servers refuse them, or skip them without a word. */
export const openaiOnly: readonly string[] = [
  "metadata",
  "prompt_cache_key",
  "prompt_cache_retention",
  "safety_identifier",
  "service_tier",
  "user",
  "verbosity",
];

/** Efforts where a server knows `low`, `medium` and `high`. */
export const threeEfforts: ChatDialect["efforts"] = { minimal: "low", xhigh: "high" };
