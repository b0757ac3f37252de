import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { commands } from "./commands.ts";
import { written } from "./config/check.ts";
import { parseToml, readText } from "./config/files.ts";
import { riskyPaths, trust, untrust } from "./config/trust.ts";
import { exitCodes } from "./exit-codes.ts";
import { readArguments, UsageError } from "./options.ts";

/** Trusts a project's file as it is now, and says what that allows; gives the exit code. */
export async function configTrust(args: string[]): Promise<number> {
  const path = fileOf(readArguments(commands["config trust"], args).words);
  const content = readText(path, true) ?? "";
  const allowed = riskyPaths(await parseToml(content, path)).map(written);
  trust(path, content, process.env);
  process.stdout.write(`${path}\n`);
  process.stderr.write(`Trusted until it changes; it sets ${allowed.join(", ") || "nothing that needs it"}.\n`);
  return exitCodes.ok;
}

/** Trusts it no more; gives the exit code. */
export async function configUntrust(args: string[]): Promise<number> {
  const path = fileOf(readArguments(commands["config untrust"], args).words);
  const wasTrusted = untrust(path, process.env);
  process.stdout.write(`${path}\n`);
  if (!wasTrusted) process.stderr.write("It was not trusted.\n");
  return exitCodes.ok;
}

/** The file that is meant: the one that is named, the one in the folder that is named, or else the one here. */
function fileOf([named = ".", ...more]: readonly string[]): string {
  if (more.length > 0) throw new UsageError(`"${more.join(" ")}" is not expected`);
  const path = resolve(named);
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, "antiphon.toml") : path;
}
