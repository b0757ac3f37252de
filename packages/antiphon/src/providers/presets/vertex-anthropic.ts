import type { Preset } from "../preset.ts";

const model = "/publishers/anthropic/models/{model}";

export const vertexAnthropic = (): Preset => ({
  name: "vertex-anthropic",
  wire: "messages",
  hosts: "catalogue",
  baseUrl: "https://{location}-aiplatform.googleapis.com/v1/projects/{project}/locations/{location}",
  env: ["GOOGLE_OAUTH_ACCESS_TOKEN", "CLOUDSDK_AUTH_ACCESS_TOKEN"],
  variables: {
    project: { env: ["ANTHROPIC_VERTEX_PROJECT_ID", "GOOGLE_CLOUD_PROJECT"] },
    location: { env: ["CLOUD_ML_REGION", "GOOGLE_CLOUD_LOCATION"] },
  },
  models: { chat: "claude-sonnet-4-5@20250929" },
  modelsPath: null,
  dialect: {
    path: `${model}:rawPredict`,
    streamPath: `${model}:streamRawPredict`,
    modelInBody: false,
    fixed: { anthropic_version: "vertex-2023-10-16" },
    // Bytes only, and of the server-side tools the search alone.
    urlSources: false,
    hosted: { web_search: "web_search_20250305", code_interpreter: null, tool_search: null, mcp: null, compaction: null },
  },
  features: ["files", "images", "schema", "search", "tool_choice"],
  note: "The key is an [access token](#google-cloud).",
});
