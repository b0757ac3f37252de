import { existsSync } from "node:fs";
import { commands } from "./commands.ts";
import { isTable, written, type Path } from "./config/check.ts";
import { placesOf } from "./config/files.ts";
import { settingsFor } from "./config/flags.ts";
import { sourceOf, type Settings } from "./config/load.ts";
import { shownValue } from "./config/mask.ts";
import { exitCodes } from "./exit-codes.ts";
import { columns, expectNoWords, readArguments } from "./options.ts";

/** A value and its source. */
interface Line {
  key: string;
  value: unknown;
  source: string;
}

/** Prints the configuration with its sources and returns the exit code. */
export async function configShow(args: string[]): Promise<number> {
  const { flags, words } = readArguments(commands["config show"], args);
  expectNoWords(words);
  const settings = await settingsFor(commands["config show"], { flags }, "quiet");
  const lines = [...linesOf(settings, settings.values, [])];
  const missing = settings.unset.map(({ path, variable, where }) => ({ key: written(path), unset: variable, source: where }));
  const ignored = ignoredLines(settings);
  if (flags.json) print(JSON.stringify([...lines, ...missing, ...ignored], null, 2));
  else {
    const rows = lines.map(({ key, value, source }) => [`${key} = ${JSON.stringify(value)}`, `# ${source}`] as const);
    const unset = missing.map(
      ({ key, unset: variable, source }) => [`# ${key}: \${${variable}} is not set`, `# ${source}`] as const,
    );
    const untrusted = ignored.map(
      ({ key, ignored: reason, source }) => [`# ${key} is ignored: ${reason}`, `# ${source}`] as const,
    );
    const shown = [...rows, ...unset, ...untrusted];
    for (const line of columns(shown)) print(line);
    if (shown.length === 0) process.stderr.write("Nothing is configured. `antiphon config init` creates a configuration file.\n");
  }
  return exitCodes.ok;
}

/** The ignored settings of an untrusted project file. */
function ignoredLines({ untrusted, layers }: Settings): { key: string; ignored: string; source: string }[] {
  if (!untrusted) return [];
  const { file, reason, ignored } = untrusted;
  const layer = layers.find((one) => "path" in one && one.path === file);
  return ignored.map((path) => ({
    key: written(path),
    ignored: `the file ${reason} (antiphon config trust)`,
    source: layer?.where(path) ?? file,
  }));
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

function* linesOf(settings: Settings, table: object, path: Path): Generator<Line> {
  for (const [name, value] of Object.entries(table)) {
    const here = [...path, name];
    if (isTable(value)) yield* linesOf(settings, value, here);
    else if (Array.isArray(value) && value.some((entry) => typeof entry === "object")) yield* listLines(settings, value, here);
    else yield { key: written(here), value: shownValue(value, here), source: sourceOf(settings, here) ?? "" };
  }
}

/** A list has one source, but its entries may contain keys to mask. */
function* listLines(settings: Settings, list: readonly unknown[], path: Path): Generator<Line> {
  const source = sourceOf(settings, path) ?? "";
  for (const [index, entry] of list.entries()) {
    const here = [...path, String(index)];
    const lines = isTable(entry)
      ? linesOf(settings, entry, here)
      : [{ key: written(here), value: shownValue(entry, path), source }];
    for (const line of lines) yield { ...line, source };
  }
}

/** Prints the paths of the configuration files and returns the exit code. */
export async function configPath(args: string[]): Promise<number> {
  const { flags, words } = readArguments(commands["config path"], args);
  expectNoWords(words);
  const places = placesOf(process.env, process.cwd(), flags.config).map((place) => ({
    ...place,
    exists: existsSync(place.path),
  }));
  if (flags.json) print(JSON.stringify(places, null, 2));
  else for (const { path, exists } of places) print(exists ? path : `${path}  (does not exist)`);
  return exitCodes.ok;
}
