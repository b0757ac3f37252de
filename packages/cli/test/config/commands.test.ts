import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { antiphon, type Run } from "../support/antiphon.ts";

let cwd: string;
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), "antiphon-config-"))));
afterEach(() => rmSync(cwd, { recursive: true }));

const run = (args: string[], env: Record<string, string> = {}): Promise<Run> =>
  antiphon(["config", ...args], "", { cwd, env: { HOME: cwd, ...env } });
/** A file that is named is trusted. */
const named = { ANTIPHON_CONFIG: "antiphon.toml" };
const write = (toml: string): void => writeFileSync(join(cwd, "antiphon.toml"), toml);

describe("config show", () => {
  test("prints what is set and where, the strongest alone", async () => {
    write("model = 'offline'\nmax_tokens = 5\n[providers.openai]\nbase_url = 'http://localhost'");
    const { stdout, code } = await run(["show", "--set", "gateway.port=80"], { ANTIPHON_MAX_TOKENS: "6", ...named });
    const file = join(cwd, "antiphon.toml");
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/\s+# /));
    expect(lines).toEqual([
      ['model = "offline"', `${file}:1`],
      ["max_tokens = 6", "ANTIPHON_MAX_TOKENS"],
      ['providers.openai.base_url = "http://localhost"', `${file}:4`],
      ["gateway.port = 80", "--set gateway.port"],
    ]);
    expect(code).toBe(0);
  });

  test("masks keys, headers, variables of servers and passwords, wherever they stand", async () => {
    write(`[providers.openai]
api_key = "sk-verysecretkey-1234"
headers = { x-team = "verysecretteam-5678" }
[mcp.a]
command = "x"
env = { TOKEN = "verysecrettoken-9012", OTHER = "verysecretother" }
[gateway]
store = "postgres://ada:verysecret@db/x"
[gateway.providers.x]
base_url = "https://u:verysecret@host/"
api_key = "verysecret"
headers = { x-y = "verysecret" }
[gateway.telemetry.metrics]
token = "verysecret"`);
    for (const args of [["show"], ["show", "--json"]]) {
      const { stdout } = await run(args, named);
      expect(stdout).not.toContain("verysecret");
      expect(stdout).toContain("***1234");
      expect(stdout).toContain("postgres://ada:***@db/x");
    }
  });

  test("prints JSON for programs, with variables that are not set", async () => {
    write("[providers.openai]\napi_key = '${NOT_THERE}'\nbase_url = 'x'");
    const file = join(cwd, "antiphon.toml");
    expect(JSON.parse((await run(["show", "--json"], named)).stdout)).toEqual([
      { key: "providers.openai.base_url", value: "x", source: `${file}:3` },
      { key: "providers.openai.api_key", unset: "NOT_THERE", source: `${file}:2` },
    ]);
  });
});

test("config path prints the files, and whether they are there", async () => {
  write("");
  const { stdout } = await run(["path"]);
  expect(stdout).toBe(`${join(cwd, ".config/antiphon/config.toml")}  (does not exist)\n${join(cwd, "antiphon.toml")}\n`);
});

describe("config init", () => {
  const file = (): string => join(cwd, ".config/antiphon/config.toml");

  test("writes a file that only its owner can read, from flags", async () => {
    const { stdout, code } = await run(["init", "--provider", "claude", "--model", "claude-x", "--key-variable", "WORK_KEY"]);
    expect({ stdout, code }).toEqual({ stdout: `${file()}\n`, code: 0 });
    expect(readFileSync(file(), "utf8")).toBe(
      'provider = "anthropic"\nmodel = "claude-x"\n\n[providers.anthropic]\napi_key = "${WORK_KEY}"\n',
    );
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  test("offers the provider that there is a key for", async () => {
    await run(["init"], { GROQ_API_KEY: "k" });
    expect(readFileSync(file(), "utf8")).toMatch(/^provider = "groq"\nmodel = ".+"\n$/);
  });

  test("writes over nothing, unless it is told to", async () => {
    write("model = 'mine'");
    const refused = await run(["init", "--project", "--provider", "offline"]);
    expect(refused.stderr).toContain("antiphon.toml already exists; overwrite it with --force");
    expect(refused.code).toBe(1);
    expect(readFileSync(join(cwd, "antiphon.toml"), "utf8")).toBe("model = 'mine'");
    expect((await run(["init", "--project", "--provider", "offline", "--force"])).code).toBe(0);
    expect(readFileSync(join(cwd, "antiphon.toml"), "utf8")).toBe('provider = "offline"\nmodel = "offline"\n');
  });

  test("takes no key for the name of a variable", async () => {
    const { stderr, code } = await run(["init", "--provider", "openai", "--key-variable", "sk-abc"]);
    expect(stderr).toContain("is not the name of an environment variable");
    expect(code).toBe(2);
    expect(existsSync(file())).toBe(false);
  });
});
