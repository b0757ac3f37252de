import type { Preset } from "../preset.ts";
import { azure } from "./azure.ts";
import { huggingface } from "./huggingface.ts";
import { llamacpp } from "./llamacpp.ts";
import { lmstudio } from "./lmstudio.ts";
import { offline } from "./offline.ts";
import { ollama } from "./ollama.ts";
import { openResponses } from "./open-responses.ts";
import { openai } from "./openai.ts";
import { openrouter } from "./openrouter.ts";
import { vllm } from "./vllm.ts";
import { xai } from "./xai.ts";

/** Every built-in provider. */
export const presets: readonly Preset[] = [
  openai,
  openResponses,
  azure,
  xai,
  openrouter,
  huggingface,
  lmstudio,
  ollama,
  vllm,
  llamacpp,
  offline,
];

/** The preset of a name or, failing that, of an alias. */
export const findPreset = (name: string, among: readonly Preset[] = presets): Preset | undefined =>
  among.find((preset) => preset.name === name) ?? among.find((preset) => preset.aliases?.includes(name));
