import { once } from "../../core/once.ts";
import type { Preset } from "../preset.ts";
import { alibaba } from "./alibaba.ts";
import { anthropic } from "./anthropic.ts";
import { azure } from "./azure.ts";
import { azureAnthropic } from "./azure-anthropic.ts";
import { azureChat } from "./azure-chat.ts";
import { cerebras } from "./cerebras.ts";
import { chat } from "./chat.ts";
import { cloudflare } from "./cloudflare.ts";
import { databricks } from "./databricks.ts";
import { deepseek } from "./deepseek.ts";
import { deepseekResponses } from "./deepseek-responses.ts";
import { fireworks } from "./fireworks.ts";
import { gemini } from "./gemini.ts";
import { github } from "./github.ts";
import { groq } from "./groq.ts";
import { huggingface } from "./huggingface.ts";
import { huggingfaceChat } from "./huggingface-chat.ts";
import { llamacpp } from "./llamacpp.ts";
import { llamacppChat } from "./llamacpp-chat.ts";
import { lmstudio } from "./lmstudio.ts";
import { lmstudioChat } from "./lmstudio-chat.ts";
import { mistral } from "./mistral.ts";
import { moonshot } from "./moonshot.ts";
import { nvidia } from "./nvidia.ts";
import { offline } from "./offline.ts";
import { ollama } from "./ollama.ts";
import { ollamaChat } from "./ollama-chat.ts";
import { openResponses } from "./open-responses.ts";
import { openai } from "./openai.ts";
import { openaiChat } from "./openai-chat.ts";
import { openrouter } from "./openrouter.ts";
import { openrouterChat } from "./openrouter-chat.ts";
import { perplexity } from "./perplexity.ts";
import { together } from "./together.ts";
import { venice } from "./venice.ts";
import { vercel } from "./vercel.ts";
import { vertex } from "./vertex.ts";
import { vertexAnthropic } from "./vertex-anthropic.ts";
import { vllm } from "./vllm.ts";
import { vllmChat } from "./vllm-chat.ts";
import { xai } from "./xai.ts";
import { xaiChat } from "./xai-chat.ts";
import { zai } from "./zai.ts";

/** A vendor's plain name speaks the wire that says most; the other one is in the name of its twin. */
const builtIn: readonly (() => Preset)[] = [
  openai,
  openaiChat,
  openResponses,
  chat,
  anthropic,
  gemini,
  azure,
  azureChat,
  azureAnthropic,
  vertex,
  vertexAnthropic,
  xai,
  xaiChat,
  deepseek,
  deepseekResponses,
  mistral,
  moonshot,
  zai,
  alibaba,
  perplexity,
  groq,
  cerebras,
  together,
  fireworks,
  nvidia,
  openrouter,
  openrouterChat,
  huggingface,
  huggingfaceChat,
  github,
  vercel,
  venice,
  cloudflare,
  databricks,
  lmstudio,
  lmstudioChat,
  ollama,
  ollamaChat,
  vllm,
  vllmChat,
  llamacpp,
  llamacppChat,
  offline,
];

/** Returns every built-in provider as data. */
export const presets = once((): readonly Preset[] => builtIn.map((make) => make()));

/** Returns the preset with a name or alias. */
export const findPreset = (name: string, among: readonly Preset[] = presets()): Preset | undefined =>
  among.find((preset) => preset.name === name) ?? among.find((preset) => preset.aliases?.includes(name));
