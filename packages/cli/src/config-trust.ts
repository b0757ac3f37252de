import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { commands } from "./commands.ts";
import { written } from "./config/check.ts";
import { parseToml, readText } from "./config/files.ts";
import { riskyPaths, trust, untrust } from "./config/trust.ts";
import { exitCodes } from "./exit-codes.ts";
import { readArguments, UsageError } from "./options.ts";

/** Trusts a project file with its current content and returns the exit code. */
export async function configTrust(args: string[]): Promise<number> {
  const path = fileOf(readArguments(commands["config trust"], args).words);
  const content = readText(path, true) ?? "";
  const allowed = riskyPaths(await parseToml(content, path)).map(written);
  trust(path, content, process.env);
  process.stdout.write(`${path}\n`);
  process.stderr.write(`Trusted until the file changes. It sets ${allowed.join(", ") || "nothing that requires trust"}.\n`);
  return exitCodes.ok;
}

/** Stops trusting a project file and returns the exit code. */
export async function configUntrust(args: string[]): Promise<number> {
  const path = fileOf(readArguments(commands["config untrust"], args).words);
  const wasTrusted = untrust(path, process.env);
  process.stdout.write(`${path}\n`);
  if (!wasTrusted) process.stderr.write("The file was not trusted.\n");
  return exitCodes.ok;
}

/** The named file, or `antiphon.toml` in the named folder or the current one. */
function fileOf([named = ".", ...more]: readonly string[]): string {
  if (more.length > 0) throw new UsageError(`unexpected argument "${more.join(" ")}"`);
  const path = resolve(named);
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, "antiphon.toml") : path;
}
