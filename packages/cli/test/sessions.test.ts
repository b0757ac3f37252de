import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, Chat } from "antiphon";
import { fileSessions } from "antiphon/node";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sessionsFolder } from "../src/sessions-folder.ts";
import { antiphon, jsonLines, type Run } from "./support/antiphon.ts";

let cwd: string;
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), "antiphon-sessions-"))));
afterEach(() => rmSync(cwd, { recursive: true }));

const sessions = (...args: string[]): Promise<Run> => antiphon(["sessions", ...args], "", { cwd, env: { XDG_DATA_HOME: cwd } });

async function talk(id: string, question: string): Promise<void> {
  const chat = new Agent({ model: "offline" }).chat({ store: fileSessions(sessionsFolder({ XDG_DATA_HOME: cwd })), id });
  await chat.send(question);
}

test("are listed with their first words; what tools answered is none", async () => {
  await talk("monday", "[[say:Good.]] How is\nthe weather?");
  expect((await sessions("list")).stdout).toMatch(
    /^monday {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}2 messages {2}\[\[say:Good\.\]\] How is the weather\?\n$/,
  );
  const [summary] = jsonLines<object>((await sessions("list", "--json")).stdout);
  expect(summary).toMatchObject({ id: "monday", messages: 2, model: "offline:offline" });
});

test("are shown as they were said", async () => {
  await talk("monday", "[[say:Good.]]");
  expect((await sessions("show", "monday")).stdout).toBe("## You\n\n[[say:Good.]]\n\n## Model\n\nGood.\n");
});

test("are exported such that the library can go on with them, to a new file only", async () => {
  await talk("monday", "[[say:Good.]]");
  expect((await sessions("export", "--json", "-o", "m.json", "monday")).code).toBe(0);
  const chat = Chat.from(new Agent({ model: "offline" }), readFileSync(join(cwd, "m.json"), "utf8"));
  expect(chat.items).toHaveLength(2);
  const again = await sessions("export", "-o", "m.json", "monday");
  expect(again.stderr).toContain("m.json already exists");
  expect(again.code).toBe(1);
});

test("are removed, all or none", async () => {
  await talk("monday", "a");
  await talk("tuesday", "b");
  const missing = await sessions("remove", "monday", "tuesdy");
  expect(missing.stderr).toContain('there is no conversation "tuesdy"; did you mean "tuesday"?');
  expect(missing.code).toBe(1);
  expect((await sessions("list")).stdout.split("\n")).toHaveLength(3);
  expect((await sessions("remove", "monday", "tuesday")).code).toBe(0);
  expect(await sessions("list")).toEqual({ stdout: "", stderr: "No saved conversations.\n", code: 0 });
});

test("can be named by a unique prefix; an ambiguous one lists the matches", async () => {
  await talk("2026-01-01-a", "[[say:One.]]");
  await talk("2026-01-02-b", "[[say:Two.]]");
  expect((await sessions("show", "2026-01-01")).stdout).toContain("One.");
  expect((await sessions("export", "2026-01-02")).stdout).toContain("Two.");
  const { stderr, code } = await sessions("show", "2026");
  expect(stderr).toBe('antiphon: "2026" matches 2 conversations:\n  2026-01-01-a\n  2026-01-02-b\n');
  expect(code).toBe(1);
  expect((await sessions("remove", "2026-01-01")).code).toBe(0);
  expect((await sessions("list")).stdout).toMatch(/^2026-01-02-b [^\n]*\n$/);
});
