import { commands } from "./commands.ts";
import { settingsFor } from "./config/flags.ts";
import { noSettings, type Settings } from "./config/load.ts";
import { checkFiles, checkFolders, checkMachine, checkTerminal, checkVariables } from "./doctor-checks.ts";
import { checkProviders } from "./doctor-providers.ts";
import type { Finding } from "./doctor-finding.ts";
import { exitCodes } from "./exit-codes.ts";
import { ConfigError, expectNoWords, readArguments, wholeNumber } from "./options.ts";
import { mayColour } from "./view.ts";

/** Seconds to wait for each provider. */
export const checkTimeout = 5;

/** Checks everything that a model call needs, and returns the exit code. */
export async function doctor(args: string[], signal: AbortSignal): Promise<number> {
  const { flags, words } = readArguments(commands.doctor, args);
  expectNoWords(words);
  const patience = (wholeNumber("timeout", flags.timeout) ?? checkTimeout) * 1000;
  const findings: Finding[] = [];
  const tell = (found: readonly Finding[]): void => {
    findings.push(...found);
    for (const finding of found) process.stdout.write(`${flags.json ? JSON.stringify(finding) : shown(finding)}\n`);
  };
  tell(checkMachine());
  tell(checkTerminal());
  const { settings, problem } = await settingsOrProblem(() => settingsFor(commands.doctor, { flags }, "quiet"));
  tell(problem ? [problem, ...checkVariables()] : [...checkFiles(settings), ...checkVariables()]);
  tell(checkFolders(settings));
  tell(await checkProviders(settings, { patience, asks: !flags.offline, signal }));
  return exitCodeFor(findings);
}

/** A broken configuration is a finding. The other checks then run without it. */
async function settingsOrProblem(load: () => Promise<Settings>): Promise<{ settings: Settings; problem?: Finding }> {
  try {
    return { settings: await load() };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problem: Finding = {
      check: "configuration",
      state: "wrong",
      says: error.message,
      kind: "config",
      fix: "correct the configuration; `antiphon config path` prints the paths of its files",
    };
    return { settings: noSettings, problem };
  }
}

const marks = { good: "✓", unsure: "!", wrong: "✗" } as const;
const colours = { good: 32, unsure: 33, wrong: 31 } as const;

function shown({ check, state, says, fix }: Finding): string {
  const mark = mayColour(process.stdout, process.env) ? `\u001B[${colours[state]}m${marks[state]}\u001B[39m` : marks[state];
  return `${mark} ${check}: ${says.replaceAll("\n", "\n    ")}${fix ? `\n    → ${fix}` : ""}`;
}

function exitCodeFor(findings: readonly Finding[]): number {
  const wrong = findings.filter(({ state }) => state === "wrong");
  if (wrong.length === 0) return exitCodes.ok;
  if (wrong.some(({ kind }) => kind === "config")) return exitCodes.config;
  return wrong.some(({ kind }) => kind === "network") ? exitCodes.network : exitCodes.general;
}
