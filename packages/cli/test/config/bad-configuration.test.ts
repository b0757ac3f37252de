import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { antiphon } from "../support/antiphon.ts";

let cwd: string;
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), "antiphon-bad-"))));
afterEach(() => rmSync(cwd, { recursive: true }));

/** A file that is named is trusted. */
const env = { ANTIPHON_CONFIG: "antiphon.toml" };

describe("a file that is no good ends with exit code 3, and says where", () => {
  test.each<[string, string, ...string[]]>([
    ["a key that there is not", 'modle = "x"', '1: unknown key "modle"; did you mean "model"?'],
    ["one in a table", '\n[providers.openai]\napikey = "x"', '3: unknown key "providers.openai.apikey"; did you mean "api_key"?'],
    ["one that is like nothing", "zzzzzzzz = 1", '1: unknown key "zzzzzzzz"\n'],
    ["text for a number", 'max_tokens = "many"', '1: max_tokens must be a whole number of at least 1, not "many"'],
    ["a number that is too small", "max_tokens = 0", "1: max_tokens must be a whole number of at least 1, not 0"],
    ["one that is too large", "summarize_threshold = 1.5", "1: summarize_threshold must be a number from 0 to 1, not 1.5"],
    ["a part of a number", "max_steps = 1.5", "1: max_steps must be a whole number of at least 1, not 1.5"],
    ["a word for a switch", 'parallel_tool_calls = "maybe"', '1: parallel_tool_calls must be true or false, not "maybe"'],
    [
      "none of a few words",
      'effort = "hihg"',
      'effort must be one of none, minimal, low, medium, high, xhigh, not "hihg"; did you mean "high"?',
    ],
    ["a number for a text", "model = 5", "1: model must be a string, not 5"],
    ["a text for a list", 'tools = "clock"', '1: tools must be a list of strings, not "clock"'],
    ["a number in a table of texts", "[mcp.a]\ncommand = 'x'\nenv = { A = 1 }", "3: mcp.a.env.A must be a string, not 1"],
    ["a text for a table", 'gateway = "x"', '1: gateway must be a table, not "x"'],
    ["a text for a named table", '[mcp]\nfiles = "npx"', '2: mcp.files must be a table, not "npx"'],
    ["a number in a list of texts", '[mcp.a]\ncommand = "x"\nargs = [1]', "3: mcp.a.args must be a list of strings, not a list"],
    [
      "a wire that there is not",
      '[presets.a]\nwire = "chta"',
      "2: presets.a.wire must be one of responses, chat, messages, gemini",
    ],
    ["a price below nothing", '[prices."m"]\ninput = -1', "2: prices.m.input must be a number of at least 0, not -1"],
    [
      "an unquoted name with a dot",
      "[prices.gpt-4.1]\ninput = 1",
      '1: unknown key "prices.gpt-4.1"; quote a name that contains a dot: [prices."gpt-4.1"]',
    ],
    ["a date", "model = 2031-12-31", '1: model must be a string, not "2031-12-31'],
    ["a server of no kind", 'tools = ["a"]\n[mcp.a]\nprefix = "x"', "2: mcp.a requires either `command` or `url`"],
    ["a preset's name that is none", '[presets."A b"]\nwire = "chat"', "1: the name of a preset may contain lowercase letters"],
    ["two mistakes", 'modle = "x"\ntimeout = "x"', '1: unknown key "modle"', "2: timeout must be a number"],
    ["no TOML", "a = [1,\nb", "2: ", "(column"],
    ["a key twice", "model = 'a'\nmodel = 'b'", "2: "],
    ["a variable that is not set", 'model = "${NOT_THERE}"', "1: model uses ${NOT_THERE}, which is not set"],
    ["a provider that there is not", 'provider = "opnai"', '1: Unknown provider "opnai". Did you mean "openai"?'],
    ["settings for nobody", '\n[providers.opnai]\napi_key = "x"', '2: Unknown provider "opnai". Did you mean "openai"?'],
    ["a preset without a wire", "[presets.acme]\nbase_url = 'x'", "1: presets.acme requires `wire`"],
    ["a tool that there is not", 'tools = ["clok"]', '1: unknown tool "clok"; did you mean "clock"?'],
    [
      "a server of both kinds",
      'tools = ["a"]\n[mcp.a]\ncommand = "x"\nurl = "http://x"',
      "2: mcp.a requires either `command` or `url`",
    ],
  ])("%s", async (_, toml, ...messages) => {
    writeFileSync(join(cwd, "antiphon.toml"), toml);
    const { stdout, stderr, code } = await antiphon(["run", "Hello"], "", { cwd, env });
    for (const message of messages) expect(stderr).toContain(message);
    expect(stderr).toContain("antiphon.toml:");
    expect({ stdout, code }).toEqual({ stdout: "", code: 3 });
  });

  test("also where it is the one that a flag names, and is not there", async () => {
    const { stderr, code } = await antiphon(["run", "--config", "missing.toml", "Hello"], "", { cwd });
    expect(stderr).toContain(`${join(cwd, "missing.toml")}: no such file`);
    expect(code).toBe(3);
  });

  test("also where it is a folder", async () => {
    mkdirSync(join(cwd, "antiphon.toml"));
    const { stderr, code } = await antiphon(["run", "Hello"], "", { cwd });
    expect(stderr).toContain(`${join(cwd, "antiphon.toml")}: cannot read the file (EISDIR)`);
    expect(code).toBe(3);
  });

  test("never with a key in the message", async () => {
    writeFileSync(join(cwd, "antiphon.toml"), '[providers.openai]\napi_key = ["sk-secret"]');
    const { stderr, code } = await antiphon(["run", "Hello"], "", { cwd, env });
    expect(stderr).toContain("2: providers.openai.api_key must be a string, not a list");
    expect(stderr).not.toContain("sk-secret");
    expect(code).toBe(3);
  });
});

test("a variable that is no good is named, with exit code 3", async () => {
  const { stderr, code } = await antiphon(["run", "Hello"], "", { env: { ANTIPHON_MAX_TOKENS: "many" } });
  expect(stderr).toContain('ANTIPHON_MAX_TOKENS must be a whole number of at least 1, not "many"');
  expect(code).toBe(3);
});

test.each([
  [["--max-tokens", "many"], '--max-tokens must be a whole number of at least 1, not "many"'],
  [["--set", "modle=x"], '--set modle: unknown key "modle"; did you mean "model"?'],
  [["--set", "nothing"], '--set must be key=value, not "nothing"'],
  [["--set", "gateway.port=x"], '--set gateway.port must be a whole number from 0 to 65535, not "x"'],
])("%j is a mistake of the command line, with exit code 2", async (args, message) => {
  const { stderr, code } = await antiphon(["run", ...args, "Hello"]);
  expect(stderr).toContain(message);
  expect(code).toBe(2);
});
