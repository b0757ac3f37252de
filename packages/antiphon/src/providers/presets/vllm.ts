import type { Preset } from "../preset.ts";

export const vllm = (): Preset => ({
  name: "vllm",
  wire: "responses",
  baseUrl: "http://127.0.0.1:8000/v1",
  env: ["VLLM_API_KEY"],
  keyless: true,
  // The list of includes is closed, and these two are not on it.
  dialect: { keeps: ["seed", "stop"], dropsIncludes: ["web_search_call.results", "web_search_call.action.sources"] },
  features: ["embeddings", "images", "schema", "tool_choice"],
  note: "A vLLM server; it stores responses only if started with VLLM_ENABLE_RESPONSES_API_STORE=1.",
});
