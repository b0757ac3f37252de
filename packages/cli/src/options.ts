import { parseArgs } from "node:util";

/** The command line cannot be understood as it was typed. */
export class UsageError extends Error {}

/** The surroundings, such as a file or a variable, ask for something that there is not. */
export class ConfigError extends Error {}

/** One flag: how it is written, and what the help says about it. */
export interface Flag {
  type: "string" | "boolean";
  /** What stands for its value in the help: `--model <name>`. */
  value?: string;
  /** One letter that stands for it. */
  short?: string;
  multiple?: boolean;
  help: string;
  /** The key of the configuration that it sets. */
  sets?: string;
  /** What a shell may complete its value with. */
  completes?: "files" | readonly string[];
}

export type Flags = Readonly<Record<string, Flag>>;

/** What a command is called with, and what its help says. */
export interface Command<F extends Flags = Flags> {
  /** What follows `antiphon` and its own name. */
  usage: string;
  /** What the list of commands says. */
  summary: string;
  about: string;
  flags: F;
  notes?: string;
  /** What a shell may complete its words with. */
  completes?: "files" | readonly string[];
}

type Value<F extends Flag> = F["type"] extends "boolean" ? boolean : F extends { multiple: true } ? string[] : string;

/** The flags that were given, and the words between them. */
export interface Parsed<F extends Flags> {
  flags: { [K in keyof F]?: Value<F[K]> };
  words: string[];
}

/** Reads a command's arguments, or throws a `UsageError` that names what is wrong. */
export function readArguments<F extends Flags>({ flags }: Command<F>, args: string[]): Parsed<F> {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { type, multiple = false, short }]) => [name, { type, multiple, ...(short && { short }) }]),
  );
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true, strict: true });
    // `parseArgs` gives each flag the type that the table asked for; only the table's own type says so.
    return { flags: values as Parsed<F>["flags"], words: positionals };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message.split(". ")[0] : String(error));
  }
}

/** Lines of two columns. */
export function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => (left.padEnd(width) + right).trimEnd());
}

/** A command's help, made from its table of flags. */
export function helpOf(name: string, { usage, about, flags, notes }: Command): string {
  const rows = Object.entries(flags).map(
    ([flag, { value, help, short }]) => [`  ${short ? `-${short}, ` : ""}--${flag}${value ? ` ${value}` : ""}`, help] as const,
  );
  const head = `Usage: antiphon ${name}${usage ? ` ${usage}` : ""}`;
  return [head, "", about, "", "Options:", ...columns(rows), ...(notes ? ["", notes] : [])].join("\n");
}

/** A flag's value as a whole number above zero. */
export function wholeNumber(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number <= 0)
    throw new UsageError(`--${name} wants a whole number above zero, not "${value}"`);
  return number;
}

/** Throws where words were typed that mean nothing. */
export function expectNoWords(words: readonly string[]): void {
  if (words.length > 0) throw new UsageError(`"${words.join(" ")}" is not expected`);
}
