import { parseArgs } from "node:util";
import { UsageError } from "./command-errors.ts";
import { suggestion } from "./nearest.ts";

export { CommandError, ConfigError, UsageError } from "./command-errors.ts";

/** One option of a command. */
export interface Flag {
  type: "string" | "boolean";
  /** The placeholder of its value in the help: `--model <name>`. */
  value?: string;
  /** Its one-letter form. */
  short?: string;
  multiple?: boolean;
  help: string;
  /** Whether many commands have it, so that only `antiphon --help` describes it. */
  isCommon?: true;
  /** The configuration key that it sets. */
  sets?: string;
  /** Values for shell completion. */
  completes?: "files" | readonly string[];
}

export type Flags = Readonly<Record<string, Flag>>;

/** The arguments and the help of a command. */
export interface Command<F extends Flags = Flags> {
  /** The usage line after the name of the command. */
  usage: string;
  /** The line in the list of commands. */
  summary: string;
  about: string;
  flags: F;
  notes?: string;
  /** Arguments for shell completion. */
  completes?: "files" | readonly string[];
}

type Value<F extends Flag> = F["type"] extends "boolean" ? boolean : F extends { multiple: true } ? string[] : string;

/** The options and positional arguments of a command line. */
export interface Parsed<F extends Flags> {
  flags: { [K in keyof F]?: Value<F[K]> };
  words: string[];
}

/** Parses the arguments of a command. Throws a `UsageError` if they are wrong. */
export function readArguments<F extends Flags>({ flags }: Command<F>, args: string[]): Parsed<F> {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { type, multiple = false, short }]) => [name, { type, multiple, ...(short && { short }) }]),
  );
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true, strict: true });
    // `parseArgs` returns each option with the type that the table declares.
    return { flags: values as Parsed<F>["flags"], words: positionals };
  } catch (error) {
    throw new UsageError(parseProblem(error, Object.keys(flags)));
  }
}

/** Rewrites an error of `parseArgs`, and suggests the nearest option for an unknown one. */
function parseProblem(error: unknown, names: readonly string[]): string {
  const message = error instanceof Error ? error.message : String(error);
  const unknown = /^Unknown option '(-[^']*)'/.exec(message)?.[1];
  if (unknown !== undefined) {
    const meant = suggestion(unknown.replace(/^-+/, ""), names, (name) => `--${name}`);
    return `unknown option ${unknown}${meant}`;
  }
  const [, option = "", problem] =
    /^Option '(?:-\w, )?(--?[\w-]+)[^']*' (argument missing|does not take an argument|argument is ambiguous)/.exec(message) ?? [];
  if (problem === "argument missing") return `${option} requires a value`;
  if (problem === "does not take an argument") return `${option} takes no value`;
  if (problem) return `${option} requires a value; write ${option}=<value> if the value starts with a dash`;
  return message.split(". ")[0] ?? message;
}

/** Aligns rows in two columns. */
export function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => (left.padEnd(width) + right).trimEnd());
}

/** The row of an option in the help. */
export const flagRow = ([flag, { value, help, short }]: readonly [string, Flag]): readonly [string, string] => [
  `  ${short ? `-${short}, ` : ""}--${flag}${value ? ` ${value}` : ""}`,
  help,
];

/** The help page of a command. `antiphon --help` describes the common options. */
export function helpOf(name: string, { usage, about, flags, notes }: Command): string {
  const own = Object.entries(flags).filter(([, { isCommon }]) => !isCommon);
  const common = Object.entries(flags).filter(([, { isCommon }]) => isCommon);
  const head = `Usage: antiphon ${name}${usage ? ` ${usage}` : ""}`;
  const options = own.length > 0 ? ["", "Options:", ...columns(own.map(flagRow))] : [];
  const others = `Common options: ${common.map(([flag, { value }]) => `--${flag}${value ? ` ${value}` : ""}`).join(", ")}`;
  return [head, "", about, ...options, "", others, ...(notes ? ["", notes] : [])].join("\n");
}

/** Parses the value of an option as a positive integer. */
export function wholeNumber(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number <= 0)
    throw new UsageError(`--${name} must be a whole number greater than 0, not "${value}"`);
  return number;
}

/** Throws if a command without positional arguments was given some. */
export function expectNoWords(words: readonly string[]): void {
  if (words.length > 0) throw new UsageError(`unexpected argument "${words.join(" ")}"`);
}
