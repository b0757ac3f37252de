import { openaiDialect } from "../../codecs/chat/dialect.ts";
import type { Preset } from "../preset.ts";

export const openaiChat = (): Preset => ({
  name: "openai-chat",
  twin: "openai",
  wire: "chat",
  hosts: "own",
  baseUrl: "https://api.openai.com/v1",
  env: ["OPENAI_API_KEY"],
  variables: {
    organization: { env: ["OPENAI_ORG_ID"], header: "OpenAI-Organization" },
    project: { env: ["OPENAI_PROJECT_ID"], header: "OpenAI-Project" },
  },
  models: { chat: "gpt-5.2", embeddings: "text-embedding-3-small" },
  dialect: openaiDialect,
  features: ["embeddings", "files", "images", "schema", "search", "tool_choice"],
  note: "OpenAI's older Chat Completions API; `openai` supports more features.",
});
