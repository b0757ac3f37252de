import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { setTimeout } from "node:timers/promises";
import { afterAll } from "vitest";

const children = new Set<ChildProcess>();

// Node publishes every child that it spawns asynchronously.
subscribe("child_process", (message) => children.add((message as { process: ChildProcess }).process));

const isRunning = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid !== undefined && exitCode === null && signalCode === null;

// This runs after the hooks of the test file, which were registered later.
afterAll(async () => {
  for (let attempt = 0; attempt < 50 && [...children].some(isRunning); attempt += 1) await setTimeout(100);
  const left = [...children].filter(isRunning);
  children.clear();
  for (const child of left) child.kill("SIGKILL");
  if (left.length === 0) return;
  const commands = left.map(({ pid, spawnargs }) => `${pid}: ${spawnargs.join(" ").slice(0, 200)}`);
  throw new Error(`These child processes outlived the tests of this file:\n${commands.join("\n")}`);
});
