import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleChat, type Program } from "./support/bundle.ts";

let program: Program;
const folder = mkdtempSync(join(tmpdir(), "antiphon-lines-"));

beforeAll(async () => {
  program = await bundleChat();
});
afterAll(async () => {
  await program.remove();
  rmSync(folder, { recursive: true, force: true });
});

function start(settings: object = {}): ChildProcessWithoutNullStreams {
  const kept = { sessions: join(folder, "sessions"), history: join(folder, "history") };
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder };
  return spawn(process.execPath, [program.path, JSON.stringify({ ...kept, ...settings })], { cwd: folder, env });
}

async function chat(input: string, settings: object = {}): Promise<{ stdout: string; stderr: string; code: number | null }> {
  const child = start(settings);
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { stdout, stderr, code: code as number | null };
}

describe("without a terminal", () => {
  test("each line is a message, answers go to the output as they are, and all else beside it", async () => {
    const { stdout, stderr, code } = await chat("What is the weather in Oslo?\n\n[[echo]] one \\\ntwo\n[[say:# A **b**]]", {
      effort: "low",
    });
    expect(stdout).toBe("The weather tool says: It is sunny in Oslo.\none \ntwo\n# A **b**\n");
    expect(stderr).toContain('weather {"city":"Oslo"} -> It is sunny in Oslo.\n');
    expect(stderr).toMatch(/^thought for \d/m);
    expect(stdout + stderr).not.toContain("\u001B");
    expect(code).toBe(0);
  });

  test("commands work, and mistakes are explained", async () => {
    const { stderr, code } = await chat(
      "/modl\n/effort hihg\n/model nowhere:x\n/undo x\n/quit now\n/effort low\n/tools off nope\n/quit\nnot read",
    );
    expect(stderr).toContain("Unknown command /modl; did you mean /model? /help lists all commands.\n");
    expect(stderr).toContain('Unknown effort "hihg"; did you mean "high"? Values: none, minimal, low, medium, high, xhigh.\n');
    expect(stderr).toContain("nowhere");
    expect(stderr).toContain('The number of turns must be a whole number greater than 0, not "x".\n');
    expect(stderr).toContain("/quit takes no argument.\n");
    expect(stderr).toContain("Effort: low\n");
    expect(stderr).toContain('Unknown tool "nope". Available: weather, slow_count, remove_file, nasty.\n');
    expect(stderr).not.toContain("not read");
    expect(code).toBe(2);
  });

  test("a tool that needs agreement is asked about, and does not run where nobody answers", async () => {
    const order = '[[call:remove_file {"path":"x"}]]\n';
    expect((await chat(`${order}perhaps\nyes\n`)).stdout).toContain("Removed x.");
    expect((await chat(`${order}n\n`)).stdout).toContain("declined");
    const { stdout, stderr } = await chat(order);
    expect(stdout).toContain("declined");
    expect(stderr).toContain('? remove_file {"path":"x"}\n');
  });

  test("the exit code is that of the last answer", async () => {
    expect((await chat("[[error:server_error]] Hello")).code).toBe(4);
    expect((await chat("[[error:server_error]] Hello\nWhat is 1 + 1?")).code).toBe(0);
  });

  test("conversations are resumed by as much of their id as tells them apart, and missing ones are named", async () => {
    const { stderr } = await chat("My name is Grace.");
    const id = /session (\S+)/.exec(stderr)![1]!;
    const again = await chat("What is my name?", { resume: id.slice(0, -1) });
    expect(again.stdout).toBe("Your name is Grace.\n");
    expect((await chat("What is my name?", { resume: true })).stdout).toBe("Your name is Grace.\n");
    const none = await chat("", { resume: "nothing-like-it" });
    expect([none.code, none.stderr]).toEqual([1, 'there is no conversation "nothing-like-it"\n']);
    const many = await chat("", { resume: "20" });
    expect(many.stderr).toMatch(/^"20" matches \d+ conversations:\n {2}20\d\d-/);
    expect((await chat("", { resume: true, sessions: join(folder, "empty") })).stderr).toContain(
      "there is no saved conversation to resume",
    );
  });

  test("forking, undoing and saving leave what they should", async () => {
    const { stdout, stderr } = await chat(
      [
        "My name is Ada.",
        "/fork",
        "My name is Bob.",
        "What is my name?",
        "/undo 2",
        "What is my name?",
        "/save a.md",
        "/save a.md",
        "/save b.json",
        "/stats",
      ].join("\n"),
    );
    expect(stdout.split("\n").filter((line) => line.startsWith("Your name"))).toEqual(["Your name is Bob.", "Your name is Ada."]);
    expect(stderr).toContain("Removed 2 turns; 1 turn left.\n");
    expect(readFileSync(join(folder, "a.md"), "utf8")).toContain("## You\n\nWhat is my name?");
    expect(stderr).toContain("a.md already exists. Choose another name.\n");
    expect(JSON.parse(readFileSync(join(folder, "b.json"), "utf8"))).toMatchObject({ version: 1 });
    expect(stderr).toContain("| turns | 2 (4 messages) |\n");
    expect(readdirSync(join(folder, "sessions")).length).toBeGreaterThan(1);
  });

  test("what a tool is switched off, the model does not have", async () => {
    const { stdout, stderr } = await chat("/tools off weather\n/tools\nWhat is the weather in Oslo?");
    expect(stderr).toContain("- `weather` (off) Tells the weather in a city.\n");
    expect(stdout).not.toContain("sunny");
  });

  test("the first message is sent when the chat opens", async () => {
    const { stdout, code } = await chat("What is 1 + 1?\n", { first: "What is 6 * 7?" });
    expect({ stdout, code }).toEqual({ stdout: "6 * 7 = 42\n1 + 1 = 2\n", code: 0 });
  });

  test("/exit quits, and /new explains how to start a new conversation", async () => {
    const { stderr, code } = await chat("/new\n/exit\nnot read");
    expect(stderr).toContain("To start a new conversation, /quit and run antiphon again.");
    expect(stderr).not.toContain("not read");
    expect(code).toBe(2);
  });

  test("/model reports a missing key immediately and keeps the model", async () => {
    const { stdout, stderr } = await chat("/model openai:gpt-5.2\nWhat is 1 + 1?");
    expect(stderr).toContain("There is no key for openai.\nSet OPENAI_API_KEY, or add `api_key` under [providers.openai]");
    expect(stdout).toBe("1 + 1 = 2\n");
  });

  test("a failed answer mentions /retry", async () => {
    expect((await chat("[[error:server_error]] Hello")).stderr).toMatch(/\n\/retry sends the message again\.\n$/);
  });

  test("/save of an empty conversation writes no file", async () => {
    expect((await chat("/save empty.md")).stderr).toContain("The conversation is empty, so there is nothing to save.\n");
    expect(readdirSync(folder)).not.toContain("empty.md");
  });

  test("an interruption stops the answer and keeps the chat", async () => {
    const child = start();
    const output = text(child.stdout);
    const errors = text(child.stderr);
    child.stdin.write("[[slow:50]] [[long:200]]\n");
    await once(child.stdout, "data");
    child.kill("SIGINT");
    child.stdin.end("What is 1 + 1?\n");
    const [code] = await once(child, "close");
    expect(await errors).toContain("Stopped; partial answer saved.\n");
    expect((await output).endsWith("\n1 + 1 = 2\n")).toBe(true);
    expect(code).toBe(0);
  });

  test("what was not answered can be asked again", async () => {
    const { stdout, stderr } = await chat("/retry\n[[error:server_error]] Hello\n/retry");
    expect(stderr).toContain("The last message was answered. Nothing to retry.\n");
    expect(stderr.match(/asked for the error/g)).toHaveLength(2);
    expect(stdout).toBe("");
  });
});
