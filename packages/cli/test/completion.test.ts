import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commands } from "../src/commands.ts";
import { antiphon } from "./support/antiphon.ts";

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "antiphon-completion-"));
  writeFileSync(join(folder, "antiphon.bash"), (await antiphon(["completion", "bash"])).stdout);
  writeFileSync(join(folder, "notes.md"), "");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What bash offers for the last word of a line. */
function offered(line: string): string[] {
  const words = line.split(" ");
  const script = `source ./antiphon.bash
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})
COMP_CWORD=${words.length - 1}
_antiphon
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", script], { cwd: folder, encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.trimEnd().split("\n");
}

describe("in bash", () => {
  test("offers the first words of all commands", () => {
    const first = Object.keys(commands).map((name) => name.split(" ")[0]);
    expect(offered("antiphon ")).toEqual(expect.arrayContaining([...new Set(first), "--help", "--version"]));
  });

  test.each([
    ["antiphon co", ["config", "completion"]],
    ["antiphon embed ", ["create", "search"]],
    ["antiphon embed create --chunk", ["--chunk-size", "--chunk-overlap"]],
    ["antiphon run --effort m", ["minimal", "medium"]],
    ["antiphon run --schema no", ["notes.md"]],
    ["antiphon run Hello @no", ["@notes.md"]],
    ["antiphon completion z", ["zsh"]],
  ])("%j", (line, words) => {
    expect(offered(line)).toEqual(words);
  });
});

test("the script for zsh is that for bash, made to fit", async () => {
  const { stdout } = await antiphon(["completion", "zsh"]);
  expect(stdout).toMatch(/^#compdef antiphon\n.*bashcompinit/s);
  expect(spawnSync("bash", ["-n"], { input: stdout }).status).toBe(0);
});

test("the script for fish has a line for every command and flag", async () => {
  const { stdout } = await antiphon(["completion", "fish"]);
  for (const { flags } of Object.values(commands))
    for (const flag of Object.keys(flags)) expect(stdout).toContain(` -l ${flag} `);
  expect(stdout).toContain("-n __fish_use_subcommand -a run -d 'send one prompt and print the answer'");
});

test("no other shell is known, with exit code 2", async () => {
  const { stderr, code } = await antiphon(["completion", "csh"]);
  expect(stderr).toContain("specify a shell: bash, zsh, fish");
  expect(code).toBe(2);
});
