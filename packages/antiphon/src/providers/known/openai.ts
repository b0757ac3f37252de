import { reading, seeing, text, type KnownModel } from "./known-model.ts";

const chat = { kind: "chat", output: text, tools: true, schema: true } as const;
const gpt5 = {
  ...chat,
  provider: "openai",
  contextWindow: 400_000,
  maxOutput: 128_000,
  input: seeing,
  reasoning: true,
  verbosity: true,
};
const gpt5Large = { ...gpt5, contextWindow: 1_050_000, input: reading };
// The models behind ChatGPT: a smaller window, and no say in how they think.
const gpt5Chat = { ...gpt5, contextWindow: 128_000, maxOutput: 16_384 };
const gpt4 = { ...chat, provider: "openai", reasoning: false, verbosity: false };
const gpt41 = { ...gpt4, contextWindow: 1_047_576, maxOutput: 32_768 };
const gpt4o = { ...gpt4, contextWindow: 128_000, maxOutput: 16_384, input: reading };
const oSeries = {
  ...chat,
  provider: "openai",
  contextWindow: 200_000,
  maxOutput: 100_000,
  input: seeing,
  reasoning: true,
  verbosity: false,
};
const embedding = { kind: "embeddings", provider: "openai", input: text, output: ["embedding"] } as const;
const image = { kind: "image", provider: "openai", input: seeing, output: ["image"] } as const;

/** OpenAI's own. Dated snapshots share the line of their model. */
export const openaiModels = (): KnownModel[] => [
  { id: "gpt-5.5", ...gpt5Large },
  { id: "gpt-5.5-pro", ...gpt5Large },
  { id: "gpt-5.4", ...gpt5Large },
  { id: "gpt-5.4-pro", ...gpt5Large, input: seeing, schema: undefined },
  { id: "gpt-5.4-mini", ...gpt5 },
  { id: "gpt-5.4-nano", ...gpt5 },
  { id: "gpt-5.3-codex", ...gpt5, input: reading },
  { id: "gpt-5.3-chat-latest", ...gpt5Chat },
  { id: "gpt-5.2", ...gpt5, name: "GPT-5.2", speed: "medium", cost: "high" },
  { id: "gpt-5.2-pro", ...gpt5, name: "GPT-5.2 Pro", schema: undefined, speed: "slow", cost: "high" },
  { id: "gpt-5.2-codex", ...gpt5, name: "GPT-5.2 Codex", input: reading, speed: "medium", cost: "high" },
  { id: "gpt-5.2-chat-latest", ...gpt5Chat },
  { id: "gpt-5.1", ...gpt5 },
  { id: "gpt-5.1-codex", ...gpt5 },
  { id: "gpt-5.1-codex-max", ...gpt5 },
  { id: "gpt-5.1-codex-mini", ...gpt5 },
  { id: "gpt-5.1-chat-latest", ...gpt5Chat },
  { id: "gpt-5", ...gpt5 },
  { id: "gpt-5-pro", ...gpt5, maxOutput: 272_000 },
  { id: "gpt-5-mini", ...gpt5, name: "GPT-5 Mini", speed: "fast", cost: "medium" },
  { id: "gpt-5-nano", ...gpt5, name: "GPT-5 Nano", speed: "fast", cost: "low" },
  { id: "gpt-5-codex", ...gpt5 },
  // It alone of its family does not think.
  { id: "gpt-5-chat-latest", provider: "openai", kind: "chat", input: seeing, output: text, reasoning: false },
  { id: "o4-mini", ...oSeries },
  { id: "o4-mini-deep-research", ...oSeries, schema: undefined },
  { id: "o3", ...oSeries, input: reading },
  { id: "o3-pro", ...oSeries },
  { id: "o3-mini", ...oSeries, input: text },
  { id: "o3-deep-research", ...oSeries, schema: undefined },
  { id: "o1", ...oSeries, input: reading },
  { id: "o1-pro", ...oSeries },
  { id: "gpt-4.1", ...gpt41, input: reading },
  { id: "gpt-4.1-mini", ...gpt41, input: reading },
  { id: "gpt-4.1-nano", ...gpt41, input: seeing },
  { id: "gpt-4o", ...gpt4o, name: "GPT-4o" },
  { id: "gpt-4o-mini", ...gpt4o, name: "GPT-4o Mini" },
  { id: "gpt-4o-2024-05-13", ...gpt4o, maxOutput: 4_096, input: seeing },
  { id: "gpt-4-turbo", ...gpt4, schema: false, contextWindow: 128_000, maxOutput: 4_096, input: seeing },
  { id: "gpt-4", ...gpt4, schema: false, contextWindow: 8_192, maxOutput: 8_192, input: text },
  { id: "gpt-3.5-turbo", ...gpt4, schema: false, contextWindow: 16_385, maxOutput: 4_096, input: text },
  { id: "text-embedding-3-small", ...embedding, contextWindow: 8_191 },
  { id: "text-embedding-3-large", ...embedding, contextWindow: 8_191 },
  { id: "text-embedding-ada-002", ...embedding, contextWindow: 8_192 },
  { id: "gpt-image-2", ...image },
  { id: "gpt-image-1.5", ...image },
  { id: "gpt-image-1", ...image },
];
