import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";

const program = fileURLToPath(new URL("../../bin/antiphon.js", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "antiphon-home-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Where a run takes place. */
export interface Surroundings {
  env?: Record<string, string>;
  cwd?: string;
}

/** What a run of the command line left behind. */
export interface Run {
  stdout: string;
  stderr: string;
  /** The exit code; `null` where a signal ended it. */
  code: number | null;
}

/** Starts the built command line in an empty home, with no key or setting of this machine's in its environment. */
export const start = (args: string[], { env = {}, cwd = home }: Surroundings = {}): ChildProcessWithoutNullStreams =>
  spawn(process.execPath, [program, ...args], { cwd, env: { PATH: process.env["PATH"] ?? "", HOME: home, ...env } });

/** Runs it to its end, with this on its standard input. */
export async function antiphon(args: string[], input: string | Uint8Array = "", surroundings: Surroundings = {}): Promise<Run> {
  const child = start(args, surroundings);
  // A program that needs no input may be gone before it is written.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { stdout, stderr, code: code as number | null };
}

/** Runs a line of a shell in which `antiphon` is the built command line. */
export async function shell(line: string, { env = {}, cwd = home }: Surroundings = {}): Promise<Run> {
  const script = `set -o pipefail; antiphon() { "${process.execPath}" "${program}" "$@"; }; ${line}`;
  const child = spawn("bash", ["-c", script], { cwd, env: { PATH: process.env["PATH"] ?? "", HOME: home, ...env } });
  child.stdin.end();
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { stdout, stderr, code: code as number | null };
}

/** The lines of an output, each read as JSON. */
export const jsonLines = <T>(output: string): T[] =>
  output
    .trimEnd()
    .split("\n")
    .map((line): T => JSON.parse(line) as T);
