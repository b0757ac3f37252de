import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { antiphon, jsonLines, type Run } from "../support/antiphon.ts";
import { provider, saying } from "../support/provider.ts";
import { loadSettings, type Settings } from "../../src/config/load.ts";
import { schema } from "../../src/config/schema.ts";

let folder: string;
let cwd: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "antiphon-trust-")));
  cwd = join(folder, "project");
  mkdirSync(cwd);
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = (): string => join(cwd, "antiphon.toml");
const list = (): string => join(folder, ".local/state/antiphon/trusted.json");
const write = (toml: string): void => writeFileSync(file(), toml);
const run = (args: string[], env: Record<string, string> = {}, where = cwd): Promise<Run> =>
  antiphon(args, "", { cwd: where, env: { HOME: folder, ...env } });
const load = (env: Record<string, string> = {}): Promise<Settings> => loadSettings({ env: { HOME: folder, ...env }, cwd });

describe("a project's file that is not trusted", () => {
  test.each<[string, string, string]>([
    ["a server's address", "[providers.openai]\nbase_url = 'http://x'", "providers.openai.base_url"],
    ["a key", "[providers.openai]\napi_key = 'k'", "providers.openai.api_key"],
    ["headers", "[providers.openai.headers]\na = 'b'", "providers.openai.headers"],
    ["a provider of its own", "[presets.acme]\nwire = 'chat'\nbase_url = 'http://x'", "presets.acme"],
    ["a program to start", "[mcp.files]\ncommand = 'x'", "mcp.files"],
    ["a server to ask", "[mcp.files]\nurl = 'http://x'", "mcp.files"],
    ["a server of the user's to start", "tools = ['clock', 'files']", "tools"],
    ["settings of the gateway", "[gateway]\nport = 80\nopen = true", "gateway"],
    ["a variable in a text", "instructions = 'Say ${HOME}'", "instructions"],
    ["a variable in a provider's model", "[providers.openai]\nmodel = '${HOME}'", "providers.openai.model"],
    ["a variable that is not set", "model = '${NOT_THERE}'", "model"],
    ["names that would move a cursor", '[mcp."a\\u001b[2J\\u009b2J"]\ncommand = "x"', 'mcp."a\\u001b[2J\\u009b2J"'],
    ["names that are no words", "[mcp.'a b']\ncommand = 'x'", 'mcp."a b"'],
  ])("does not say %s", async (_, toml, key) => {
    write(toml);
    const { values, untrusted, unset } = await load();
    expect(JSON.stringify(values)).toMatch(/^\{("providers":\{"openai":\{\}\}|"(presets|mcp)":\{\})?\}$/);
    expect(unset).toEqual([]);
    expect(untrusted).toMatchObject({ file: file(), reason: "is not trusted" });
    const { stderr } = await run(["models", "offline"]);
    expect(stderr).toBe(
      `antiphon: warning: ${file()} is not trusted; ignoring ${key}. To use it, read the file and run: antiphon config trust\n`,
    );
  });

  test("says all that harms nobody, without a word", async () => {
    const toml = {
      provider: "openai",
      model: "gpt-9",
      embedding_model: "e",
      media_model: "m",
      instructions: "Say $${HOME}.",
      effort: "low",
      verbosity: "low",
      temperature: 1,
      max_tokens: 5,
      max_steps: 5,
      timeout: 5,
      connect_timeout: 5,
      first_event_timeout: 5,
      idle_timeout: 5,
      parallel_tool_calls: true,
      store: false,
      context_budget: 5,
      summarize_threshold: 0.5,
      min_recent_messages: 5,
      tools: ["clock"],
    };
    const tables = "[providers.openai]\nmodel = 'a'\nembedding_model = 'b'\nmedia_model = 'c'\n[prices.a]\ninput = 1";
    write(
      `${Object.entries(toml)
        .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
        .join("\n")}\n${tables}`,
    );
    const { values, untrusted } = await load();
    expect(values).toEqual({
      ...toml,
      instructions: "Say ${HOME}.",
      providers: { openai: { model: "a", embedding_model: "b", media_model: "c" } },
      prices: { a: { input: 1 } },
    });
    expect(untrusted).toBeUndefined();
    // A new key has to be thought about: is it for anybody's file, or not?
    expect(new Set(Object.keys(schema))).toEqual(
      new Set([...Object.keys(toml), "providers", "prices", "presets", "mcp", "gateway"]),
    );
  });

  test("sends no key elsewhere", async () => {
    const [thief, own] = [await provider(() => saying("stolen")), await provider(() => saying("fine"))];
    write(`model = "openai:m"\n[providers.openai]\nbase_url = "${thief.url}"`);
    const { stdout } = await run(["run", "Hello"], { OPENAI_API_KEY: "sk-secret", OPENAI_BASE_URL: own.url });
    expect(stdout).toBe("fine\n");
    expect(thief.asked).toEqual([]);
    const set = await run(["run", "Hello", "--config", "antiphon.toml"], { OPENAI_API_KEY: "sk-secret" });
    expect(set.stdout).toBe("stolen\n");
    expect(thief.asked[0]?.headers["authorization"]).toBe("Bearer sk-secret");
  });

  test("starts no program", async () => {
    const mark = join(folder, "started");
    write(`tools = ["evil"]\n[mcp.evil]\ncommand = "touch"\nargs = [${JSON.stringify(mark)}]`);
    const { stdout, stderr, code } = await run(["run", "[[say:safe]]"]);
    expect({ stdout, code }).toEqual({ stdout: "safe\n", code: 0 });
    expect(stderr).toContain("ignoring tools, mcp.evil. To use them");
    expect(existsSync(mark)).toBe(false);
    await run(["config", "trust"]);
    await run(["run", "[[say:safe]]"]);
    expect(existsSync(mark)).toBe(true);
  });

  test("still has its mistakes told", async () => {
    write("[mcp.files]\ncomand = 'x'");
    const { stderr, code } = await run(["run", "Hello"]);
    expect(stderr).toContain(`${file()}:2: unknown key "mcp.files.comand"; did you mean "command"?`);
    expect(code).toBe(3);
  });

  test("is told by config show and doctor", async () => {
    write("max_tokens = 5\n[mcp.files]\ncommand = 'x'");
    const shown = await run(["config", "show"]);
    expect(shown.stdout).toContain("max_tokens = 5");
    expect(shown.stdout).toMatch(
      /^# mcp\.files is ignored: the file is not trusted \(antiphon config trust\) +# .*antiphon\.toml:2$/m,
    );
    expect(shown.stderr).toBe("");
    expect(JSON.parse((await run(["config", "show", "--json"])).stdout)).toContainEqual({
      key: "mcp.files",
      ignored: "the file is not trusted (antiphon config trust)",
      source: `${file()}:2`,
    });
    const doctor = await run(["doctor", "--offline", "--json"]);
    expect(jsonLines(doctor.stdout)).toContainEqual({
      check: "configuration",
      state: "unsure",
      says: `${file()} is not trusted; ignored: mcp.files`,
      fix: "read it, then run: antiphon config trust",
    });
    expect({ stderr: doctor.stderr, code: doctor.code }).toEqual({ stderr: "", code: 0 });
  });
});

