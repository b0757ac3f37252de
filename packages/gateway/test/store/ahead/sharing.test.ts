import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Lock } from "../../../src/store/sqlite/lock.ts";
import type { Store } from "../../../src/store/store.ts";
import { bundle, type Program } from "../../support/bundle.ts";
import { completed, holder, hour, key, stored } from "../suite/subject.ts";
import { aheadOf, inDatabase, leaveBehind, withFiles } from "./crash.ts";

let program: Program;
beforeAll(async () => {
  program = await bundle(new URL("child.ts", import.meta.url));
});
afterAll(() => program?.remove());

describe("a database that several processes use", () => {
  const { path, open } = withFiles();
  const children: ChildProcess[] = [];
  afterEach(() => Promise.all(children.splice(0).map(kill)));

  /** Another process, once it has kept so many responses. */
  const start = async (file: string, name: string, { count = 3, pollMs = 10 } = {}): Promise<ChildProcess> => {
    const child = spawn(process.execPath, [program.path, file, name, `${count}`, `${pollMs}`], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.push(child);
    expect(await firstLine(child)).toBe("fulfilled");
    return child;
  };
  const expectAll = async (store: Store, name: string, count = 3): Promise<void> => {
    for (let number = 1; number <= count; number += 1) expect(await store.getResponse(`${name}_${number}`, "ada")).toBeDefined();
  };

  test("shows the second what the first was told is kept, then and later", async () => {
    const file = await path();
    const one = await open(file);
    const [before, after] = [stored(), stored()];
    await one.createResponse(before, holder("w"));
    expect(existsSync(`${file}-ahead`)).toBe(true);
    const two = await open(file);
    expect(existsSync(`${file}-ahead`)).toBe(false);
    expect(await two.getResponse(before.id, "ada")).toEqual(before);
    await one.createResponse(after, holder("w"));
    expect(await two.getResponse(after.id, "ada")).toEqual(after);
    await one.updateResponse(after.id, completed(after.id), { worker: "w" });
    expect((await two.getResponse(after.id, "ada"))?.response).toEqual(completed(after.id));
  });

  test("shows another process everything, and goes on when that dies", async () => {
    const file = await path();
    const one = await open(file);
    const first = await start(file, "first");
    await expectAll(one, "first");
    await kill(first);
    const kept = stored();
    await one.createResponse(kept, holder("w"));
    await start(file, "second");
    await expectAll(one, "second");
    expect(inDatabase(file)).toHaveLength(7);
  });

  test("has a process that was alone share it, and that shows all that it was told is kept", async () => {
    const file = await path();
    await start(file, "first", { count: 50 });
    await expectAll(await open(file), "first", 50);
  });

  test("goes to who wants in when the one that was alone dies, with all that it left", async () => {
    const file = await path();
    const first = await start(file, "first", { count: 50, pollMs: hour });
    const opening = open(file, { busyMs: 60_000 });
    await setTimeout(50);
    await kill(first);
    await expectAll(await opening, "first", 50);
  });

  test("goes to who wants in when the one that was alone is closed", async () => {
    const file = await path();
    const one = await open(file, { pollMs: hour });
    const kept = stored();
    await one.createResponse(kept);
    const opening = open(file, { busyMs: 60_000 });
    await setTimeout(50);
    await one.close();
    expect(await (await opening).getResponse(kept.id, "ada")).toEqual(kept);
  });

  test("stays closed to others while who is alone does not answer, and says so", async () => {
    const file = await path();
    const one = await open(file, { pollMs: hour });
    await one.createResponse(stored());
    await expect(open(file, { busyMs: 20 })).rejects.toMatchObject({
      vendorCode: "store_failed",
      message: expect.stringContaining("has exclusive access to the database") as string,
    });
    await one.close();
    await open(file);
  });

  test("stays with who is alone, whatever else its process opens", async () => {
    const file = await path();
    const one = await open(file, { pollMs: hour });
    const kept = stored();
    await one.createResponse(kept);
    await expect(open(file, { busyMs: 20 })).rejects.toMatchObject({ vendorCode: "store_failed" });
    const starting = start(file, "other");
    expect(await Promise.race([starting, setTimeout(500, "waits")])).toBe("waits");
    await one.close();
    await starting;
    const again = await open(file);
    await expectAll(again, "other");
    expect(await again.getResponse(kept.id, "ada")).toEqual(kept);
  });

  test("is shared in vain where who wanted in has died, which hurts nobody", async () => {
    const file = await path();
    const one = await open(file);
    const gone = new Lock(`${file}-lock`);
    gone.want();
    gone.close();
    await expect.poll(() => existsSync(`${file}-ahead`)).toBe(false);
    const kept = stored();
    await one.createResponse(kept);
    expect(inDatabase(file)).toEqual([kept.id]);
  });

  test("is for one alone again when all others have left", async () => {
    const file = await path();
    const both = [await open(file), await open(file)];
    for (const store of both) await store.close();
    await open(file);
    expect(aheadOf(file)).toBe("");
  });

  test("opens to many at once, after a crash too, and what was left is there once", async () => {
    const [file, copy] = [await path(), await path()];
    const store = await open(file);
    const left = Array.from({ length: 5 }, () => stored());
    for (const each of left) await store.createResponse(each, holder("w"));
    leaveBehind(file, copy);
    const stores = await Promise.all(Array.from({ length: 6 }, () => open(copy)));
    await Promise.all([start(copy, "first"), start(copy, "second")]);
    const own = stored();
    await stores[0]!.createResponse(own, holder("w"));
    for (const each of stores) {
      for (const { id } of [...left, own]) expect(await each.getResponse(id, "ada")).toBeDefined();
      for (const name of ["first", "second"]) await expectAll(each, name);
    }
    expect(inDatabase(copy)).toHaveLength(12);
  });

  test("is not shared before what a dead process left is in it", async () => {
    const [file, copy] = [await path(), await path()];
    const store = await open(file);
    const kept = stored();
    await store.createResponse(kept);
    const ahead = aheadOf(file);
    leaveBehind(file, copy, "");
    // As one that came in the very moment in which another died.
    const hasty = new Lock(`${copy}-lock`);
    expect(hasty.tryShare()).toBe(true);
    await writeFile(`${copy}-ahead`, ahead);
    const opening = open(copy, { busyMs: 60_000 });
    await setTimeout(50);
    hasty.close();
    expect(await (await opening).getResponse(kept.id, "ada")).toEqual(kept);
  });

  test("stays with who is alone when another only looks after keys", async () => {
    const file = await path();
    const one = await open(file, { pollMs: 1 });
    const [paid, kept] = [key(), stored()];
    const other = await open(file, { keysOnly: true });
    await other.createKey(paid);
    await other.close();
    await setTimeout(50);
    expect(await one.findKey(paid.hash)).toEqual(paid);
    await one.createResponse(kept);
    expect(existsSync(`${file}-ahead`)).toBe(true);
  });

  const needsLimits = process.platform === "win32" ? " (skipped: Windows has no limit on the size of files)" : "";
  test.skipIf(needsLimits)(
    `keeps nothing by half of what did not fit on the disk, and all that comes later${needsLimits}`,
    async () => {
      const file = await path();
      await (await open(file)).close();
      // Files may grow to half a megabyte at the most: less than what is written at once.
      const limited = `ulimit -f 512; exec "$0" "$@"`;
      const child = spawn("sh", ["-c", limited, process.execPath, program.path, file, "a", "5,400,5", "10"], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      children.push(child);
      expect(await firstLine(child)).toBe("fulfilled rejected fulfilled");
      await kill(child);
      await open(file);
      expect(inDatabase(file)).toEqual([1, 2, 3, 4, 5, 406, 407, 408, 409, 410].map((number) => `a_${number}`));
    },
  );
});

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) return line;
  throw new Error("The child ended by itself.");
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
