import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleChat, type Program } from "./support/bundle.ts";

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
const folder = mkdtempSync(join(tmpdir(), "antiphon-tmux-"));
// A server of its own, which reads no settings and which nobody else talks to.
const tmux = (...args: string[]): string =>
  execFileSync("tmux", ["-S", join(folder, "socket"), "-f", "/dev/null", ...args], { encoding: "utf8" });

let program: Program;

beforeAll(async () => {
  program = await bundleChat();
});
afterAll(async () => {
  if (hasTmux) spawnSync("tmux", ["-S", join(folder, "socket"), "kill-server"]);
  await program.remove();
  rmSync(folder, { recursive: true, force: true });
});

const screen = (): string =>
  tmux("capture-pane", "-p", "-t", "chat")
    .trimEnd()
    .replaceAll(/\d{4}-\d\d-\d\d-\d{6}-[0-9a-f]{4}/g, "SESSION")
    .replaceAll(/\d+ in, \d+ out · context 0 % · [\d.]+ s/g, "STATUS");

async function until(wanted: RegExp): Promise<string> {
  for (const end = Date.now() + 15_000; Date.now() < end;) {
    if (wanted.test(screen())) return screen();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`tmux never showed ${String(wanted)}; it shows:\n${screen()}`);
}

const keys = (...names: string[]): string => tmux("send-keys", "-t", "chat", ...names);

const needsTmux = hasTmux ? "" : " (skipped: needs the program tmux)";
test.skipIf(!hasTmux)(`a chat in tmux runs tools, resizes, stops, suspends and resumes${needsTmux}`, async () => {
  const settings = JSON.stringify({ sessions: join(folder, "sessions"), history: join(folder, "history") });
  tmux(
    "new-session",
    "-d",
    "-s",
    "chat",
    "-x",
    "50",
    "-y",
    "30",
    "env",
    "LANG=C.UTF-8",
    "PS1=$ ",
    "bash",
    "--norc",
    "--noprofile",
  );
  await until(/\$$/);
  keys("clear", "Enter", `'${process.execPath}' '${program.path}' '${settings}'`, "Enter");
  await until(/\n>$/);
  tmux("clear-history", "-t", "chat");

  keys("-l", "What is the weather in Oslo?");
  keys("Enter");
  const answered = await until(/STATUS\n\n>$/);
  expect(answered.slice(answered.indexOf("offline"))).toBe(`offline · session SESSION · /help

> What is the weather in Oslo?

✓ weather {"city":"Oslo"} → It is sunny in Oslo.

The weather tool says: It is sunny in Oslo.

offline · STATUS

>`);

  keys("-l", '[[call:remove_file {"path":"a"}]]');
  keys("Enter");
  await until(/\? remove_file \{"path":"a"\}\n {2}Run it\? y yes, n no, a always, s show arguments$/);
  keys("y");
  await until(/✓ remove_file \{"path":"a"\} → Removed a\.\n[\s\S]*STATUS\n\n>$/);

  keys(
    "-l",
    "[[slow:20]] [[say:🎉 漢字 and then a long line that goes on and on and on and on and on and on and on and on and on]]",
  );
  keys("Enter");
  await until(/\n\n🎉 漢字 and then/);
  tmux("resize-window", "-t", "chat", "-x", "30", "-y", "30");
  keys("C-c");
  // Whatever had come, the spinner below it is gone, and what is said stands under it in the new width.
  await until(/\n\n🎉 漢字 and then[^>]*\n\nStopped; partial answer saved\.\n\n[^>]*\n\n>$/);

  keys("-l", "half a message");
  await until(/> half a message$/);
  keys("C-z");
  await until(/Stopped[^\n]*\n?[\s\S]*\$$/);
  keys("fg", "Enter");
  await until(/> half a message$/);
  keys("C-u", "C-d");
  await until(/Resume with:\s+antiphon chat\s+--session\s+SESSION\s*\$$/);
});
