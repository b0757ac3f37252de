import { ConfigError, UsageError } from "../options.ts";
import { fromText, problemsOf, written, type Path } from "./check.ts";
import { placesOf, readLayer, type FileLayer } from "./files.ts";
import { layerOf, merged, nested, type Layer } from "./layers.ts";
import { scalars, schema, variableOf, type Values } from "./schema.ts";
import type { Untrusted } from "./trust.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What there is to go by. */
export interface Surroundings {
  env?: Environment;
  cwd?: string;
  /** A file that is named on the command line. */
  file?: string;
  flags?: Layer;
}

/** The configuration, and where it comes from. */
export interface Settings {
  values: Values;
  /** Rising: the last one has the last word. */
  layers: readonly Layer[];
  /** Values that name variables which are not set; missed only where they are needed. */
  unset: readonly MissingValue[];
  /** What the project's file says and is not trusted to say; it counts for nothing. */
  untrusted?: Untrusted;
}

/** As if nobody had said anything. */
export const noSettings: Settings = { values: {}, layers: [], unset: [] };

/** A value that cannot be had. */
export interface MissingValue {
  path: Path;
  variable: string;
  where: string;
}

/** Reads the files, the variables and the flags; throws what is wrong with them, all at once. */
export async function loadSettings({
  env = process.env,
  cwd = process.cwd(),
  file,
  flags,
}: Surroundings = {}): Promise<Settings> {
  const read = await Promise.all(placesOf(env, cwd, file).map((place) => readLayer(place, env)));
  const found = read.filter((layer): layer is FileLayer => layer !== undefined);
  const others: Layer[] = [environmentLayer(env), ...(flags ? [flags] : [])];
  // Mistakes are told before trust is asked for, all in one go.
  [...found, ...others].forEach(check);
  const files = await Promise.all(found.map(trustedPart));
  const layers: Layer[] = [...files, ...others];
  const unset = files.flatMap((layer) =>
    layer.unset
      .filter(({ path }) => layers.indexOf(layerOf(layers, path) ?? layer) <= layers.indexOf(layer))
      .map(({ path, variable }) => ({ path, variable, where: layer.where(path) })),
  );
  // Every layer fits the schema, and so does what they make together.
  const values = merged(layers) as Values;
  const untrusted = files.find((layer) => layer.untrusted)?.untrusted;
  const settings: Settings = { values, layers, unset, ...(untrusted && { untrusted }) };
  for (const { path } of unset) if (path.length === 1) needs(settings, path);
  return settings;
}

/** A file's layer, less what it is not trusted to say. */
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
  const message = problems.map(({ path, message: what }) => `${layer.where(path)}: ${what}`).join("\n");
  throw layer.kind === "flags" ? new UsageError(message) : new ConfigError(message);
}

/** Where a value comes from; nothing where nobody said it. */
export const sourceOf = ({ layers }: Settings, path: Path): string | undefined => layerOf(layers, path)?.where(path);

/** Throws where something at or below a path names a variable that is not set. */
export function needs({ unset }: Pick<Settings, "unset">, path: Path): void {
  const missing = unset.filter((one) => path.every((name, index) => one.path[index] === name));
  if (missing.length === 0) return;
  throw new ConfigError(
    missing.map((one) => `${one.where}: ${written(one.path)} names \${${one.variable}}, which is not set`).join("\n"),
  );
}

/** A complaint about a value, at the place where it stands, or where what it is missing in stands. */
export function complaint({ layers }: Settings, path: Path, message: string): Error {
  const depth = path.map((_, index) => path.length - index).find((length) => layerOf(layers, path.slice(0, length)));
  const layer = depth === undefined ? undefined : layerOf(layers, path.slice(0, depth));
  const text = layer ? `${layer.where(path)}: ${message}` : message;
  return layer?.kind === "flags" ? new UsageError(text) : new ConfigError(text);
}
