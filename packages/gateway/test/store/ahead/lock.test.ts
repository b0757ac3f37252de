import { stat } from "node:fs/promises";
import { afterEach, describe, expect, test } from "vitest";
import { Lock } from "../../../src/store/sqlite/lock.ts";
import { withFiles } from "./crash.ts";

describe("a place on a database", () => {
  const { path } = withFiles();
  const locks: Lock[] = [];
  afterEach(() => {
    for (const lock of locks.splice(0)) lock.close();
  });
  const lockOn = (file: string): Lock => {
    const lock = new Lock(`${file}-lock`);
    locks.push(lock);
    return lock;
  };

  test("is for one alone, or for many together", async () => {
    const file = await path();
    const [one, two, three] = [lockOn(file), lockOn(file), lockOn(file)];
    expect(one.tryAlone()).toBe(true);
    expect([two.tryAlone(), two.tryShare()]).toEqual([false, false]);
    one.share();
    expect([two.tryAlone(), two.tryShare(), three.tryAlone(), three.tryShare()]).toEqual([false, true, false, true]);
    for (const lock of [one, two]) lock.leave();
    expect(one.tryAlone()).toBe(false);
    three.leave();
    expect(one.tryAlone()).toBe(true);
  });

  test("cannot be shared again while another process has the database to itself", async () => {
    const file = await path();
    const [one, two] = [lockOn(file), lockOn(file)];
    expect(two.tryShare()).toBe(true);
    two.leave();
    expect(one.tryAlone()).toBe(true);
    expect(two.tryShare()).toBe(false);
  });

  test("is given up by who closes", async () => {
    const file = await path();
    const [one, two] = [new Lock(`${file}-lock`), lockOn(file)];
    expect(one.tryAlone()).toBe(true);
    one.share();
    one.close();
    expect(two.tryAlone()).toBe(true);
  });

  test("is wanted from when another asks", async () => {
    const file = await path();
    const [one, two] = [lockOn(file), lockOn(file)];
    two.want();
    expect(one.tryAlone()).toBe(true);
    expect(one.isWanted).toBe(false);
    two.tryShare();
    await expect.poll(() => (two.want(), one.isWanted)).toBe(true);
  });

  test("leaves a file that only its owner may read, and nothing beside it", async () => {
    const file = await path();
    const one = lockOn(file);
    one.tryAlone();
    expect((await stat(`${file}-lock`)).mode & 0o777).toBe(0o600);
    await expect(stat(`${file}-lock-journal`)).rejects.toThrow("ENOENT");
  });
});
