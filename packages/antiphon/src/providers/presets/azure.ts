import type { Preset } from "../preset.ts";

export const azure = (): Preset => ({
  name: "azure",
  aliases: ["azure-openai"],
  wire: "responses",
  hosts: "catalogue",
  baseUrl: "{endpoint}/openai/v1",
  baseUrlEnv: ["AZURE_OPENAI_BASE_URL"],
  env: ["AZURE_OPENAI_API_KEY"],
  keyHeader: "api-key",
  variables: { endpoint: { env: ["AZURE_OPENAI_ENDPOINT"] } },
  stores: true,
  features: ["background", "embeddings", "files", "images", "mcp", "schema", "tool_choice"],
  note: "The model is the name of a deployment.",
});
