import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline/promises";
import { findPreset, presets, providerNames } from "antiphon";
import { commands } from "./commands.ts";
import { exitCodes } from "./exit-codes.ts";
import { suggestion } from "./nearest.ts";
import { expectNoWords, readArguments, UsageError, type Parsed } from "./options.ts";
import { configFolder } from "./places.ts";

type Answers = Parsed<(typeof commands)["config init"]["flags"]>["flags"];

/** Asks a question, and offers an answer. */
type Ask = (question: string, usual: string) => Promise<string>;

/** Writes a first file of settings; gives the exit code. */
export async function configInit(args: string[], signal: AbortSignal): Promise<number> {
  const { flags, words } = readArguments(commands["config init"], args);
  expectNoWords(words);
  const path = flags.project ? join(process.cwd(), "antiphon.toml") : join(configFolder(), "config.toml");
  const isAsked = process.stdin.isTTY && process.stderr.isTTY;
  if (existsSync(path) && !flags.force && !isAsked) throw new UsageError(`${path} is there already; --force writes over it`);
  const text = await interview(flags, isAsked, signal, path);
  if (text === undefined) return exitCodes.general;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Whoever adds a key later should not have to think of who can read it.
  await writeFile(path, text, { mode: 0o600 });
  // Whoever writes a file need not be warned of it.
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
      !/^y(es)?$/i.test(await ask(`${path} is there already. Write over it? (yes/no)`, "no"))
    )
      return undefined;
    return await fileFrom(flags, ask);
  } finally {
    lines?.close();
  }
}

async function fileFrom(flags: Answers, ask: Ask): Promise<string> {
  const name = (
    flags.provider ?? (await ask(`Who answers? ${providerNames().slice(0, 8).join(", ")}, …`, withKey() ?? "offline"))
  ).toLowerCase();
  const preset = findPreset(name);
  if (!preset) throw new UsageError(`there is no provider "${name}"${suggestion(name, providerNames())}`);
  const model = flags.model ?? (await ask("Which of its models?", preset.models?.chat ?? ""));
  const own = preset.wire === "local" ? [] : (preset.env ?? []);
  const needsKey = preset.wire !== "local" && !preset.keyless;
  const variable = flags["key-variable"] ?? (needsKey ? await ask("Which variable holds its key?", own[0] ?? "") : "");
  if (variable !== "" && !/^\w+$/.test(variable))
    throw new UsageError(`"${variable}" is no name of a variable; the key itself does not belong in a file`);
  const text = [`provider = ${JSON.stringify(preset.name)}`, ...(model ? [`model = ${JSON.stringify(model)}`] : [])];
  if (variable !== "" && !own.includes(variable)) text.push("", `[providers.${preset.name}]`, `api_key = "\${${variable}}"`);
  return `${text.join("\n")}\n`;
}

/** The first provider that there is a key for. */
const withKey = (): string | undefined =>
  presets().find((preset) => preset.wire !== "local" && preset.env?.some((name) => process.env[name]))?.name;
