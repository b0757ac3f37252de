import { isObject, own } from "../model/guards.ts";
import { AntiphonError } from "../core/error.ts";
import { modelInfo } from "./catalogue.ts";
import { nearest } from "../core/nearest.ts";
import { checkArgument, kindOf } from "../core/options.ts";
import type { ModelNames, Preset } from "./preset.ts";
import { findPreset, presets } from "./presets/index.ts";

/** A provider and the models that were named with it; the provider's own defaults stand for the rest. */
export interface ModelString extends ModelNames {
  provider: string;
}

const kinds = ["chat", "embeddings", "media"] as const satisfies readonly (keyof ModelNames)[];
/** Old spellings of the kinds. */
const kindAliases: Readonly<Record<string, keyof ModelNames>> = { other: "media" };
const providerName = /^[a-z0-9][a-z0-9._-]*$/;

/**
 * Reads `provider`, `provider:model`, `provider/model` or `provider?chat=…&embeddings=…&media=…`.
 * A bare model name that is known, such as `gpt-5.2`, stands for its provider's model of that name.
 *
 * @example
 * parseModelString("openrouter/meta-llama/llama-3:free"); // { provider: "openrouter", chat: "meta-llama/llama-3:free" }
 */
export function parseModelString(text: string, known: readonly Preset[] = presets()): ModelString {
  if (typeof text !== "string") throw notText(text);
  const trimmed = text.trim();
  const [, head = "", separator = "", rest = ""] = /^([^:/?]*)([:/?]?)([^]*)$/.exec(trimmed) ?? [];
  const provider = head.toLowerCase();
  if (!findPreset(provider, known)) return bareModel(trimmed, provider, known);
  if (separator === "?") return { provider, ...readQuery(rest, text) };
  const [model = "", ...query] = rest.split("?");
  const named = readQuery(query.join("?"), text);
  const chat = decode(model, text);
  if (chat && named.chat) throw bad(text, "it names the chat model twice");
  return { provider, ...(chat ? { chat } : {}), ...named };
}

/** Writes a model string in its shortest form, such that parsing it gives the same again. */
export function formatModelString(model: ModelString): string {
  checkArgument("formatModelString", "the parts of a model string", isObject(model) && typeof model.provider === "string", model);
  const { provider, chat, embeddings, media } = model;
  if (!providerName.test(provider)) throw bad(provider, "a provider's name has small letters, digits, dots and dashes only");
  if (!embeddings && !media) return chat ? `${provider}:${encode(chat)}` : provider;
  const named = kinds.flatMap((kind) => (model[kind] ? [`${kind}=${encode(model[kind])}`] : []));
  return `${provider}?${named.join("&")}`;
}

function bareModel(text: string, provider: string, known: readonly Preset[]): ModelString {
  const info = /[/?]/.test(text) ? undefined : modelInfo(text);
  if (info && findPreset(info.provider, known)) return { provider: info.provider, chat: text };
  throw text ? unknownProvider(provider, known) : bad(text, "it is empty");
}

/** The error about a provider that is none of the known ones. */
export function unknownProvider(provider: string, known: readonly Preset[]): AntiphonError {
  const names = known.flatMap((preset) => [preset.name, ...(preset.aliases ?? [])]);
  const meant = nearest(provider, names);
  const hint = meant ? `Did you mean ${meant}? ` : "";
  const list = known.map((preset) => preset.name).join(", ");
  const message = `There is no provider “${provider}”. ${hint}The providers are ${list}.`;
  return new AntiphonError("BAD_REQUEST", message, { param: "model" });
}

function readQuery(query: string, text: string): ModelNames {
  const models: ModelNames = {};
  const given = new Set<string>();
  for (const pair of query.split("&").filter(Boolean)) {
    const [key = "", ...value] = pair.split("=");
    const kind = kinds.find((name) => name === key) ?? own(kindAliases, key);
    if (!kind) throw bad(text, `“${key}” is none of ${kinds.join(", ")}`);
    if (given.has(kind)) throw bad(text, `it names the ${kind} model twice`);
    given.add(kind);
    const model = decode(value.join("="), text);
    if (model) models[kind] = model;
  }
  return models;
}

// What separates the parts, and the white space that is trimmed off the ends.
const encode = (model: string): string => model.replaceAll(/[%?&\s]/g, encodeURIComponent);

function decode(part: string, text: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw bad(text, "a % in a model's name is written %25");
  }
}

const bad = (text: string, why: string): AntiphonError =>
  new AntiphonError("BAD_REQUEST", `“${text}” is not a model string: ${why}.`, { param: "model" });

const notText = (value: unknown): AntiphonError =>
  new AntiphonError("BAD_REQUEST", `A model string must be text, such as "openai:gpt-5.2", not ${kindOf(value)}.`, {
    param: "model",
  });
