import { openaiDialect } from "../../codecs/chat/dialect.ts";
import type { Preset } from "../preset.ts";

export const azureChat = (): Preset => ({
  name: "azure-chat",
  twin: "azure",
  wire: "chat",
  hosts: "catalogue",
  baseUrl: "{endpoint}/openai/v1",
  baseUrlEnv: ["AZURE_OPENAI_BASE_URL"],
  env: ["AZURE_OPENAI_API_KEY"],
  keyHeader: "api-key",
  variables: { endpoint: { env: ["AZURE_OPENAI_ENDPOINT"] } },
  // No documents, and no search of its own.
  dialect: { ...openaiDialect, vendor: "azure", media: ["image", "audio"], webSearch: false },
  features: ["embeddings", "images", "schema", "tool_choice"],
  note: "Models of any vendor on Azure; the model is the name of a deployment.",
});
