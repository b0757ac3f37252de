import { reading, seeing, text, watching, type KnownModel } from "./known-model.ts";

const chat = { kind: "chat", output: text, tools: true, verbosity: false } as const;
const grok = { ...chat, schema: true, provider: "xai", contextWindow: 1_000_000, maxOutput: 30_000, input: reading };
const deepseek = { ...chat, provider: "deepseek", contextWindow: 1_000_000, maxOutput: 384_000, input: text };
const mistral = { ...chat, schema: true, provider: "mistral" };
const kimi = { ...chat, schema: true, provider: "moonshot", contextWindow: 262_144, input: watching, reasoning: true };
const glm = { ...chat, provider: "zai", contextWindow: 204_800, maxOutput: 131_072, input: text, reasoning: true };
const qwen = { ...chat, provider: "alibaba", contextWindow: 1_000_000, maxOutput: 65_536 };
const sonar = { ...chat, tools: false, provider: "perplexity", contextWindow: 128_000 };
const open = { ...chat, provider: "any", input: text };

/** Those of makers with fewer models, and open ones. A window that hosts set for themselves, or that moves, is not told. */
export const otherModels = (): KnownModel[] => [
  { id: "grok-4.3", ...grok, reasoning: true },
  { id: "grok-4.20-0309-reasoning", ...grok, reasoning: true },
  { id: "grok-4.20-0309-non-reasoning", ...grok, reasoning: false },
  { id: "grok-build-0.1", ...grok, contextWindow: 256_000, maxOutput: 256_000, reasoning: true },
  { id: "deepseek-v4-pro", ...deepseek, name: "DeepSeek V4 Pro", reasoning: true },
  { id: "deepseek-v4-flash", ...deepseek, name: "DeepSeek V4 Flash", reasoning: true },
  { id: "deepseek-reasoner", ...deepseek, reasoning: true },
  { id: "deepseek-chat", ...deepseek, reasoning: false },
  { id: "mistral-large-latest", ...mistral, contextWindow: 262_144, input: seeing, reasoning: false },
  { id: "mistral-medium-latest", ...mistral, input: seeing },
  { id: "mistral-small-latest", ...mistral, input: seeing },
  { id: "magistral-medium-latest", ...mistral, reasoning: true },
  { id: "codestral-latest", ...mistral, contextWindow: 256_000, input: text, reasoning: false },
  { id: "mistral-embed", kind: "embeddings", provider: "mistral", contextWindow: 8_192, input: text, output: ["embedding"] },
  { id: "kimi-k2.7-code", ...kimi, name: "Kimi K2.7 Code" },
  { id: "kimi-k2.6", ...kimi, name: "Kimi K2.6" },
  { id: "kimi-k2.5", ...kimi, name: "Kimi K2.5" },
  { id: "kimi-k2-thinking", ...kimi, name: "Kimi K2 Thinking", input: text },
  { id: "glm-5.2", ...glm, name: "GLM-5.2", contextWindow: 1_000_000 },
  { id: "glm-5.1", ...glm, name: "GLM-5.1", contextWindow: 200_000 },
  { id: "glm-5", ...glm, name: "GLM-5" },
  { id: "glm-4.7", ...glm, name: "GLM-4.7" },
  { id: "glm-4.7-flash", ...glm, name: "GLM-4.7-Flash", contextWindow: 200_000 },
  { id: "glm-4.6", ...glm, name: "GLM-4.6" },
  { id: "glm-4.5", ...glm, name: "GLM-4.5", contextWindow: 131_072, maxOutput: 98_304 },
  { id: "qwen3.7-max", ...qwen, name: "Qwen3.7 Max", input: text, reasoning: true },
  { id: "qwen3.7-plus", ...qwen, name: "Qwen3.7 Plus", input: watching, reasoning: true },
  { id: "qwen3-max", ...qwen, name: "Qwen3 Max", contextWindow: 262_144, input: text, reasoning: false },
  { id: "qwen3-coder-plus", ...qwen, name: "Qwen3 Coder Plus", contextWindow: 1_048_576, input: text, reasoning: false },
  { id: "sonar", ...sonar, maxOutput: 4_096, reasoning: false },
  { id: "sonar-pro", ...sonar, contextWindow: 200_000, maxOutput: 8_192, input: seeing, reasoning: false },
  { id: "sonar-reasoning-pro", ...sonar, maxOutput: 4_096, input: seeing, reasoning: true },
  { id: "sonar-deep-research", ...sonar, maxOutput: 32_768, input: text, reasoning: true },
  { id: "gpt-oss-120b", ...open, name: "GPT OSS 120B", contextWindow: 131_072, schema: true, reasoning: true },
  { id: "gpt-oss-20b", ...open, name: "GPT OSS 20B", contextWindow: 131_072, schema: true, reasoning: true },
  { id: "offline", provider: "offline", kind: "chat", input: text, output: text, tools: true, schema: true },
];
