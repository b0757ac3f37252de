import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { onTestFinished } from "vitest";

const source = (path: string): string => fileURLToPath(new URL(`../../../src/${path}`, import.meta.url));

/** An empty directory, removed when the test ends. */
export async function scratch(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "antiphon-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A child's program as one file that any Node can run. */
export async function bundled(program: URL, directory: string): Promise<string> {
  const build = await rolldown({
    input: fileURLToPath(program),
    platform: "node",
    resolve: { alias: { "#transport": source("node/http-transport.ts"), "#save": source("node/save-file.ts") } },
    external: [/^node:/, "ws"],
    logLevel: "silent",
  });
  const file = join(directory, "child.mjs");
  await build.write({ file, format: "esm", codeSplitting: false });
  await build.close();
  return file;
}

/** A child process, and the lines that it has printed. */
export function start(
  file: string,
  ...args: string[]
): { child: ChildProcess; lines: string[]; errors: string[]; ended: Promise<unknown> } {
  const child = spawn(process.execPath, [file, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  const lines: string[] = [];
  const errors: string[] = [];
  child.stdout.on("data", (chunk: Buffer) => {
    const pieces = (printed + chunk.toString()).split("\n");
    printed = pieces.pop() ?? "";
    lines.push(...pieces);
  });
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk.toString()));
  return { child, lines, errors, ended: once(child, "close") };
}

/** Starts a child, kills it some time after its first line, and gives what it had printed. */
export async function killed(
  file: string,
  args: readonly string[],
  delay: number,
): Promise<{ lines: string[]; errors: string[] }> {
  const { child, lines, errors, ended } = start(file, ...args);
  const timer = setInterval(() => {
    if (lines.length === 0) return;
    clearInterval(timer);
    setTimeout(() => child.kill("SIGKILL"), delay);
  }, 1);
  await ended;
  clearInterval(timer);
  return { lines, errors };
}
