import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../bin/antiphon.js", import.meta.url));
const folder = fileURLToPath(new URL(".", import.meta.url));

/** What a run of the command line left behind. */
export interface Run {
  stdout: string;
  stderr: string;
  /** The exit code; `null` where a signal ended it. */
  code: number | null;
}

/** Starts the built command line, with no key or setting of this machine's in its environment. */
export const start = (args: string[], env: Record<string, string> = {}): ChildProcessWithoutNullStreams =>
  spawn(process.execPath, [program, ...args], { cwd: folder, env: { PATH: process.env["PATH"] ?? "", ...env } });

/** Runs it to its end, with this on its standard input. */
export async function antiphon(args: string[], input = "", env: Record<string, string> = {}): Promise<Run> {
  const child = start(args, env);
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { stdout, stderr, code: code as number | null };
}
