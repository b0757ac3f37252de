import {
  AntiphonError,
  checkModelName,
  findPreset,
  parseModelString,
  presets as builtIn,
  type Preset,
  type Price,
  type Timeouts,
} from "antiphon";
import type { Discovery, ModelChoice, ModelsConfig, ModelSettings, ProviderSettings } from "./models-config.ts";
import { fill, isPattern, Names, type NamedModel } from "./names.ts";
import { presetOf } from "./providers-config.ts";
import { requestFields } from "./request-fields.ts";
import * as shapes from "./shapes.ts";
import { suggestion, written, type ConfigProblem, type Path, type Reader } from "./shapes.ts";

/** A configuration without its short forms. */
export interface ReadConfig {
  discover: readonly Discovery[];
  defaultModel: string | undefined;
  timeouts: Timeouts | undefined;
  providers: Readonly<Record<string, ProviderSettings>>;
  /** Presets of the configured providers. */
  presets: readonly Preset[];
  models: readonly NamedModel[];
}

const { text, amount, flag, list, share, count, oneOf, table, tableOf } = shapes;

const price = table<Price>({ input: amount, output: amount, cached: amount, cacheWrite: amount }, ["input", "output"]);
const timeouts = table<Timeouts>({ connect: amount, firstEvent: amount, idle: amount, total: amount });

const providerSettings = table<ProviderSettings>({
  preset: text,
  wire: oneOf(["responses", "chat", "messages", "gemini"]),
  baseUrl: text,
  apiKey: text,
  headers: tableOf(text),
  query: tableOf(text),
  variables: tableOf(text),
  model: text,
  embeddingModel: text,
  relay: flag,
});

const modelChoice = table<ModelChoice>({ model: text, weight: share, price }, ["model"]);

/** One choice, or several. */
const use: Reader<ModelChoice[]> = (value, path, problems) => {
  if (typeof value === "string") return [{ model: value }];
  const choice: Reader<ModelChoice> = (member, here, found) =>
    typeof member === "string" ? { model: member } : modelChoice(member, here, found);
  const choices = list(choice)(value, path, problems);
  if (choices?.length === 0) problems.push({ path, message: `${written(path)} must name at least one model` });
  return choices;
};

type ReadModel = Omit<ModelSettings, "use"> & { use?: ModelChoice[] };
const modelSettings = table<ReadModel>({ use, params: requestFields, overrides: requestFields, timeouts, retries: count, price });

const model: Reader<ReadModel> = (value, path, problems) =>
  typeof value === "string" || Array.isArray(value) ? { use: use(value, path, problems) } : modelSettings(value, path, problems);

const sources: readonly Discovery[] = ["environment", "local"];

const discover: Reader<readonly Discovery[]> = (value, path, problems) =>
  typeof value === "boolean" ? (value ? sources : []) : list(oneOf(sources))(value, path, problems);

/**
 * Returns the problems of a models configuration as sentences. Keys of the gateway's table that are not about models
 * are not looked at.
 */
export const modelsProblems = (config: unknown, presets: readonly Preset[] = builtIn()): ConfigProblem[] =>
  read(config, presets).problems;

/** A configuration that was checked; throws `BAD_REQUEST` with all that is wrong with it. */
export function readConfig(config: unknown, presets: readonly Preset[]): ReadConfig {
  const { made, problems } = read(config, presets);
  const [first] = problems;
  if (!first) return made;
  throw new AntiphonError("BAD_REQUEST", `${problems.map(({ message }) => message).join(".\n")}.`, {
    param: written(first.path),
  });
}

function read(config: unknown, known: readonly Preset[]): { made: ReadConfig; problems: ConfigProblem[] } {
  const problems: ConfigProblem[] = [];
  const given = shapes.anyTable(config, [], problems) ?? {};
  const part = <T>(name: keyof ModelsConfig, reader: Reader<T>): T | undefined => {
    const key = name === "defaultModel" && !("defaultModel" in given) ? "default_model" : name;
    return given[key] === undefined ? undefined : reader(given[key], [key], problems);
  };
  const providers = part("providers", tableOf(providerSettings)) ?? {};
  const models = Object.entries(part("models", tableOf(model)) ?? {}).map(([name, { use: choices, ...rest }]): NamedModel => ({
    name,
    choices: choices ?? [{ model: name }],
    ...rest,
  }));
  const made: ReadConfig = {
    discover: part("discover", discover) ?? (models.length > 0 ? [] : sources),
    defaultModel: part("defaultModel", text),
    timeouts: part("timeouts", timeouts),
    providers,
    presets: Object.entries(providers).flatMap(([name, settings]) => presetOf(name, settings, known) ?? []),
    models,
  };
  // What was not read right would only be told of twice.
  if (problems.length > 0) return { made, problems };
  const wrong = Object.entries(providers).flatMap(([name, one]) => providerProblems(name, one, known));
  return { made, problems: [...wrong, ...modelProblems(made, [...made.presets, ...known])] };
}

