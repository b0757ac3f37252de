import { isObject, own } from "../model/guards.ts";
import { AntiphonError } from "../core/error.ts";
import { modelInfo } from "./catalogue.ts";
import { nearest } from "../core/nearest.ts";
import { checkArgument, butNot } from "../core/options.ts";
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
 * Parses `provider`, `provider:model`, `provider/model` or `provider?chat=…&embeddings=…&media=…`. A bare model name
 * that is known, such as `gpt-5.2`, stands for its provider's model of that name.
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
  if (chat && named.chat) throw bad(text, "it contains the chat model twice");
  return { provider, ...(chat ? { chat } : {}), ...named };
}

/** Formats a model string in its shortest form. Parsing the result returns the same model. */
export function formatModelString(model: ModelString): string {
  checkArgument("formatModelString", "the parts of a model string", isObject(model) && typeof model.provider === "string", model);
  const { provider, chat, embeddings, media } = model;
  if (!providerName.test(provider))
    throw bad(provider, "a provider name contains only lowercase letters, digits, dots and dashes");
  if (!embeddings && !media) return chat ? `${provider}:${encode(chat)}` : provider;
  const named = kinds.flatMap((kind) => (model[kind] ? [`${kind}=${encode(model[kind])}`] : []));
  return `${provider}?${named.join("&")}`;
}

function bareModel(text: string, provider: string, known: readonly Preset[]): ModelString {
  const info = /[/?]/.test(text) ? undefined : modelInfo(text);
  if (info && findPreset(info.provider, known)) return { provider: info.provider, chat: text };
  throw provider ? unknownProvider(provider, known) : bad(text, text ? "it contains no provider" : "it is empty");
}

/** Returns the error for a provider that does not exist. */
export function unknownProvider(provider: string, known: readonly Preset[]): AntiphonError {
  const meant = nearest(provider, namesOf(known));
  const hint = meant ? `Did you mean "${meant}"?` : `The providers are ${known.map((preset) => preset.name).join(", ")}.`;
  return unusable(`Unknown provider "${provider}". ${hint}`);
}

const namesOf = (known: readonly Preset[]): string[] => known.flatMap(({ name, aliases = [] }) => [name, ...aliases]);

/** A publisher in `org/model` names whose name is close to a provider's. The others that are close are aliases of providers. */
const publishers: ReadonlySet<string> = new Set(["z-ai"]);

/** Two edits, fewer for short names: two letters can turn `hf` into anything. */
const maxNameEdits = ({ length }: string): number => (length < 3 ? 0 : length < 5 ? 1 : 2);

/**
 * Throws `BAD_REQUEST` if a model name without a provider is not a model of `owner`. Either it starts with a misspelt
 * provider, or another vendor is known to have the model. Sending it would send the prompt to the wrong provider. To
 * send such a name nevertheless, write the provider in front of it: `openai:claude-sonnet-5`.
 *
 * @param owner The provider that the model would be requested from. Undefined accepts any name that is not clearly misspelt.
 *
 * @example
 * checkModelName("gpt-5.2", preset); // fine
 * checkModelName("opnai:gpt-5.2", preset); // Unknown provider opnai. Did you mean openai?
 */
export function checkModelName(name: string, owner: Preset | undefined, known: readonly Preset[] = presets()): void {
  checkArgument("checkModelName", "the name of a model", typeof name === "string", name);
  const [, start = "", separator = "", rest = ""] = /^([^:/]*)([:/]?)([^]*)$/.exec(name.trim()) ?? [];
  const head = start.toLowerCase();
  const explicit = owner ? ` To use a model with this name at ${owner.name}, write "${owner.name}:${name}".` : "";
  const named = separator ? findPreset(head, known) : undefined;
  const meant = separator && !named ? nearest(head, namesOf(known), maxNameEdits) : undefined;
  if (meant && isMisspelt({ head, separator, rest }, owner, findPreset(meant, known)))
    throw unusable(`Unknown provider "${head}". Did you mean "${meant}"?${explicit}`);
  if (owner?.hosts === undefined || (owner.hosts === "catalogue" && separator !== ":")) return;
  const vendor = owner.wire === "local" ? owner.name : (owner.twin ?? owner.name);
  const other = named?.name ?? (owner.hosts === "own" ? modelInfo(name)?.provider : undefined);
  if (other === undefined || other === owner.name || other === vendor || !findPreset(other, known)) return;
  throw unusable(
    named
      ? `The model "${name}" names the provider ${other}, but the provider is ${owner.name}.${explicit}`
      : `"${name}" is a model of ${other}, not of ${owner.name}. Write "${other}:${name.slice(name.lastIndexOf("/") + 1)}".${explicit}`,
  );
}

interface NameParts {
  head: string;
  separator: string;
  rest: string;
}

/** Whether a name that begins like the provider `meant` is that one misspelt, and not a name that the owner may have. */
function isMisspelt({ head, separator, rest }: NameParts, owner: Preset | undefined, meant: Preset | undefined): boolean {
  if (owner?.hosts === "own") return true;
  if (separator === "/" && publishers.has(head)) return false;
  if (owner?.hosts === "catalogue") return true;
  // On such a server `mixtral:8x7b` is a model with its tag. What follows a misspelt provider is a known model of that provider.
  const vendor = modelInfo(rest)?.provider;
  return vendor !== undefined && meant !== undefined && vendor === meant.name;
}

const unusable = (message: string): AntiphonError => new AntiphonError("BAD_REQUEST", message, { param: "model" });

function readQuery(query: string, text: string): ModelNames {
  const models: ModelNames = {};
  const given = new Set<string>();
  for (const pair of query.split("&").filter(Boolean)) {
    const [key = "", ...value] = pair.split("=");
    const kind = kinds.find((name) => name === key) ?? own(kindAliases, key);
    if (!kind) throw bad(text, `"${key}" is not one of ${kinds.join(", ")}`);
    if (given.has(kind)) throw bad(text, `it contains the ${kind} model twice`);
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
    throw bad(text, 'write "%" in a model name as "%25"');
  }
}

const bad = (text: string, why: string): AntiphonError =>
  new AntiphonError("BAD_REQUEST", `"${text}" is not a valid model string: ${why}.`, { param: "model" });

const notText = (value: unknown): AntiphonError =>
  new AntiphonError("BAD_REQUEST", `The model must be a string such as "openai:gpt-5.2"${butNot(value)}.`, {
    param: "model",
  });
