import { reading, text, type KnownModel } from "./known-model.ts";

const claude = { kind: "chat", provider: "anthropic", input: reading, output: text, tools: true, verbosity: false } as const;
const thinking = { ...claude, reasoning: true } as const;
const bound = { ...thinking, schema: true } as const;
const large = { ...bound, contextWindow: 1_000_000, maxOutput: 128_000 };
const small = { ...bound, contextWindow: 200_000, maxOutput: 64_000 };
const fourth = { ...thinking, contextWindow: 200_000 };
const third = { ...claude, contextWindow: 200_000, reasoning: false };

/** Anthropic's own. A window that is larger only where a beta asks for it is not told. */
export const anthropicModels = (): KnownModel[] => [
  { id: "claude-opus-5", ...large, name: "Claude Opus 5" },
  { id: "claude-sonnet-5", ...large, name: "Claude Sonnet 5" },
  { id: "claude-fable-5", ...large, name: "Claude Fable 5" },
  { id: "claude-opus-4-8", ...large, name: "Claude Opus 4.8" },
  { id: "claude-opus-4-7", ...large, name: "Claude Opus 4.7" },
  { id: "claude-opus-4-6", ...large, name: "Claude Opus 4.6" },
  { id: "claude-sonnet-4-6", ...large, name: "Claude Sonnet 4.6" },
  { id: "claude-opus-4-5", ...small, name: "Claude Opus 4.5" },
  { id: "claude-sonnet-4-5", ...small, name: "Claude Sonnet 4.5" },
  { id: "claude-haiku-4-5", ...small, name: "Claude Haiku 4.5" },
  { id: "claude-opus-4-1", ...small, name: "Claude Opus 4.1", maxOutput: 32_000 },
  { id: "claude-opus-4-0", ...fourth, name: "Claude Opus 4", maxOutput: 32_000 },
  { id: "claude-opus-4", ...fourth, name: "Claude Opus 4", maxOutput: 32_000 },
  { id: "claude-sonnet-4-0", ...fourth, name: "Claude Sonnet 4", maxOutput: 64_000 },
  { id: "claude-sonnet-4", ...fourth, name: "Claude Sonnet 4", maxOutput: 64_000 },
  { id: "claude-3-7-sonnet", ...fourth, name: "Claude Sonnet 3.7", maxOutput: 64_000 },
  { id: "claude-3-5-sonnet", ...third, name: "Claude Sonnet 3.5", maxOutput: 8_192 },
  { id: "claude-3-opus", ...third, name: "Claude Opus 3", maxOutput: 4_096 },
  { id: "claude-3-haiku", ...third, name: "Claude Haiku 3", maxOutput: 4_096 },
];
