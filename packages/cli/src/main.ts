import { readFileSync } from "node:fs";
import { commands } from "./commands.ts";
import { helpOf, UsageError } from "./options.ts";

type CommandName = keyof typeof commands;

/** Does what a command is for, and gives the exit code. */
export type Perform = (args: string[], signal: AbortSignal) => Promise<number>;

/** The module that runs each command, loaded when it is needed: most of what the program can do is not asked for. */
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
  const isChat = first === "" || (first.startsWith("-") && process.stdin.isTTY);
  if (isChat && process.stdin.isTTY && process.stdout.isTTY) return perform("chat", args, signal);
  if (first === "") return helpFor([]);
  const pair = `${first} ${second}`;
  if (isCommand(pair)) return perform(pair, args.slice(2), signal);
  if (isCommand(first)) return perform(first, args.slice(1), signal);
  return astray(first, second);
}

const isCommand = (name: string): name is CommandName => Object.hasOwn(commands, name);

async function perform(name: CommandName, args: string[], signal: AbortSignal): Promise<number> {
  const end = args.indexOf("--");
  const flags = end === -1 ? args : args.slice(0, end);
  if (flags.includes("--help") || flags.includes("-h")) return print(helpOf(name, commands[name]));
  return (await loaders[name]())(args, signal);
}

async function helpFor(words: readonly string[]): Promise<number> {
  const { overview } = await import("./overview.ts");
  const name = words.join(" ");
  if (name === "") return print(overview());
  return isCommand(name) ? print(helpOf(name, commands[name])) : astray(words[0] ?? "", words[1] ?? "--help");
}

/** A group of commands says what is in it; anything else is a mistake. */
async function astray(first: string, second: string): Promise<number> {
  const { commandsBelow, groupHelp } = await import("./overview.ts");
  const below = commandsBelow(first);
  if (below.length > 0 && (second === "--help" || second === "-h")) return print(groupHelp(first));
  const { suggestion } = await import("./nearest.ts");
  if (below.length === 0)
    throw new UsageError(`there is no command "${first}"${suggestion(first, Object.keys(commands).map(firstWord))}`);
  const names = below.map((name) => name.slice(first.length + 1));
  throw new UsageError(
    second === "" || second.startsWith("-")
      ? `antiphon ${first} wants one of ${names.join(", ")}`
      : `there is no command "${first} ${second}"${suggestion(second, names)}`,
  );
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

/** The first Ctrl-C stops the work in good order; the second ends the process at once. */
function stopOnSignals(): AbortController {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => controller.abort());
  return controller;
}

/** A reader that has seen enough, as in `antiphon … | head -1`, is no error; nor is one that is not interested in what goes beside it. */
function quietOnBrokenPipe(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  process.stderr.on("error", () => {});
}