function providerProblems(name: string, settings: ProviderSettings, known: readonly Preset[]): ConfigProblem[] {
  const path = ["providers", name];
  const tell = (at: Path, what: string): ConfigProblem[] => [{ path: at, message: `${written(at)} ${what}` }];
  const { preset, wire, baseUrl } = settings;
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(name))
    return tell(path, "is not a valid provider name: use lowercase letters, digits, dots, underscores and dashes");
  if (wire && preset !== undefined) return tell([...path, "wire"], "cannot be combined with a preset, which already defines it");
  if (wire && !baseUrl) return tell([...path, "baseUrl"], "is required for a custom provider");
  if (wire || findPreset(preset ?? name, known)) return [];
  const meant = suggestion(
    preset ?? name,
    known.map((one) => one.name),
  );
  if (preset !== undefined) return tell([...path, "preset"], `is not a known provider${meant}`);
  return tell(path, `is not a known provider: set a preset, or a wire and a base URL${meant}`);
}

function modelProblems({ models, defaultModel, discover }: ReadConfig, known: readonly Preset[]): ConfigProblem[] {
  const names = new Names(models);
  const problems = models.flatMap((named) => {
    const path = ["models", named.name];
    if (!named.name.trim() || named.name.split("*").length > 2)
      return [{ path, message: `${written(path)} is not a valid model name: use at most one *` }];
    const circle = leadsTo(named, named.name, names) ? [{ path, message: `${written(path)} refers to itself` }] : [];
    return [...named.choices.flatMap(({ model }) => targetProblem(model, named, names, known)), ...circle];
  });
  if (defaultModel === undefined || names.find(defaultModel)) return problems;
  // A server on this machine may have a model of any name, unless it is clearly a misspelt model of a provider.
  if (discover.includes("local") && !isMisspelt(defaultModel, known)) return problems;
  return [...problems, ...unknownModel(defaultModel, ["defaultModel"], names, known)];
}

function isMisspelt(model: string, known: readonly Preset[]): boolean {
  try {
    checkModelName(model, undefined, known);
    return false;
  } catch {
    return true;
  }
}

function targetProblem(model: string, { name }: NamedModel, names: Names, known: readonly Preset[]): ConfigProblem[] {
  const path = ["models", name, "use"];
  if (names.exact.has(model) && model !== name) return [];
  if (isPattern(model) && (!isPattern(name) || model.split("*").length > 2))
    return [{ path, message: `${written(path)} contains a *, which requires a * in the model's own name` }];
  // Which provider it is may be for the name to say.
  const isOpen = /^[^:/?]*\*/.test(model);
  return isOpen ? [] : unknownModel(fill(model, "x"), path, names, known);
}

function unknownModel(model: string, path: Path, names: Names, known: readonly Preset[]): ConfigProblem[] {
  const [, head = "", rest = ""] = /^([^:/?]*)([^]*)$/.exec(model) ?? [];
  const tell = (what: string): ConfigProblem[] => [{ path, message: `${written(path)} is "${model.slice(0, 100)}", ${what}` }];
  try {
    const { provider, chat, embeddings } = parseModelString(model, known);
    const defaults = findPreset(provider, known)?.models;
    const isNamed = chat || embeddings || defaults?.chat || defaults?.embeddings;
    return isNamed ? [] : tell(`which has no default model: use ${provider}:MODEL`);
  } catch (error) {
    if (findPreset(head.toLowerCase(), known)) return tell(`which is not valid. ${messageOf(error)}`);
    const words = [...names.exact.keys(), ...known.map((preset) => preset.name + rest)];
    return tell(`which is not a known model${suggestion(model, words)}`);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message.replace(/\.$/, "") : String(error));

/** Whether following the names of a model comes to a name. */
function leadsTo(named: NamedModel, goal: string, names: Names, seen = new Set<string>()): boolean {
  if (seen.has(named.name)) return false;
  seen.add(named.name);
  return named.choices.some(({ model }) => {
    // Its own name is the provider's, not this one's.
    const next = model === named.name ? undefined : names.exact.get(model);
    return next !== undefined && (next.name === goal || leadsTo(next, goal, names, seen));
  });
}
