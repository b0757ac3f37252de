import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { antiphon, shell } from "./support/antiphon.ts";
import { provider, saying } from "./support/provider.ts";

const program = fileURLToPath(new URL("../bin/antiphon.js", import.meta.url));
let cwd: string;
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), "antiphon-pipes-"))));
afterEach(() => rmSync(cwd, { recursive: true }));

/** What a provider is sent for a command line: the parts of the one message. */
async function partsOf(args: string[], input: string | Uint8Array = ""): Promise<unknown[]> {
  const { url, asked } = await provider(() => saying("ok"));
  const env = { OPENAI_API_KEY: "k" };
  const { code, stderr } = await antiphon(["run", "--model", "openai:m", "--base-url", url, ...args], input, { env, cwd });
  expect(stderr).toBe("");
  expect(code).toBe(0);
  const [message] = asked[0]!.body["input"] as { content: string | unknown[] }[];
  return typeof message!.content === "string" ? [message!.content] : message!.content;
}

describe("what is piped in", () => {
  test("goes after what is typed", async () => {
    const { stdout } = await shell(`echo "[[say:from the pipe]]" | antiphon run "Do this:"`);
    expect(stdout).toBe("from the pipe\n");
  });

  test("may come from a file", async () => {
    writeFileSync(join(cwd, "p.txt"), "[[say:from the file]]");
    expect((await shell("antiphon run < p.txt", { cwd })).stdout).toBe("from the file\n");
  });

  test("stands where a dash stands", async () => {
    expect(await partsOf(["Sum up:", "-"], "some text\n")).toEqual([
      { type: "input_text", text: "Sum up:" },
      { type: "input_text", text: "some text" },
    ]);
  });

  test("is attached where it is no text", async () => {
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    expect(await partsOf(["What is it?", "-"], png)).toMatchObject([{ type: "input_text" }, { type: "input_image" }]);
  });

  test("is not searched for files", async () => {
    writeFileSync(join(cwd, "secret.txt"), "secret");
    expect(await partsOf(["-"], "Read @secret.txt")).toEqual([{ type: "input_text", text: "Read @secret.txt" }]);
  });

  test("is not waited for where a program leaves it open and a prompt is there", async () => {
    // `execFile` gives its child a standard input that nobody closes.
    const { stdout } = await promisify(execFile)(process.execPath, [program, "run", "[[say:at once]]"], { env: { HOME: cwd } });
    expect(stdout).toBe("at once\n");
  });

  test("is not read for ever", async () => {
    const { stdout, stderr, code } = await shell("yes 'more and more and more' | antiphon run 'Sum up:' -");
    expect(stderr).toContain("standard input is larger than 32 MiB");
    expect(stdout).toBe("");
    expect(code).not.toBe(0);
  });

  test("may be large", async () => {
    const { stdout, code } = await antiphon(["run", "-"], `[[say:read it all]] ${"x ".repeat(2_000_000)}`);
    expect({ stdout, code }).toEqual({ stdout: "read it all\n", code: 0 });
  });
});

describe("@file", () => {
  test("attaches text as text, pictures as pictures, and other files as files", async () => {
    writeFileSync(join(cwd, "notes.md"), "# Notes");
    writeFileSync(join(cwd, "a.gif"), "GIF89a\u0001\u0000\u0001\u0000");
    writeFileSync(join(cwd, "a.pdf"), "%PDF-1.7\n%\u00ff\u00fe");
    expect(await partsOf(["Compare", "@notes.md", "@a.gif", "@a.pdf"])).toMatchObject([
      { type: "input_text", text: "Compare" },
      { type: "input_text", text: "notes.md:\n\n# Notes" },
      { type: "input_image" },
      { type: "input_file", filename: "a.pdf" },
    ]);
  });

  test("may stand inside a text where there is such a file, and is text where there is none", async () => {
    writeFileSync(join(cwd, "my notes.md"), "# Notes");
    expect(await partsOf(['Ask @ada about @"my notes.md" today'])).toEqual([
      { type: "input_text", text: 'Ask @ada about @"my notes.md" today' },
      { type: "input_text", text: "my notes.md:\n\n# Notes" },
    ]);
  });

  test("that does not exist is an error with exit code 1", async () => {
    const { stderr, code } = await antiphon(["run", "Read", "@nothing.md"], "", { cwd });
    expect(stderr).toContain("no such file: nothing.md");
    expect(code).toBe(1);
  });
});

describe("in a pipeline", () => {
  test("the exit code is that of the answer", async () => {
    expect((await shell("antiphon run '[[say:a]]' | cat")).code).toBe(0);
    expect((await shell("antiphon run '[[refuse:No.]]' | cat")).code).toBe(1);
    expect((await shell("antiphon run --model nobody:x hi | cat")).code).toBe(2);
    expect((await shell("antiphon run --set model=openai hi | cat")).code).toBe(3);
    expect((await shell("antiphon run '[[fail:server_error]]' | cat")).code).toBe(4);
    expect((await shell("OPENAI_API_KEY=k antiphon run --model openai --base-url http://127.0.0.1:1 hi | cat")).code).toBe(5);
  });

  test("a reader that leaves early is no failure", async () => {
    const { stdout, stderr, code } = await shell("antiphon run --json '[[long:20000]]' | head -1");
    expect(JSON.parse(stdout)).toMatchObject({ type: "response.created" });
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  });

  test("nobody need listen to what goes beside the answer", async () => {
    const { stdout, code } = await shell("antiphon run --tool clock 'What time is it in Oslo?' 2> >(exec true) | cat");
    expect(stdout).toContain("Europe/Oslo");
    expect(code).toBe(0);
  });
});

test("--save keeps what the model makes, under a name that stays in the folder", async () => {
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const picture = { type: "image_generation_call", id: "ig_1", status: "completed", result: png };
  const { url } = await provider(() => saying("Here.", picture));
  const run = () =>
    antiphon(["run", "--model", "openai:m", "--base-url", url, "--save", "out", "Draw"], "", {
      env: { OPENAI_API_KEY: "k" },
      cwd,
    });
  const [first, second] = [await run(), await run()];
  expect(first.stdout).toBe("Here.\n");
  expect(first.stderr).toMatch(/saved out\/.+\.png\n/);
  expect(second.stderr).toMatch(/saved out\/.+-2\.png\n/);
});
