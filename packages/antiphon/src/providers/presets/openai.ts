import type { Preset } from "../preset.ts";

export const openai = (): Preset => ({
  name: "openai",
  aliases: ["openai-responses"],
  wire: "responses",
  hosts: "own",
  baseUrl: "https://api.openai.com/v1",
  env: ["OPENAI_API_KEY"],
  variables: {
    organization: { env: ["OPENAI_ORG_ID"], header: "OpenAI-Organization" },
    project: { env: ["OPENAI_PROJECT_ID"], header: "OpenAI-Project" },
  },
  models: { chat: "gpt-5.2", embeddings: "text-embedding-3-small", media: "gpt-5.2" },
  stores: true,
  features: ["background", "compact", "embeddings", "files", "images", "mcp", "schema", "search", "tool_choice", "websocket"],
  note: "OpenAI's API.",
});
