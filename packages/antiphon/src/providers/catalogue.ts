import { AntiphonError } from "../core/error.ts";
import { once } from "../core/once.ts";
import { butNot } from "../core/options.ts";
import type { ModelFacts, ModelInfo, ModelKind } from "./model-info.ts";
import { kindWords, knownModels, modelFamilies } from "./known-models.ts";
import { findPreset } from "./presets/index.ts";

/** What clouds put before a name: `openai.gpt-5.4`, `us.anthropic.claude-sonnet-4-5-20250929-v1:0`. */
const maker = /^(?:(?:us|eu|apac|global)\.)?(?:anthropic|deepseek|google|mistral|moonshotai|openai|qwen|xai|zai)[.:]/;

/** The name of a model without what surrounds it in `openai/gpt-5.2`, `ft:gpt-4o:acme` or `claude-haiku-4-5@20251001`. */
const bareName = (id: string): string => {
  if (typeof id !== "string")
    throw new AntiphonError("BAD_REQUEST", `The model name must be a string${butNot(id)}.`, { param: "model" });
  const last = id.toLowerCase().split("/").at(-1) ?? "";
  const name = last.replace(/^ft:/, "").replace(maker, "").split(/[:@]/)[0] ?? "";
  // Routers write versions with a dot where the maker has a dash, and Bedrock adds one of its own.
  return name.startsWith("claude-") ? name.replaceAll(".", "-").replace(/-v\d$/, "") : name;
};

const undated = (name: string): string => name.replace(/-(\d{4}-\d{2}-\d{2}|\d{8}|\d{4})$/, "");

const byId = once(() => new Map(knownModels().map((model) => [model.id, model])));

/** The facts of a name's line in the table, or else of its family. */
function lookUp(id: string): ({ provider: string; kind: ModelKind } & ModelFacts) | undefined {
  const name = bareName(id);
  const known = byId().get(name) ?? byId().get(undated(name));
  if (known) return known;
  const family = modelFamilies().find(({ begins }) => begins.test(name));
  if (!family) return undefined;
  const { begins: _, ...facts } = family;
  return facts;
}

/** Returns the known facts about a model by its id, with or without a provider or a date. */
export function modelInfo(id: string): ModelInfo | undefined {
  const facts = lookUp(id);
  return facts && { ...facts, id };
}

/** Returns what a model is for, judging by its name. Most are for chat. */
export function modelKind(id: string): ModelKind {
  const { kind } = lookUp(id) ?? {};
  const word = kindWords.find(([pattern]) => pattern.test(id.toLowerCase()));
  return kind ?? word?.[1] ?? "chat";
}

/** Returns the known models of a provider, by its name or an alias. */
export function modelsByProvider(name: string): ModelInfo[] {
  const canonical = findPreset(name)?.name;
  return knownModels()
    .filter((model) => model.provider === canonical)
    .map((model) => ({ ...model }));
}

/** Checks whether a model belongs to the GPT-5 family. */
export const isGpt5Model = (id: string): boolean => bareName(id).startsWith("gpt-5");

/** Checks whether a model accepts `reasoning`: the GPT-5 family and the o-series. */
export const isReasoningModel = (id: string): boolean => isGpt5Model(id) || /^o[134](?![a-z0-9])/.test(bareName(id));

/** Checks whether a model accepts `text.verbosity`: the GPT-5 family. */
export const supportsVerbosity = (id: string): boolean => isGpt5Model(id);
