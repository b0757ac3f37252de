import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoredKey } from "antiphon-gateway";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { antiphon, jsonLines, type Run } from "./support/antiphon.ts";

type ShownKey = Omit<StoredKey, "hash"> & { key?: string };

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "antiphon-keys-"));
});
afterEach(() => rmSync(home, { recursive: true }));

const keys = (...args: string[]): Promise<Run> => antiphon(["keys", ...args], "", { env: { HOME: home }, cwd: home });
const day = 86_400_000;

describe("antiphon keys", () => {
  test("makes a key, shows it once, and keeps nothing that opens the door", async () => {
    const { stdout, stderr, code } = await keys("create", "--name", "laptop");
    expect({ stdout, code }).toEqual({ stdout: expect.stringMatching(/^ak-[\w-]{49}\n$/), code: 0 });
    expect(stderr).toMatch(/^Created key_\w+ for "laptop"\. Save the key now: it is not shown again\.\n$/);
    const listed = await keys("list");
    expect(listed.stdout).toMatch(/^ID +NAME .*\nkey_\w+ +laptop +- +all +- +\$0\.00 +never +active\n$/);
    const folder = join(home, ".local/share/antiphon");
    const files = readdirSync(folder).map((name) => join(folder, name));
    expect(files).toContain(join(folder, "gateway.db"));
    const secret = stdout.trim().slice(3);
    for (const file of files) expect(readFileSync(file).includes(secret)).toBe(false);
    for (const file of files) expect(statSync(file).mode & 0o077).toBe(0);
  });

  test("bounds a key in every way that there is", async () => {
    const limits = ["--models", "gpt-*, offline", "--rpm", "60", "--tpm", "10000", "--budget", "$10", "--expires", "30d"];
    const { stdout } = await keys("create", "--name", "team", "--owner", "acme", ...limits, "--json");
    const [made] = jsonLines<ShownKey>(stdout);
    expect(made).toEqual({
      id: expect.stringMatching(/^key_/),
      key: expect.stringMatching(/^ak-/),
      name: "team",
      owner: "acme",
      created_at: expect.any(Number),
      expires_at: made!.created_at + 30 * day,
      models: ["gpt-*", "offline"],
      requestsPerMinute: 60,
      tokensPerMinute: 10_000,
      budget: 10,
      spent: 0,
      revoked: false,
    });
    const { key: _, ...rest } = made!;
    expect(jsonLines<ShownKey>((await keys("list", "--json")).stdout)).toEqual([rest]);
    expect((await keys("list")).stdout).toContain("acme   gpt-*,offline  60 rpm, 10000 tpm  $0.00 of $10");
  });

  test("revokes keys, and says which it does not know", async () => {
    const made = jsonLines<ShownKey>((await keys("create", "--name", "a", "--json")).stdout);
    const { stderr, code } = await keys("revoke", made[0]!.id, "key_unknown");
    expect({ stderr, code }).toEqual({ stderr: 'antiphon: there is no key "key_unknown"\n', code: 1 });
    expect((await keys("list")).stdout).toContain("revoked");
    expect(await keys("revoke", made[0]!.id)).toMatchObject({ stderr: "", code: 0 });
  });

  test("revoke accepts a unique prefix of an id and lists the matches of an ambiguous one", async () => {
    const ids: string[] = [];
    for (const name of ["a", "b"]) ids.push(jsonLines<ShownKey>((await keys("create", "--name", name, "--json")).stdout)[0]!.id);
    const ambiguous = await keys("revoke", "key_");
    expect(ambiguous.code).toBe(1);
    for (const id of ids) expect(ambiguous.stderr).toContain(`\n  ${id}`);
    expect((await keys("revoke", ids[0]!.slice(0, 16))).code).toBe(0);
    const listed = jsonLines<ShownKey>((await keys("list", "--json")).stdout);
    expect(listed.map(({ id, revoked }) => [id, revoked])).toEqual([
      [ids[0], true],
      [ids[1], false],
    ]);
  });

  test("works on the store that a flag or the configuration names", async () => {
    await keys("create", "--name", "a", "--store", "other.db");
    expect(jsonLines((await keys("list", "--json", "--store", "sqlite:other.db")).stdout)).toHaveLength(1);
    expect(jsonLines((await keys("list", "--json", "--set", "gateway.store=other.db")).stdout)).toHaveLength(1);
    expect((await keys("list", "--json")).stdout).toBe("");
  });

  test("shows no name that would move a terminal's cursor", async () => {
    await keys("create", "--name", "a\u001b[2Jb");
    expect((await keys("list")).stdout).toContain("a?[2Jb");
  });

  test("takes a day to expire on", async () => {
    const [made] = jsonLines<ShownKey>((await keys("create", "--name", "a", "--expires", "2999-12-31", "--json")).stdout);
    expect(new Date(made!.expires_at!).toISOString()).toBe("2999-12-31T23:59:59.999Z");
  });

  test.each([
    [["create"], "--name is required"],
    [["create", "--name", " "], "--name is required"],
    [["create", "--name", "a", "--rpm", "0"], "--rpm must be a whole number"],
    [["create", "--name", "a", "--tpm", "1.5"], "--tpm must be a whole number"],
    [["create", "--name", "a", "--budget", "much"], "--budget must be an amount"],
    [["create", "--name", "a", "--budget", "-1"], "--budget"],
    [["create", "--name", "a", "--expires", "soon"], "--expires must be a duration"],
    [["create", "--name", "a", "--expires", "0d"], "--expires must be a duration"],
    [["create", "--name", "a", "--expires", "2001-01-01"], "--expires must be a duration"],
    [["create", "a"], 'unexpected argument "a"'],
    [["list", "a"], 'unexpected argument "a"'],
    [["revoke"], "specify at least one id"],
    [["list", "--store", "memory"], "keys require a persistent store"],
  ])("refuses %j", async (args, message) => {
    const { stdout, stderr, code } = await keys(...args);
    expect({ stdout, code }).toEqual({ stdout: "", code: 2 });
    expect(stderr).toContain(message);
  });
});
