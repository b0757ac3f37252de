import { openaiDialect, type ChatDialect } from "../../../src/codecs/chat/index.ts";
import { presets } from "../../../src/providers/presets/index.ts";

/** Vendors in the recordings that no preset stands for. */
const others: Readonly<Record<string, Partial<ChatDialect>>> = {
  copilot: { vendor: "copilot", mergeChoices: true },
  gpustack: { vendor: "gpustack", thinking: ["enable_thinking"], replay: { as: "reasoning", on: "calls" } },
};

/** Every dialect that there is a name for. */
export const vendors: Readonly<Record<string, Partial<ChatDialect>>> = {
  ...Object.fromEntries(presets().flatMap((preset) => (preset.wire === "chat" ? [[preset.name, preset.dialect ?? {}]] : []))),
  ...others,
};

/** The dialect of a recording's provider; a vendor that is not listed does nothing of its own. */
export function dialectOf(provider: string): Partial<ChatDialect> {
  if (provider === "openai-chat") return openaiDialect;
  const name = provider.replace("chat-compatible-", "").replace(/^vercel-gateway$/, "vercel");
  return vendors[`${name}-chat`] ?? vendors[name] ?? {};
}
