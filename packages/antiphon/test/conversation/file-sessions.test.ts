import { appendFile, readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AntiphonError } from "../../src/core/error.ts";
import type { LogRecord, SessionStore } from "../../src/conversation/log-records.ts";
import { fileSessions } from "../../src/node/file-sessions.ts";
import { runs } from "../support/runs.ts";
import { bundled, killed, scratch, start } from "./children/spawn.ts";

const record = (content: string): LogRecord => ({ type: "entry", entry: { item: { type: "message", role: "user", content } } });
const textsIn = async (store: SessionStore, id: string): Promise<string[]> =>
  ((await store.load(id))?.records ?? []).map((entry) =>
    entry.type === "entry" ? String(Reflect.get(entry.entry.item, "content")) : "",
  );
const fileIn = async (directory: string): Promise<string> => join(directory, (await readdir(directory))[0]!);

describe("a session's file", () => {
  test("is JSON lines that only their owner can read", async () => {
    const directory = await scratch();
    await fileSessions(directory).append("a", 0, [record("one"), record("two")]);
    const file = await fileIn(directory);
    const [line] = (await readFile(file, "utf8")).trimEnd().split("\n");
    expect(JSON.parse(line!)).toMatchObject({ at: 0, records: [record("one"), record("two")] });
    if (process.platform !== "win32") expect((await stat(file)).mode & 0o077).toBe(0);
  });

  test("cut off at any byte, holds every append before the cut, and can be written on", async () => {
    const directory = await scratch();
    const store = fileSessions(directory);
    const ends: number[] = [0];
    for (let at = 0; at < 4; at += 1) {
      await store.append("a", at, [record(`${at} äöü 👋`)]);
      ends.push((await stat(await fileIn(directory))).size);
    }
    const file = await fileIn(directory);
    const whole = await readFile(file);
    for (let length = 0; length <= whole.length; length += 1) {
      await writeFile(file, whole.subarray(0, length));
      const kept = ends.filter((end) => end > 0 && end <= length).length;
      const fresh = fileSessions(directory);
      expect(await textsIn(fresh, "a")).toHaveLength(kept);
      await fresh.append("a", kept, [record("next")]);
      expect((await textsIn(fileSessions(directory), "a")).at(-1)).toBe("next");
    }
  });

  test("spoilt in any place never shows what was not written, and says so where something in its middle is missing", async () => {
    const directory = await scratch();
    const store = fileSessions(directory);
    const all = ["text 0", "text 1", "text 2", "text 3", "text 4"];
    for (const [at, text] of all.entries()) await store.append("a", at, [record(text)]);
    const file = await fileIn(directory);
    const whole = await readFile(file);
    // Without the newline between them, two lines are one that is torn.
    const lastTwo = whole.length - whole.toString().split("\n").slice(-3).join("\n").length;
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), async (at, byte) => {
        const spoilt = Buffer.from(whole);
        spoilt[at] = byte;
        await writeFile(file, spoilt);
        const texts = await textsIn(fileSessions(directory), "a").catch((error: AntiphonError) => error.vendorCode);
        if (at < lastTwo && byte !== whole[at]) expect(texts).toBe("session_damaged");
        else if (texts !== "session_damaged") expect(texts).toEqual(all.slice(0, texts?.length));
      }),
      { numRuns: runs(100, 3_000) },
    );
  });

  test("that another process tore while this one had it open is mended", async () => {
    const directory = await scratch();
    const store = fileSessions(directory);
    await store.append("a", 0, [record("one")]);
    await appendFile(await fileIn(directory), '{"by":"somebody","at":1,"records":[{"ty');
    await store.append("a", 1, [record("two")]);
    await store.append("a", 2, [record("three")]);
    expect(await textsIn(fileSessions(directory), "a")).toEqual(["one", "two", "three"]);
  });

  test("that lost its end to a failing disk is not believed to have it", async () => {
    const directory = await scratch();
    const store = fileSessions(directory);
    await store.append("a", 0, [record("one")]);
    const { size } = await stat(await fileIn(directory));
    await store.append("a", 1, [record("two")]);
    await truncate(await fileIn(directory), size);
    await expect(store.append("a", 2, [record("three")])).rejects.toMatchObject({ vendorCode: "session_conflict" });
  });

  test("holds no session before its first append is whole", async () => {
    const directory = await scratch();
    await writeFile(join(directory, "session-a.jsonl"), '{"by":"x","at":0,"rec');
    await writeFile(join(directory, "session-b.jsonl"), "");
    await writeFile(join(directory, "notes.txt"), "not a session\n");
    const store = fileSessions(directory);
    expect(await store.list()).toEqual([]);
    expect(await store.load("a")).toBeUndefined();
    await store.append("a", 0, [record("one")]);
    expect(await store.list()).toEqual(["a"]);
  });

  test("needs an id that fits a file name", async () => {
    const store = fileSessions(await scratch());
    for (const id of ["", "x".repeat(300)])
      await expect(store.load(id)).rejects.toMatchObject({ code: "BAD_REQUEST", param: "id" });
  });

  test("that cannot be written rejects with the error of the file system", async () => {
    const file = join(await scratch(), "file");
    await writeFile(file, "");
    const sessions = fileSessions(join(file, "sessions"));
    const code: unknown = expect.stringMatching(/^(ENOTDIR|EEXIST)$/);
    await expect(sessions.append("a", 0, [record("one")])).rejects.toMatchObject({ code });
  });

  test("is read no further than what is new", async () => {
    const directory = await scratch();
    const [store, other] = [fileSessions(directory), fileSessions(directory)];
    for (let at = 0; at < 200; at += 1) await (at % 2 ? store : other).append("a", at, [record(`${at}`)]);
    expect(await textsIn(store, "a")).toEqual(Array.from({ length: 200 }, (_, at) => `${at}`));
  });
});

describe("several processes", () => {
  test("append to one session, each record once", async () => {
    const directory = await scratch();
    const file = await bundled(new URL("./children/append-in-turn.ts", import.meta.url), directory);
    const share = runs(15, 200);
    const children = ["a", "b", "c"].map((name) => start(file, join(directory, "sessions"), "s", name, String(share)));
    await Promise.all(children.map(({ ended }) => ended));
    expect(children.flatMap(({ errors }) => errors)).toEqual([]);
    const texts = await textsIn(fileSessions(join(directory, "sessions")), "s");
    for (const name of ["a", "b", "c"])
      expect(texts.filter((text) => text.startsWith(name))).toEqual(
        Array.from({ length: share }, (_, index) => `${name} ${index}`),
      );
    expect(texts).toHaveLength(3 * share);
  });

  const kills = runs(6, 1_000);
  test(`killed in the middle of appends ${kills} times, every record that was acknowledged is there`, async () => {
    const directory = await scratch();
    const file = await bundled(new URL("./children/append-forever.ts", import.meta.url), directory);
    const sessions = join(directory, "sessions");
    for (let kill = 0; kill < kills; kill += 1) {
      // A new session now and then, so that the files stay short.
      const id = `s${Math.floor(kill / 20)}`;
      const { lines, errors } = await killed(file, [sessions, id], (kill * 7) % 23);
      expect(errors).toEqual([]);
      const texts = await textsIn(fileSessions(sessions), id);
      expect(texts.length).toBeGreaterThanOrEqual(Number(lines.at(-1)));
      texts.forEach((text, index) => expect(Number.parseInt(text, 10)).toBe(index));
    }
  });
});
