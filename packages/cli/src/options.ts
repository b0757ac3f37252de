import { parseArgs } from "node:util";

/** The command line cannot be understood as it was typed. */
export class UsageError extends Error {}

/** The surroundings, such as an environment variable, ask for something that there is not. */
export class ConfigError extends Error {}

/** One flag: how it is written, and what the help says about it. */
export interface Flag {
  type: "string" | "boolean";
  /** What stands for its value in the help: `--model <name>`. */
  value?: string;
  multiple?: boolean;
  help: string;
}

/** What a command is called with, and what its help says. */
export interface Command<F extends Record<string, Flag> = Record<string, Flag>> {
  usage: string;
  about: string;
  flags: F;
  notes?: string;
}

type Value<F extends Flag> = F["type"] extends "boolean" ? boolean : F extends { multiple: true } ? string[] : string;

/** The flags that were given, and the words between them. */
export interface Parsed<F extends Record<string, Flag>> {
  flags: { [K in keyof F]?: Value<F[K]> };
  words: string[];
}

/** Reads a command's arguments, or throws a `UsageError` that names what is wrong. */
export function readArguments<F extends Record<string, Flag>>({ flags }: Command<F>, args: string[]): Parsed<F> {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { type, multiple = false }]) => [name, { type, multiple }]),
  );
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true, strict: true });
    // `parseArgs` gives each flag the type that the table asked for; only the table's own type says so.
    return { flags: values as Parsed<F>["flags"], words: positionals };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message.split(". ")[0] : String(error));
  }
}

/** A command's help, made from its table of flags. */
export function helpOf({ usage, about, flags, notes }: Command): string {
  const rows = Object.entries(flags).map(([name, { value, help }]) => [`  --${name}${value ? ` ${value}` : ""}`, help] as const);
  const width = Math.max(...rows.map(([flag]) => flag.length)) + 2;
  const lines = rows.map(([flag, help]) => flag.padEnd(width) + help);
  return [`Usage: ${usage}`, "", about, "", "Options:", ...lines, ...(notes ? ["", notes] : [])].join("\n");
}

/** A flag's value as a number above zero. */
export function positive(name: string, value: string | undefined, isWhole = false): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!(number > 0) || (isWhole && !Number.isInteger(number)))
    throw new UsageError(`--${name} wants a${isWhole ? " whole" : ""} number above zero, not "${value}"`);
  return number;
}

/** A flag's value as one of a list. */
export function oneOf<T extends string>(name: string, value: string | undefined, list: readonly T[]): T | undefined {
  if (value === undefined) return undefined;
  const found = list.find((one) => one === value);
  if (found === undefined) throw new UsageError(`--${name} wants one of ${list.join(", ")}, not "${value}"`);
  return found;
}
