import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { ResponseResource } from "../../../src/model/index.ts";
import { pausedRun } from "../../../src/agent/loop/paused-run.ts";
import { fileJournal } from "../../../src/node/file-journal.ts";
import { scripted } from "../../../src/testing/scripted.ts";
import type { Orders } from "./resumed-child.ts";
import { call, outputsIn, play, tool } from "./support.ts";

const calls = ["c1", "c2", "c3", "c4"];
const stages = ["claimed", "before", "after", "settled"] as const;
const soaking = process.env["ANTIPHON_SOAK"] !== undefined;
const interrupted = expect.stringContaining("may or may not have taken effect");

let program: string;
let built: string;
beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), "antiphon-child-"));
  program = join(built, "child.mjs");
  const bundle = await rolldown({ input: join(import.meta.dirname, "resumed-child.ts"), platform: "node" });
  await bundle.write({ file: program, format: "esm", codeSplitting: false });
  await bundle.close();
});
afterAll(() => rmSync(built, { recursive: true, force: true }));

/** A directory with a paused run of four calls. */
async function paused(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "antiphon-paused-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const asked = { input: "Append four lines." };
  const careful = tool("append", () => {}, { needsApproval: () => true });
  const { response } = await play(scripted([calls.map((id) => call(id, "append"))]), asked, { tools: [careful] });
  writeFileSync(join(directory, "paused.json"), JSON.stringify(pausedRun(asked, response)));
  return directory;
}

const quiet = { idempotent: false, maxParallel: 1, takes: 0 };

/** Resumes in a process of its own; gives its response, or nothing where it died. */
function child(orders: Orders, killAfter?: number): Promise<ResponseResource | undefined> {
  return new Promise((resolve, reject) => {
    const resuming = spawn(process.execPath, [program, JSON.stringify(orders)], { stdio: ["ignore", "pipe", "pipe"] });
    const timer = killAfter === undefined ? undefined : setTimeout(() => resuming.kill("SIGKILL"), killAfter);
    let out = "";
    let errors = "";
    resuming.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    resuming.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    resuming.once("close", (code, signal) => {
      clearTimeout(timer);
      if (signal === "SIGKILL") resolve(undefined);
      else if (code === 0) resolve(JSON.parse(out) as ResponseResource);
      else reject(new Error(errors));
    });
  });
}

const effectsIn = (directory: string): string[] => {
  const path = join(directory, "effects.txt");
  return existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
};
const count = (list: readonly string[], entry: string): number => list.filter((one) => one === entry).length;

const positions = calls.flatMap((id) => stages.map((stage) => [stage, id] as const));
const chosen = soaking ? positions : positions.filter(([stage, id]) => id === "c2" || (id === "c4" && stage === "settled"));

describe("a resumed run that is killed and resumed again", () => {
  test.each(chosen)("at the point: %s %s", async (stage, id) => {
    const directory = await paused();
    expect(await child({ ...quiet, directory, dieAt: `${stage} ${id}` })).toBeUndefined();
    const response = await child({ ...quiet, directory });
    const effects = effectsIn(directory);
    // Between two calls nothing is in doubt; inside one, the model is told that it is.
    const known = stage === "settled";
    const happened = stage === "claimed" || stage === "before" ? calls.filter((other) => other !== id) : calls;
    expect(effects.toSorted()).toEqual(happened);
    expect(outputsIn(response!.output)).toEqual(calls.map((one) => [one, one === id && !known ? interrupted : `did ${one}`]));
    expect(response!.status).toBe("completed");
  });

  test.each(soaking ? positions : [positions[6]!])("an idempotent call runs again, at the point: %s %s", async (stage, id) => {
    const directory = await paused();
    await child({ ...quiet, directory, idempotent: true, dieAt: `${stage} ${id}` });
    const response = await child({ ...quiet, directory, idempotent: true });
    const effects = effectsIn(directory);
    for (const one of calls) expect(count(effects, one)).toBe(one === id && stage === "after" ? 2 : 1);
    expect(outputsIn(response!.output)).toEqual(calls.map((one) => [one, `did ${one}`]));
  });

  test.each(soaking ? Array.from({ length: 60 }, (_, index) => index * 2 + 30) : [60])(
    "at any moment, with calls side by side: after %i ms",
    async (killAfter) => {
      const directory = await paused();
      const orders = { ...quiet, directory, maxParallel: 3, takes: 10 };
      await child(orders, killAfter);
      const response = await child(orders);
      const effects = effectsIn(directory);
      for (const [id, output] of outputsIn(response!.output)) {
        const times = count(effects, id);
        expect(times).toBeLessThanOrEqual(1);
        // Who is told that a call did its work can rely on it.
        if (output === `did ${id}`) expect(times).toBe(1);
        else expect(output).toEqual(interrupted);
      }
      expect(outputsIn(response!.output).map(([id]) => id)).toEqual(calls);
    },
  );
});

describe("a paused run that is resumed twice at once", () => {
  test.each(soaking ? [1, 2, 3, 4] : [3])("runs each call once, %i at a time", async (maxParallel) => {
    const directory = await paused();
    const orders = { ...quiet, directory, maxParallel, takes: 3 };
    const responses = await Promise.all([child(orders), child(orders), child(orders)]);
    expect(effectsIn(directory).toSorted()).toEqual(calls);
    for (const response of responses) expect(outputsIn(response!.output).map(([id]) => id)).toEqual(calls);
    // Whoever ran a call knows what it gave.
    for (const id of calls) {
      const told = responses.map((response) => outputsIn(response!.output).find(([one]) => one === id)?.[1]);
      expect(told).toContain(`did ${id}`);
    }
  });
});

describe("a journal of files", () => {
  const journalIn = () => {
    const directory = mkdtempSync(join(tmpdir(), "antiphon-journal-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    return join(directory, "made", "when", "needed");
  };
  const output = { type: "function_call_output" as const, call_id: "c1", output: "Grüße" };

  test("gives a call to one of many", async () => {
    const directory = journalIn();
    const claims = await Promise.all(Array.from({ length: 20 }, () => fileJournal(directory).claim("c1")));
    expect(claims.filter((claim) => claim === "run")).toHaveLength(1);
    expect(claims.filter((claim) => claim === "taken")).toHaveLength(19);
  });

  test("remembers what came of a call, also for another process", async () => {
    const directory = journalIn();
    const journal = fileJournal(directory);
    await journal.claim("c1");
    await journal.settle("c1", output);
    expect(await fileJournal(directory).claim("c1")).toEqual({ output });
  });

  test.each(["../../etc/passwd", "a/b", "a_b", "A/B", "", "x".repeat(3000), "日本語", "con", "."])(
    "keeps the call %j apart from others, in a file of its own",
    async (id) => {
      const directory = journalIn();
      const journal = fileJournal(directory);
      expect(await journal.claim("other")).toBe("run");
      expect(await journal.claim(id)).toBe("run");
      expect(await journal.claim(id)).toBe("taken");
      await journal.settle(id, output);
      expect(await journal.claim(id)).toEqual({ output });
      expect(await journal.claim("other")).toBe("taken");
    },
  );
});