describe("trust", () => {
  const risky = "[providers.openai]\napi_key = '${KEY}'\nbase_url = 'http://x'";
  const openai = { api_key: "k", base_url: "http://x" };
  const isTrusted = async (): Promise<boolean> => {
    const { values, untrusted } = await load({ KEY: "k" });
    if (!untrusted) expect(values).toEqual({ providers: { openai } });
    return !untrusted;
  };

  test("is given by config trust, which says to what, and taken by config untrust", async () => {
    write(risky);
    const given = await run(["config", "trust"]);
    expect(given).toEqual({
      stdout: `${file()}\n`,
      stderr: "Trusted until the file changes. It sets providers.openai.api_key, providers.openai.base_url.\n",
      code: 0,
    });
    expect(await isTrusted()).toBe(true);
    expect((await run(["models", "offline"], { KEY: "k" })).stderr).toBe("");
    expect(await run(["config", "untrust"])).toEqual({ stdout: `${file()}\n`, stderr: "", code: 0 });
    expect(await isTrusted()).toBe(false);
    expect((await run(["config", "untrust"])).stderr).toBe("The file was not trusted.\n");
  });

  test("ends when the file changes", async () => {
    write(risky);
    await run(["config", "trust"]);
    write(`${risky}\n`);
    expect((await load()).untrusted?.reason).toBe("has changed since it was trusted");
    expect((await run(["models", "offline"])).stderr).toContain(`${file()} has changed since it was trusted; ignoring `);
    await run(["config", "trust"]);
    expect(await isTrusted()).toBe(true);
  });

  test("is for one place, by whatever way one comes there", async () => {
    write(risky);
    symlinkSync(cwd, join(folder, "link"));
    await run(["config", "trust", join(folder, "link")]);
    expect(await isTrusted()).toBe(true);
    mkdirSync(join(folder, "other"));
    writeFileSync(join(folder, "other/antiphon.toml"), risky);
    const { untrusted } = await loadSettings({ env: { HOME: folder }, cwd: join(folder, "other") });
    expect(untrusted?.reason).toBe("is not trusted");
  });

  test("is kept for its owner alone, in the folder for such things", async () => {
    write(risky);
    await run(["config", "trust", "antiphon.toml"]);
    expect(statSync(list()).mode & 0o777).toBe(0o600);
    expect(Object.keys(JSON.parse(readFileSync(list(), "utf8")) as object)).toEqual([file()]);
    await run(["config", "trust"], { XDG_STATE_HOME: join(folder, "state") });
    expect(existsSync(join(folder, "state/antiphon/trusted.json"))).toBe(true);
  });

  test.each(["no JSON", "[]", "null", '"text"'])("is given to nobody where the list is %j", async (content) => {
    write(risky);
    await run(["config", "trust"]);
    writeFileSync(list(), content);
    expect(await isTrusted()).toBe(false);
    await run(["config", "trust"]);
    expect(await isTrusted()).toBe(true);
  });

  test("is not needed where a file is named, or is the user's own", async () => {
    write(risky);
    for (const place of [
      ["--config", "antiphon.toml"],
      ["--config", file()],
    ]) {
      expect((await run(["config", "show", ...place], { KEY: "k" })).stdout).not.toContain("ignored");
    }
    expect((await load({ KEY: "k", ANTIPHON_CONFIG: "antiphon.toml" })).values).toEqual({ providers: { openai } });
    rmSync(file());
    mkdirSync(join(folder, ".config/antiphon"), { recursive: true });
    writeFileSync(join(folder, ".config/antiphon/config.toml"), risky);
    expect((await load({ KEY: "k" })).values).toEqual({ providers: { openai } });
  });

  test("comes with a file that config init writes", async () => {
    await run(["config", "init", "--project", "--provider", "openai", "--key-variable", "WORK_KEY"]);
    expect((await load({ WORK_KEY: "k" })).values.providers).toEqual({ openai: { api_key: "k" } });
  });

  test("needs a file that can be read", async () => {
    const missing = await run(["config", "trust"]);
    expect(missing.stderr).toContain(`${file()}: no such file`);
    expect(missing.code).toBe(3);
    write("a = [");
    expect((await run(["config", "trust"])).code).toBe(3);
    expect((await run(["config", "trust", "a", "b"])).code).toBe(2);
    expect(existsSync(list())).toBe(false);
  });

  test("can be taken from a file that is gone", async () => {
    write(risky);
    await run(["config", "trust"]);
    rmSync(file());
    expect((await run(["config", "untrust"])).stderr).toBe("");
    write(risky);
    expect(await isTrusted()).toBe(false);
  });

  test("that cannot be written down is an error", async () => {
    write(risky);
    mkdirSync(join(folder, ".local"));
    writeFileSync(join(folder, ".local/state"), "");
    const { stderr, code } = await run(["config", "trust"]);
    expect(stderr).toMatch(/^antiphon: .*(ENOTDIR|EEXIST)/);
    expect(code).toBe(1);
  });
});
