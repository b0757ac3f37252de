import { UsageError, type Command, type Flags, type Parsed } from "../options.ts";
import { fromText, pathOf, type Path } from "./check.ts";
import { merged, nested, type Layer } from "./layers.ts";
import { loadSettings, type Settings } from "./load.ts";
import { isScalar, keyAt, type Key } from "./schema.ts";
import { misspeltVariables } from "./variables.ts";

/** Loads the configuration with a command's options. Prints warnings to stderr, unless `manner` is `quiet`. */
export async function settingsFor<F extends Flags>(
  command: Command<F>,
  { flags }: Pick<Parsed<F>, "flags">,
  manner: "warn" | "quiet" = "warn",
): Promise<Settings> {
  // Every `--config` is a string.
  const file: unknown = Reflect.get(flags, "config");
  const layer = await flagsLayer(command.flags, flags);
  const settings = await loadSettings({ flags: layer, ...(typeof file === "string" ? { file } : {}) });
  if (manner === "quiet") return settings;
  for (const { name, meant } of misspeltVariables(process.env))
    if (meant !== undefined) process.stderr.write(`antiphon: warning: ${name} has no effect; did you mean ${meant}?\n`);
  if (settings.untrusted) {
    const { warningOf } = await import("./trust.ts");
    process.stderr.write(`antiphon: warning: ${warningOf(settings.untrusted)}\n`);
  }
  return settings;
}

interface Assignment {
  path: Path;
  value: unknown;
  flag: string;
}

async function flagsLayer(flags: Flags, given: Readonly<Record<string, unknown>>): Promise<Layer> {
  const made = Object.entries(given).map(([name, value]) => assignmentsOf(name, flags[name]?.sets, value));
  const assignments = (await Promise.all(made)).flat();
  const flagOf = (path: Path): string =>
    assignments.findLast((one) => one.path.every((part, index) => part === path[index]))?.flag ?? "the command line";
  const values = merged(
    assignments.map(({ path, value }): Layer => ({ kind: "flags", values: nested(path, value), where: flagOf })),
  );
  return { kind: "flags", values, where: flagOf };
}

async function assignmentsOf(name: string, sets: string | undefined, value: unknown): Promise<Assignment[]> {
  if (name === "set" && Array.isArray(value)) return Promise.all(value.map((text) => assignment(String(text))));
  if (sets === undefined || value === undefined) return [];
  const path = pathOf(sets);
  return [{ path, value: fromPlain(String(value), keyAt(path)), flag: `--${name}` }];
}

/** `gateway.port=8080`. */
async function assignment(text: string): Promise<Assignment> {
  const [, key, value] = /^\s*((?:"[^"]*"|[^=\s"])+)\s*=\s?([^]*)$/.exec(text) ?? [];
  if (key === undefined || value === undefined) throw new UsageError(`--set must be key=value, not "${text}"`);
  const path = pathOf(key);
  return { path, value: await valueFrom(value, keyAt(path)), flag: `--set ${key}` };
}

/** Parses a value as TOML if it looks like TOML and its key allows it; otherwise as plain text. */
async function valueFrom(text: string, key: Key | undefined): Promise<unknown> {
  // Most values are words or numbers, which need no parser.
  const looksWritten = /^\s*["'[{]/.test(text);
  if (!looksWritten && key?.kind !== "open") return fromPlain(text, key);
  const value = await fromToml(text);
  const isMeant = value !== undefined && (key?.kind !== "string" || typeof value === "string");
  return isMeant ? value : fromPlain(text, key);
}

async function fromToml(text: string): Promise<unknown> {
  const { parse } = await import("smol-toml");
  try {
    const { value, ...more } = parse(`value = ${text}`, { unsafeKeyBehaviour: "throw" });
    // Rejects dates and text with more than one value.
    const isOne =
      Object.keys(more).length === 0 && !(value instanceof Date) && !(typeof value === "number" && !Number.isFinite(value));
    return isOne ? value : undefined;
  } catch {
    return undefined;
  }
}

function fromPlain(text: string, key: Key | undefined): unknown {
  if (key?.kind === "strings") return text === "" ? [] : text.split(",");
  return key && isScalar(key) ? fromText(text, key) : text;
}
