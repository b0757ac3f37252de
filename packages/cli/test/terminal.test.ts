import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";

const program = fileURLToPath(new URL("../bin/antiphon.js", import.meta.url));
let home: string;
beforeEach(() => (home = mkdtempSync(join(tmpdir(), "antiphon-terminal-"))));
afterEach(() => rmSync(home, { recursive: true }));

/** The command line on a terminal: waits for words, and types answers. */
function terminal(...args: string[]) {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, TERM: "xterm", LANG: "C.UTF-8" };
  const pty = spawn(process.execPath, [program, ...args], { cwd: home, env, cols: 80, rows: 24 });
  let screen = "";
  let wake = (): void => {};
  pty.onData((text) => {
    screen += text;
    wake();
  });
  const ended = new Promise<number>((resolve) => pty.onExit(({ exitCode }) => (resolve(exitCode), wake())));
  onTestFinished(() => {
    try {
      pty.kill("SIGKILL");
    } catch {
      // It has ended already.
    }
  });
  const sees = async (words: string): Promise<void> => {
    while (!screen.includes(words)) await new Promise<void>((resolve) => (wake = resolve));
  };
  return { sees, ended, screen: () => screen, types: (text: string) => pty.write(text) };
}

test("antiphon alone opens a chat", async () => {
  const { sees, types, ended } = terminal();
  await sees("offline");
  types("[[say:Good evening.]]\r");
  await sees("Good evening.");
  types("\u0004");
  expect(await ended).toBe(0);
});

test("config init asks, and offers answers", async () => {
  const { sees, types, ended } = terminal("config", "init");
  await sees("Provider");
  types("openai\r");
  await sees("Model");
  types("\r");
  await sees("Environment variable with the key [OPENAI_API_KEY]");
  types("WORK_KEY\r");
  expect(await ended).toBe(0);
  expect(readFileSync(join(home, ".config/antiphon/config.toml"), "utf8")).toMatch(
    /^provider = "openai"\nmodel = ".+"\n\n\[providers\.openai\]\napi_key = "\$\{WORK_KEY\}"\n$/,
  );
});

test("config init asks before it writes over a file", async () => {
  writeFileSync(join(home, "antiphon.toml"), "model = 'mine'");
  const { sees, types, ended } = terminal("config", "init", "--project");
  await sees("Overwrite it?");
  types("\r");
  expect(await ended).toBe(1);
  expect(readFileSync(join(home, "antiphon.toml"), "utf8")).toBe("model = 'mine'");
});

test("serve prints a line per request on a terminal", async () => {
  const { sees, types, ended, screen: screenOf } = terminal("serve", "--port", "0", "--store", "memory");
  await sees("Ctrl-C stops the gateway.");
  const [url = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(screenOf()) ?? [];
  const body = JSON.stringify({ model: "offline", input: "[[say:hi]]" });
  await fetch(`${url}/v1/responses`, { method: "POST", headers: { "content-type": "application/json" }, body });
  await sees(" POST /v1/responses offline 200 ");
  types("\u0003");
  expect(await ended).toBe(0);
});

test("antiphon chat with a message sends it first", async () => {
  const { sees, types, ended } = terminal("chat", "[[say:Good morning.]]");
  await sees("Good morning.");
  types("/exit\r");
  expect(await ended).toBe(0);
});
