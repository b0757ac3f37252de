import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { commands } from "./commands.ts";
import { helpOf, UsageError } from "./options.ts";

type CommandName = keyof typeof commands;

/** Runs a command and returns the exit code. */
export type Perform = (args: string[], signal: AbortSignal) => Promise<number>;

/** Loads the module of each command on first use. */
const loaders: { readonly [N in CommandName]: () => Promise<Perform> } = {
  chat: async () => (await import("./open-chat.ts")).openChat,
  run: async () => (await import("./run.ts")).run,
  "embed create": async () => (await import("./embed-create.ts")).embedCreate,
  "embed search": async () => (await import("./embed-search.ts")).embedSearch,
  media: async () => (await import("./media.ts")).media,
  models: async () => (await import("./models.ts")).models,
  serve: async () => (await import("./serve.ts")).serve,
  "keys create": async () => (await import("./keys.ts")).createKey,
  "keys list": async () => (await import("./keys.ts")).listKeys,
  "keys revoke": async () => (await import("./keys.ts")).revokeKeys,
  "sessions list": async () => (await import("./sessions.ts")).listSessions,
  "sessions show": async () => (await import("./sessions.ts")).showSession,
  "sessions export": async () => (await import("./sessions.ts")).exportSession,
  "sessions remove": async () => (await import("./sessions.ts")).removeSessions,
  replay: async () => (await import("./replay.ts")).replayTape,
  "config show": async () => (await import("./config-show.ts")).configShow,
  "config init": async () => (await import("./config-init.ts")).configInit,
  "config path": async () => (await import("./config-show.ts")).configPath,
  "config trust": async () => (await import("./config-trust.ts")).configTrust,
  "config untrust": async () => (await import("./config-trust.ts")).configUntrust,
  doctor: async () => (await import("./doctor.ts")).doctor,
  completion: async () => (await import("./completion.ts")).completion,
};

/** Runs the command line and sets the process's exit code. */
export async function main(args: string[] = process.argv.slice(2)): Promise<void> {
  const stop = stopOnSignals();
  quietOnBrokenPipe();
  try {
    process.exitCode = await dispatch(args, stop.signal);
  } catch (error) {
    const { exitCodeOf, explain } = await import("./failures.ts");
    process.stderr.write(`antiphon: ${explain(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}

async function dispatch(args: string[], signal: AbortSignal): Promise<number> {
  const [first = "", second = ""] = args;
  if (first === "--version" || first === "-V") return print(version());
  if (first === "--help" || first === "-h" || first === "help")
    return helpFor(args.slice(1).filter((word) => !word.startsWith("-")));
  const hasTerminal = process.stdin.isTTY && process.stdout.isTTY;
  if (args.length === 0) return hasTerminal ? perform("chat", args, signal) : helpFor([]);
  const pair = `${first} ${second}`;
  if (isCommand(pair)) return perform(pair, args.slice(2), signal);
  if (isCommand(first)) return perform(first, args.slice(1), signal);
  if (first.startsWith("-")) return perform(hasTerminal && !hasPrompt(args) ? "chat" : "run", args, signal);
  if (await isMisspeltCommand(first)) return unknownCommand(first, second);
  return perform("run", args, signal);
}

/** Whether there is a positional argument, so that `antiphon -m offline "Hello"` runs the prompt. */
function hasPrompt(args: string[]): boolean {
  const options = Object.fromEntries(
    Object.entries({ ...commands.chat.flags, ...commands.run.flags }).map(([name, { type, ...rest }]) => [
      name,
      { type, ...("short" in rest && { short: rest.short }), ...("multiple" in rest && { multiple: rest.multiple }) },
    ]),
  );
  return parseArgs({ args, options, allowPositionals: true, strict: false }).positionals.length > 0;
}

/** Whether a word is a group of commands or looks like a misspelt command. Any other text is a prompt. */
async function isMisspeltCommand(word: string): Promise<boolean> {
  if (/\s/.test(word)) return false;
  const [{ commandsBelow }, { nearest }] = await Promise.all([import("./overview.ts"), import("./nearest.ts")]);
  return commandsBelow(word).length > 0 || nearest(word, Object.keys(commands).map(firstWord)) !== undefined;
}

const isCommand = (name: string): name is CommandName => Object.hasOwn(commands, name);

async function perform(name: CommandName, args: string[], signal: AbortSignal): Promise<number> {
  const end = args.indexOf("--");
  const flags = end === -1 ? args : args.slice(0, end);
  if (flags.includes("--help") || flags.includes("-h")) return print(helpOf(name, commands[name]));
  try {
    return await (
      await loaders[name]()
    )(args, signal);
  } catch (error) {
    if (error instanceof UsageError) error.command ??= name;
    throw error;
  }
}

async function helpFor(words: readonly string[]): Promise<number> {
  const { overview } = await import("./overview.ts");
  const name = words.join(" ");
  if (name === "") return print(overview());
  return isCommand(name) ? print(helpOf(name, commands[name])) : unknownCommand(words[0] ?? "", words[1] ?? "--help");
}

/** Prints the help of a group of commands, or throws an error that suggests the nearest command. */
async function unknownCommand(first: string, second: string): Promise<number> {
  const { commandsBelow, groupHelp } = await import("./overview.ts");
  const below = commandsBelow(first);
  if (below.length > 0 && (second === "--help" || second === "-h")) return print(groupHelp(first));
  const { suggestion } = await import("./nearest.ts");
  if (below.length === 0)
    throw new UsageError(`unknown command "${first}"${suggestion(first, Object.keys(commands).map(firstWord))}`);
  const names = below.map((name) => name.slice(first.length + 1));
  const error = new UsageError(
    second === "" || second.startsWith("-")
      ? `antiphon ${first} requires a command: ${names.join(", ")}`
      : `unknown command "${first} ${second}"${suggestion(second, names)}`,
  );
  error.command = first;
  throw error;
}

const firstWord = (name: string): string => name.split(" ")[0] ?? name;

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

const version = (): string => {
  const manifest: { version: string } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return manifest.version;
};

/** The first Ctrl-C aborts the command, which then cleans up. The second one ends the process. */
function stopOnSignals(): AbortController {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => controller.abort());
  return controller;
}

/** A closed pipe, as in `antiphon … | head -1`, is not an error. */
function quietOnBrokenPipe(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  process.stderr.on("error", () => {});
}
