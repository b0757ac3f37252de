import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

const variables = ["TMPDIR", "TEMP", "TMP"];

/**
 * Gives all tests of a run one temporary folder. The run fails if it leaves a file in that folder, or a process that got
 * the folder as a variable of its environment.
 */
export function setup(): () => Promise<void> {
  // Short, because the path of a Unix socket inside may have 103 bytes on macOS, where the folder above takes half of them.
  const folder = mkdtempSync(join(tmpdir(), "antiphon-"));
  // The tests run PostgreSQL as another user, who has to reach its data in this folder.
  chmodSync(folder, 0o711);
  for (const name of variables) process.env[name] = folder;
  // Compilers and npm would cache their code in the temporary folder. They do so from Node 22 on.
  process.env["NODE_DISABLE_COMPILE_CACHE"] = "1";
  return async () => {
    const processes = await processesOf(folder);
    for (const { pid } of processes) process.kill(pid, "SIGKILL");
    const files = readdirSync(folder);
    rmSync(folder, { recursive: true, force: true });
    const commands = processes.map(({ pid, command }) => `${pid}: ${command}`);
    report("These processes outlived the tests and were killed", commands);
    report("The tests left these files in the temporary folder", files);
  };
}

/** Vitest only logs what a teardown throws, so the exit code has to be set here. */
function report(problem: string, list: readonly string[]): void {
  if (list.length === 0) return;
  process.exitCode = 1;
  process.stderr.write(`\n${problem}:\n${list.map((line) => `  ${line}\n`).join("")}`);
}

interface Process {
  pid: number;
  command: string;
}

/** Returns the processes of a run that are still there after five seconds. Only Linux shows their environment. */
async function processesOf(folder: string): Promise<Process[]> {
  if (process.platform !== "linux") return [];
  let found: Process[] = [];
  for (let attempt = 0; attempt < 50; attempt += 1) {
    found = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (processOf(Number(name), folder) ?? []) : []));
    if (found.length === 0) break;
    await setTimeout(100);
  }
  return found;
}

/** Returns a process if its environment names the folder. */
function processOf(pid: number, folder: string): Process | undefined {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    if (!environment.includes(`TMPDIR=${folder}`)) return undefined;
    return { pid, command: readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ") };
  } catch {
    // It has ended, or it belongs to another user.
    return undefined;
  }
}
