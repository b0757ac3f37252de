import type { Preset } from "../preset.ts";

export const azureAnthropic = (): Preset => ({
  name: "azure-anthropic",
  aliases: ["foundry"],
  wire: "messages",
  hosts: "catalogue",
  baseUrl: "https://{resource}.services.ai.azure.com/anthropic/v1",
  baseUrlEnd: "/v1",
  baseUrlEnv: ["ANTHROPIC_FOUNDRY_BASE_URL"],
  env: ["ANTHROPIC_FOUNDRY_API_KEY"],
  keyHeader: "x-api-key",
  variables: { resource: { env: ["ANTHROPIC_FOUNDRY_RESOURCE"] } },
  headers: { "anthropic-version": "2023-06-01" },
  modelsPath: null,
  features: ["files", "images", "schema", "tool_choice"],
  note: "The model is the name of a deployment.",
});
