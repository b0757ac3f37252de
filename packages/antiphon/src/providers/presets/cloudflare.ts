import { openaiOnly } from "../chat-fields.ts";
import type { Preset } from "../preset.ts";

export const cloudflare = (): Preset => ({
  name: "cloudflare",
  aliases: ["workers-ai"],
  wire: "chat",
  hosts: "catalogue",
  baseUrl: "https://api.cloudflare.com/client/v4/accounts/{account}/ai/v1",
  env: ["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_API_KEY"],
  variables: { account: { env: ["CLOUDFLARE_ACCOUNT_ID"] } },
  models: { chat: "@cf/meta/llama-3.3-70b-instruct-fp8-fast" },
  modelsPath: null,
  dialect: { vendor: "cloudflare", drops: openaiOnly, media: ["image"] },
  embeddings: { encoding: "float" },
  features: ["embeddings", "tool_choice"],
});
