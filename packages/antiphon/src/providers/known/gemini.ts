import type { Modality } from "../model-info.ts";
import { seeing, text, type KnownModel } from "./known-model.ts";

const all: readonly Modality[] = ["text", "image", "audio", "video", "file"];

const gemini = {
  ...({ kind: "chat", provider: "gemini", output: text, tools: true, schema: true, verbosity: false } as const),
  contextWindow: 1_048_576,
  maxOutput: 65_536,
  input: all,
  reasoning: true,
};
const second = { ...gemini, maxOutput: 8_192, reasoning: false };
const image = { kind: "image", provider: "gemini", input: seeing, output: ["text", "image"], tools: false } as const;
const speech = { kind: "audio", provider: "gemini", input: text, output: ["audio"], tools: false, reasoning: false } as const;
const embedding = { kind: "embeddings", provider: "gemini", input: text, output: ["embedding"] } as const;
const gemma = { ...gemini, contextWindow: 262_144, maxOutput: 32_768, input: seeing };

/** Google's own. */
export const geminiModels = (): KnownModel[] => [
  { id: "gemini-3.5-flash", ...gemini, name: "Gemini 3.5 Flash" },
  { id: "gemini-3.1-pro-preview", ...gemini, name: "Gemini 3.1 Pro Preview" },
  { id: "gemini-3.1-flash-lite", ...gemini, name: "Gemini 3.1 Flash Lite" },
  { id: "gemini-3-pro-preview", ...gemini, name: "Gemini 3 Pro Preview" },
  { id: "gemini-3-flash-preview", ...gemini, name: "Gemini 3 Flash Preview" },
  { id: "gemini-2.5-pro", ...gemini, name: "Gemini 2.5 Pro" },
  { id: "gemini-2.5-flash", ...gemini, name: "Gemini 2.5 Flash" },
  { id: "gemini-2.5-flash-lite", ...gemini, name: "Gemini 2.5 Flash-Lite" },
  { id: "gemini-flash-latest", ...gemini },
  { id: "gemini-flash-lite-latest", ...gemini },
  { id: "gemini-pro-latest", ...gemini },
  { id: "gemini-2.0-flash", ...second, name: "Gemini 2.0 Flash" },
  { id: "gemini-2.0-flash-lite", ...second, name: "Gemini 2.0 Flash-Lite" },
  { id: "gemini-3-pro-image-preview", ...image, contextWindow: 131_072, maxOutput: 32_768, reasoning: true },
  { id: "gemini-2.5-flash-image", ...image, contextWindow: 32_768, maxOutput: 32_768 },
  { id: "gemini-2.5-pro-preview-tts", ...speech },
  { id: "gemini-2.5-flash-preview-tts", ...speech },
  { id: "gemma-4-31b-it", ...gemma, name: "Gemma 4 31B" },
  { id: "gemma-4-26b-a4b-it", ...gemma, name: "Gemma 4 26B A4B" },
  { id: "gemini-embedding-001", ...embedding, contextWindow: 2_048 },
];
