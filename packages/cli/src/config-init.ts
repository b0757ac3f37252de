import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline/promises";
import { findPreset, presets, providerNames } from "antiphon";
import { commands } from "./commands.ts";
import { exitCodes } from "./exit-codes.ts";
import { suggestion } from "./nearest.ts";
import { CommandError, expectNoWords, readArguments, UsageError, type Parsed } from "./options.ts";
import { configFolder } from "./places.ts";

type Answers = Parsed<(typeof commands)["config init"]["flags"]>["flags"];

/** Asks a question with a default answer. */
type Ask = (question: string, usual: string) => Promise<string>;

/** Writes a configuration file and returns the exit code. */
export async function configInit(args: string[], signal: AbortSignal): Promise<number> {
  const { flags, words } = readArguments(commands["config init"], args);
  expectNoWords(words);
  const path = flags.project ? join(process.cwd(), "antiphon.toml") : join(configFolder(), "config.toml");
  const isAsked = process.stdin.isTTY && process.stderr.isTTY;
  if (existsSync(path) && !flags.force && !isAsked) throw new CommandError(`${path} already exists; overwrite it with --force`);
  const text = await interview(flags, isAsked, signal, path);
  if (text === undefined) return exitCodes.general;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // The user may add a key later, so only the owner can read the file.
  await writeFile(path, text, { mode: 0o600 });
  // The user wrote this file, so it is trusted.
  if (flags.project) (await import("./config/trust.ts")).trust(path, text, process.env);
  process.stdout.write(`${path}\n`);
  return exitCodes.ok;
}

async function interview(flags: Answers, isAsked: boolean, signal: AbortSignal, path: string): Promise<string | undefined> {
  const lines = isAsked ? createInterface({ input: process.stdin, output: process.stderr }) : undefined;
  const ask: Ask = async (question, usual) =>
    (await lines?.question(`${question}${usual ? ` [${usual}]` : ""}: `, { signal }))?.trim() || usual;
  try {
    if (
      lines &&
      existsSync(path) &&
      !flags.force &&
      !/^y(es)?$/i.test(await ask(`${path} already exists. Overwrite it? (yes/no)`, "no"))
    )
      return undefined;
    return await fileFrom(flags, ask);
  } finally {
    lines?.close();
  }
}

async function fileFrom(flags: Answers, ask: Ask): Promise<string> {
  const name = (
    flags.provider ?? (await ask(`Provider (${providerNames().slice(0, 8).join(", ")}, …)`, withKey() ?? "offline"))
  ).toLowerCase();
  const preset = findPreset(name);
  if (!preset) throw new UsageError(`unknown provider "${name}"${suggestion(name, providerNames())}`);
  const model = flags.model ?? (await ask("Model", preset.models?.chat ?? ""));
  const own = preset.wire === "local" ? [] : (preset.env ?? []);
  const needsKey = preset.wire !== "local" && !preset.keyless;
  const variable = flags["key-variable"] ?? (needsKey ? await ask("Environment variable with the key", own[0] ?? "") : "");
  if (variable !== "" && !/^\w+$/.test(variable))
    throw new UsageError(`"${variable}" is not the name of an environment variable; do not put the key itself in the file`);
  const text = [`provider = ${JSON.stringify(preset.name)}`, ...(model ? [`model = ${JSON.stringify(model)}`] : [])];
  if (variable !== "" && !own.includes(variable)) text.push("", `[providers.${preset.name}]`, `api_key = "\${${variable}}"`);
  return `${text.join("\n")}\n`;
}

/** The first provider with a key in the environment. */
const withKey = (): string | undefined =>
  presets().find((preset) => preset.wire !== "local" && preset.env?.some((name) => process.env[name]))?.name;
