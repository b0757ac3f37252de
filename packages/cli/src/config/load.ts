import { ConfigError, UsageError } from "../options.ts";
import { fromText, problemsOf, written, type Path, type Problem } from "./check.ts";
import { placesOf, readLayer, type FileLayer } from "./files.ts";
import { layerOf, merged, nested, type Layer } from "./layers.ts";
import { scalars, schema, variableOf, type Values } from "./schema.ts";
import type { Untrusted } from "./trust.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The inputs of the configuration. */
export interface Surroundings {
  env?: Environment;
  cwd?: string;
  /** The file named by `--config`. */
  file?: string;
  flags?: Layer;
}

/** The merged configuration and its sources. */
export interface Settings {
  values: Values;
  /** Lowest priority first. */
  layers: readonly Layer[];
  /** Values that refer to unset variables. They are errors only if they are needed. */
  unset: readonly MissingValue[];
  /** The ignored settings of an untrusted project file. */
  untrusted?: Untrusted;
}

/** An empty configuration. */
export const noSettings: Settings = { values: {}, layers: [], unset: [] };

/** A value that refers to an unset variable. */
export interface MissingValue {
  path: Path;
  variable: string;
  where: string;
}

/** Reads files, variables and options. Throws one error with all problems. */
export async function loadSettings({
  env = process.env,
  cwd = process.cwd(),
  file,
  flags,
}: Surroundings = {}): Promise<Settings> {
  const read = await Promise.all(placesOf(env, cwd, file).map((place) => readLayer(place, env)));
  const found = read.filter((layer): layer is FileLayer => layer !== undefined);
  const others: Layer[] = [environmentLayer(env), ...(flags ? [flags] : [])];
  // All problems are reported together, also those of untrusted files.
  [...found, ...others].forEach(check);
  const files = await Promise.all(found.map(trustedPart));
  const layers: Layer[] = [...files, ...others];
  const unset = files.flatMap((layer) =>
    layer.unset
      .filter(({ path }) => layers.indexOf(layerOf(layers, path) ?? layer) <= layers.indexOf(layer))
      .map(({ path, variable }) => ({ path, variable, where: layer.where(path) })),
  );
  // Every layer was checked against the schema, so the merged values match it.
  const values = merged(layers) as Values;
  const untrusted = files.find((layer) => layer.untrusted)?.untrusted;
  const settings: Settings = { values, layers, unset, ...(untrusted && { untrusted }) };
  for (const { path } of unset) if (path.length === 1) needs(settings, path);
  return settings;
}

/** A file's layer without its untrusted settings. */
async function trustedPart(layer: FileLayer): Promise<FileLayer> {
  const { values, unset, untrusted } = layer;
  if (!untrusted) return layer;
  const { without } = await import("./trust.ts");
  const isIgnored = (path: Path): boolean =>
    untrusted.ignored.some((ignored) => ignored.every((name, index) => name === path[index]));
  return { ...layer, values: without(values, untrusted.ignored), unset: unset.filter(({ path }) => !isIgnored(path)) };
}

function environmentLayer(env: Environment): Layer {
  const tables = [...scalars()].flatMap(({ path, key }) => {
    const text = env[variableOf(path)];
    return text ? [nested(path, fromText(text, key))] : [];
  });
  const values = merged(tables.map((table): Layer => ({ kind: "environment", values: table, where: variableOf })));
  return { kind: "environment", values, where: variableOf };
}

function check(layer: Layer): void {
  const problems = problemsOf(layer.values, schema);
  if (problems.length === 0) return;
  const message = problems.map((problem) => problemLine(layer, problem)).join("\n");
  throw layer.kind === "flags" ? new UsageError(message) : new ConfigError(message);
}

/** An option or a variable is itself the name of the key; in a file, the message names the key. */
const problemLine = (layer: Layer, { path, message, rule }: Problem): string =>
  layer.kind === "file" || rule === undefined ? `${layer.where(path)}: ${message}` : `${layer.where(path)} ${rule}`;

/** The source of a value, or `undefined` if it is not set. */
export const sourceOf = ({ layers }: Settings, path: Path): string | undefined => layerOf(layers, path)?.where(path);

/** Throws if a value at or below a path refers to a variable that is not set. */
export function needs({ unset }: Pick<Settings, "unset">, path: Path): void {
  const missing = unset.filter((one) => path.every((name, index) => one.path[index] === name));
  if (missing.length === 0) return;
  throw new ConfigError(
    missing.map((one) => `${one.where}: ${written(one.path)} uses \${${one.variable}}, which is not set`).join("\n"),
  );
}

/** Creates an error about a value, prefixed with its source: the file and line, variable or option that sets it. */
export function complaint({ layers }: Settings, path: Path, message: string): Error {
  const depth = path.map((_, index) => path.length - index).find((length) => layerOf(layers, path.slice(0, length)));
  const layer = depth === undefined ? undefined : layerOf(layers, path.slice(0, depth));
  const text = layer ? `${layer.where(path)}: ${message}` : message;
  return layer?.kind === "flags" ? new UsageError(text) : new ConfigError(text);
}
