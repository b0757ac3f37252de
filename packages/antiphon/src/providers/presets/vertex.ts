import { vertexDialect } from "../../codecs/gemini/dialect.ts";
import type { Preset } from "../preset.ts";

export const vertex = (): Preset => ({
  name: "vertex",
  aliases: ["vertex-gemini"],
  wire: "gemini",
  hosts: "catalogue",
  baseUrl: "https://{location}-aiplatform.googleapis.com/v1beta1/projects/{project}/locations/{location}",
  env: ["GOOGLE_OAUTH_ACCESS_TOKEN", "CLOUDSDK_AUTH_ACCESS_TOKEN"],
  variables: { project: { env: ["GOOGLE_CLOUD_PROJECT"] }, location: { env: ["GOOGLE_CLOUD_LOCATION"] } },
  models: { chat: "gemini-2.5-flash" },
  modelsPath: null,
  dialect: vertexDialect,
  embeddings: { single: "/publishers/google/models/{model}" },
  features: ["embeddings", "files", "images", "schema", "search", "tool_choice"],
  note: "The key is an [access token](#google-cloud).",
});
