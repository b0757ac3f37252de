import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { commands } from "../src/commands.ts";
import { keyAt } from "../src/config/schema.ts";
import { pathOf } from "../src/config/check.ts";
import { helpOf, type Flags } from "../src/options.ts";
import { overview } from "../src/overview.ts";
import { antiphon } from "./support/antiphon.ts";

const names = Object.keys(commands);
const docs = readFileSync(new URL("../../../docs/cli.md", import.meta.url), "utf8");

describe("help", () => {
  test.each([["--help"], ["-h"], ["help"]])(
    "of all commands is what %s prints, and antiphon alone without a terminal",
    async (flag) => {
      const { stdout, code } = await antiphon([flag]);
      for (const name of names) expect(stdout).toMatch(new RegExp(`^  ${name} {2,}\\w`, "m"));
      expect(stdout).toBe((await antiphon([])).stdout);
      expect(code).toBe(0);
    },
  );

  test("is in the docs, word for word", () => {
    const shown = [...docs.matchAll(/^```console\n\$ antiphon (.*--help)\n([^]*?)\n```$/gm)].map(([, name, text]) => [
      name,
      text,
    ]);
    const printed = Object.entries(commands).map(([name, command]) => [`${name} --help`, helpOf(name, command)]);
    expect(shown).toEqual([["--help", overview()], ...printed]);
  });

  test("of a group lists what is in it", async () => {
    const { stdout, code } = await antiphon(["config", "--help"]);
    expect(stdout).toMatch(/^ {2}config show {2}.*\n {2}config init {2}.*\n {2}config path {2}/m);
    expect(code).toBe(0);
  });

  test("can be asked for in words", async () => {
    expect((await antiphon(["help", "embed", "create"])).stdout).toBe((await antiphon(["embed", "create", "--help"])).stdout);
  });
});

test.each([
  [["embd"], 'unknown command "embd"; did you mean "embed"?'],
  [["embed"], "antiphon embed requires a command: create, search"],
  [["embed", "serch"], 'unknown command "embed serch"; did you mean "search"?'],
  [["help", "nothing"], 'unknown command "nothing"'],
])("%j is no command, with exit code 2", async (args, message) => {
  const { stderr, code } = await antiphon(args);
  expect(stderr).toContain(message);
  expect(code).toBe(2);
});

test("flags set keys that there are", () => {
  const wrong = Object.entries(commands).flatMap(([name, { flags }]: [string, { flags: Flags }]) =>
    Object.entries(flags).flatMap(([flag, { sets }]) => (sets && !keyAt(pathOf(sets)) ? [`${name} --${flag}`] : [])),
  );
  expect(wrong).toEqual([]);
});

/** The modules that a run of the command line loads. */
async function loadedBy(args: string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "antiphon-loaded-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await antiphon(args, "", { env: { NODE_V8_COVERAGE: folder } });
  return readdirSync(folder).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(folder, file), "utf8")) as { result: { url: string }[] };
    return result.map(({ url }) => url).filter((url) => url.startsWith("file:"));
  });
}

describe("what is not needed is not loaded", () => {
  test.each([[["--version"]], [["--help"]], [["run", "--help"]], [["completion", "bash"]], [["config", "path"]]])(
    "%j needs no library",
    async (args) => {
      const loaded = await loadedBy(args);
      expect(loaded.some((url) => url.includes("/cli/dist/main.js"))).toBe(true);
      expect(loaded.filter((url) => /\/(antiphon|gateway)\/dist\//.test(url))).toEqual([]);
    },
  );

  test("an answer needs neither the gateway nor a parser of files that are not there", async () => {
    const loaded = await loadedBy(["run", "[[say:hi]]"]);
    expect(loaded.some((url) => url.includes("/antiphon/dist/index.js"))).toBe(true);
    expect(
      loaded.filter((url) =>
        /\/gateway\/dist\/|smol-toml|modelcontextprotocol|genai-prices|shared-(chat|interactive|prices|trust)/.test(url),
      ),
    ).toEqual([]);
  });
});
