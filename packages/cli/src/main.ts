import { readFileSync } from "node:fs";
import { modelsCommand, overview, runCommand } from "./commands.ts";
import { helpOf, UsageError, type Command } from "./options.ts";

/** A command: what its help says, and the module that runs it, loaded when it is needed. */
interface Entry {
  command: Command;
  load(): Promise<(args: string[], signal: AbortSignal) => Promise<number>>;
}

const commands: Readonly<Record<string, Entry>> = {
  run: { command: runCommand, load: async () => (await import("./run.ts")).run },
  models: { command: modelsCommand, load: async () => (await import("./models.ts")).models },
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

async function dispatch([name, ...args]: string[], signal: AbortSignal): Promise<number> {
  if (name === "--version") return print(version());
  if (name === undefined || name === "--help") return print(overview);
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!entry) throw new UsageError(`there is no command "${name}"`);
  if (args.includes("--help")) return print(helpOf(entry.command));
  return (await entry.load())(args, signal);
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

const version = (): string => {
  const manifest: { version: string } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return manifest.version;
};

/** The first Ctrl-C stops the answer in good order; the second ends the process at once. */
function stopOnSignals(): AbortController {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => controller.abort());
  return controller;
}

/** A reader that has seen enough, as in `antiphon … | head -1`, is no error. */
function quietOnBrokenPipe(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
}
