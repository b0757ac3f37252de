// Resumes the paused run of a directory, as a process of its own, and kills itself at the point that its orders name.
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { collect } from "../../../src/core/collect.ts";
import { resume } from "../../../src/agent/loop/paused-run.ts";
import type { Journal } from "../../../src/agent/loop/run-options.ts";
import { fileJournal } from "../../../src/node/file-journal.ts";
import { scripted } from "../../../src/testing/scripted.ts";
import type { RunnableTool } from "../../../src/tools/tool.ts";

/** What the parent orders, as JSON in the last argument. */
export interface Orders {
  directory: string;
  /** `claimed c2`, `before c2`, `after c2`, `settled c2`: where the process dies. */
  dieAt?: string;
  idempotent: boolean;
  maxParallel: number;
  /** Milliseconds that a call takes. */
  takes: number;
}

const { directory, dieAt, idempotent, maxParallel, takes }: Orders = JSON.parse(process.argv.at(-1)!);

const point = (name: string): void => {
  if (name === dieAt) process.kill(process.pid, "SIGKILL");
};
const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

const append: RunnableTool = {
  name: "append",
  definition: { type: "function", name: "append", parameters: {} },
  changes: [],
  read: (written) => written,
  run: async (_, { call_id }) => {
    point(`before ${call_id}`);
    await sleep(takes);
    appendFileSync(join(directory, "effects.txt"), `${call_id}\n`);
    await sleep(takes);
    point(`after ${call_id}`);
    return `did ${call_id}`;
  },
  idempotent,
};

const files = fileJournal(join(directory, "journal"));
const journal: Journal = {
  claim: async (call_id) => {
    const claim = await files.claim(call_id);
    if (claim === "run") point(`claimed ${call_id}`);
    return claim;
  },
  settle: async (call_id, output) => {
    await files.settle(call_id, output);
    point(`settled ${call_id}`);
  },
};

const paused = JSON.parse(readFileSync(join(directory, "paused.json"), "utf8"));
const decisions = Object.fromEntries(
  paused.pending.map(({ call_id }: { call_id: string }) => [call_id, { action: "continue" as const }]),
);
const response = await collect(resume(scripted(["Done."]), paused, { tools: [append], decisions, journal, maxParallel }));
process.stdout.write(JSON.stringify(response));
