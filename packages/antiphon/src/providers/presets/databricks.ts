import type { Preset } from "../preset.ts";

export const databricks = (): Preset => ({
  name: "databricks",
  wire: "chat",
  hosts: "catalogue",
  baseUrl: "{host}/serving-endpoints",
  env: ["DATABRICKS_TOKEN"],
  variables: { host: { env: ["DATABRICKS_HOST"] } },
  modelsPath: null,
  dialect: { vendor: "databricks", media: ["image"] },
  features: ["images", "schema", "tool_choice"],
  note: "The model is the name of a serving endpoint.",
});
