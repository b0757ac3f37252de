import { once } from "../core/once.ts";
import type { ModelFacts, ModelKind } from "./model-info.ts";
import { anthropicModels } from "./known/anthropic.ts";
import { geminiModels } from "./known/gemini.ts";
import { reading, seeing, text, type KnownModel } from "./known/known-model.ts";
import { openaiModels } from "./known/openai.ts";
import { otherModels } from "./known/others.ts";

export type { KnownModel } from "./known/known-model.ts";

/** Models whose limits are known. */
export const knownModels = once((): readonly KnownModel[] => [
  ...openaiModels(),
  ...anthropicModels(),
  ...geminiModels(),
  ...otherModels(),
]);

/** How a family of models begins its names; the first that fits decides. */
interface ModelFamily extends ModelFacts {
  begins: RegExp;
  provider: string;
  kind: ModelKind;
}

const chat = { kind: "chat", output: text, verbosity: false } as const;

/** What the first letters of a name tell about a model that is not in the table. */
export const modelFamilies = once((): readonly ModelFamily[] => [
  { begins: /^(gpt-image|chatgpt-image|dall-e)/, provider: "openai", kind: "image" },
  {
    begins: /^(whisper|tts|gpt-audio|gpt-realtime|gpt-4o(-mini)?-(audio|realtime|transcribe|tts))/,
    provider: "openai",
    kind: "audio",
  },
  { begins: /^(text-embedding-3|text-embedding-ada)/, provider: "openai", kind: "embeddings" },
  { begins: /^(omni|text)-moderation/, provider: "openai", kind: "moderation" },
  { begins: /^(babbage-002|davinci-002|sora)/, provider: "openai", kind: "other" },
  { begins: /^gpt-5/, provider: "openai", kind: "chat", reasoning: true, verbosity: true },
  { begins: /^o[134](?![a-z0-9])/, provider: "openai", kind: "chat", reasoning: true, verbosity: false },
  { begins: /^(gpt-[3-9]|chatgpt-|codex-|computer-use-)/, provider: "openai", kind: "chat" },
  { begins: /^claude-/, ...chat, provider: "anthropic", input: reading, tools: true },
  { begins: /^(gemini-embedding|text-embedding-00)/, provider: "gemini", kind: "embeddings" },
  { begins: /^(imagen|gemini-.*-image|nano-banana)/, provider: "gemini", kind: "image" },
  { begins: /^gemini-.*-(tts|native-audio|live)/, provider: "gemini", kind: "audio" },
  { begins: /^veo-/, provider: "gemini", kind: "other" },
  { begins: /^gemini-2\.5/, ...chat, provider: "gemini", reasoning: true },
  { begins: /^gemini-/, ...chat, provider: "gemini" },
  { begins: /^deepseek-(?!ocr)/, ...chat, provider: "deepseek" },
  { begins: /^(mistral|codestral)-embed/, provider: "mistral", kind: "embeddings" },
  { begins: /^mistral-moderation/, provider: "mistral", kind: "moderation" },
  { begins: /^mistral-ocr/, provider: "mistral", kind: "other" },
  { begins: /^magistral-/, ...chat, provider: "mistral", reasoning: true },
  { begins: /^(mistral|ministral|codestral|devstral|pixtral)-/, ...chat, provider: "mistral" },
  { begins: /^kimi-/, ...chat, provider: "moonshot" },
  { begins: /^glm-/, ...chat, provider: "zai" },
  { begins: /^sonar(-|$)/, ...chat, provider: "perplexity", tools: false },
  { begins: /^gpt-oss(?!-safeguard)/, ...chat, provider: "any", input: text, reasoning: true, tools: true },
  { begins: /^llama-?4/, ...chat, provider: "any", input: seeing, reasoning: false, tools: true },
  { begins: /^llama-?3\.[13](?!.*(nemotron|guard))/, ...chat, provider: "any", input: text, reasoning: false, tools: true },
  { begins: /^grok-imagine/, provider: "xai", kind: "image" },
  { begins: /^grok-/, provider: "xai", kind: "chat" },
]);

/** What a word anywhere in a name tells about what the model is for; the first that fits decides. */
export const kindWords: readonly (readonly [RegExp, ModelKind])[] = [
  [/embed|(^|[-_/])(bge|gte|e5)[-_]/, "embeddings"],
  [/moderation|safeguard|llama-guard/, "moderation"],
  [/whisper|transcribe|realtime|(^|[-_/])(tts|audio)/, "audio"],
  [/dall-e|imagine|(^|[-_/])(image|flux)|stable-diffusion/, "image"],
  [/rerank|(^|[-_/])(ocr|sora|video)/, "other"],
];
