import { openaiDialect, type ChatDialect } from "../../../src/codecs/chat/index.ts";

/** How the vendors in the recordings differ, by the name that the recordings have for them. */
export const vendors: Readonly<Record<string, Partial<ChatDialect>>> = {
  "openai-chat": openaiDialect,
  azure: { ...openaiDialect, vendor: "azure" },
  cerebras: { vendor: "cerebras", passes: ["clear_thinking"] },
  copilot: { vendor: "copilot", mergeChoices: true },
  deepseek: {
    vendor: "deepseek",
    thinking: ["thinking", "reasoning_effort"],
    formats: ["json_object"],
    replay: { as: "reasoning_content", on: "calls", needed: true },
    media: [],
  },
  gpustack: { vendor: "gpustack", thinking: ["enable_thinking"], replay: { as: "reasoning", on: "calls" } },
  groq: { vendor: "groq", replay: { as: "reasoning", on: "calls" }, passes: ["reasoning_format"] },
  huggingface: { vendor: "huggingface", thinkTags: true },
  llamacpp: {
    vendor: "llamacpp",
    thinkTags: true,
    media: ["image", "audio", "file", "video"],
    toolMedia: ["image"],
    replay: { as: "reasoning_content", on: "calls" },
  },
  mistral: {
    vendor: "mistral",
    callIds: { pattern: /^[a-zA-Z0-9]{9}$/, length: 9 },
    requiredChoice: "any",
    renames: { seed: "random_seed" },
    usageOption: false,
    audioForm: "bare",
    fileUrls: "document_url",
    replay: { as: "thinking", on: "all" },
    passes: ["safe_prompt"],
  },
  moonshot: { vendor: "moonshot", thinking: ["thinking"], replay: { as: "reasoning_content", on: "all", needed: true } },
  ollama: { vendor: "ollama", developerRole: true, toolMedia: ["image"], replay: { as: "reasoning", on: "calls" } },
  openrouter: {
    vendor: "openrouter",
    developerRole: true,
    refusals: true,
    webSearch: true,
    media: ["image", "audio", "file", "video"],
    fileUrls: "file_data",
    thinking: ["reasoning"],
    replay: { as: "reasoning_details", on: "all" },
    passes: ["logit_bias", "provider", "models", "transforms", "usage", "top_k", "plugins"],
  },
  perplexity: { vendor: "perplexity", thinkTags: true, webSearch: true },
  venice: { vendor: "venice", passes: ["venice_parameters"] },
  xai: { vendor: "xai", developerRole: true },
  zai: { vendor: "zai", thinking: ["thinking"], replay: { as: "reasoning_content", on: "calls" } },
};

/** The dialect of a recording's provider; a vendor that is not listed does nothing of its own. */
export const dialectOf = (provider: string): Partial<ChatDialect> => vendors[provider.replace("chat-compatible-", "")] ?? {};
