import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { antiphon, type Run } from "./support/antiphon.ts";
import { provider, saying, type Answer } from "./support/provider.ts";

let cwd: string;
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), "antiphon-settings-"))));
afterEach(() => rmSync(cwd, { recursive: true }));

const run = (toml: string, args: string[], input = "", env: Record<string, string> = {}): Promise<Run> => {
  writeFileSync(join(cwd, "mine.toml"), toml);
  return antiphon([...args, "--config", "mine.toml"], input, { cwd, env: { HOME: cwd, ...env } });
};

const settings = (url: string): string => `provider = "openai"
model = "m"
instructions = "Be brief."
effort = "low"
verbosity = "high"
temperature = 0.5
max_tokens = 77
parallel_tool_calls = false
store = false
tools = ["clock"]

[providers.openai]
api_key = "\${WORK_KEY}"
base_url = "${url}"
headers = { x-team = "blue" }
`;

describe("what is set reaches the provider", () => {
  test.each<[string, string[], string]>([
    ["run", ["run", "Hello"], ""],
    ["chat", ["chat", "--no-keep"], "Hello\n"],
  ])("by antiphon %s", async (_, args, input) => {
    const { url, asked } = await provider(() => saying("ok"));
    const { stdout, code } = await run(settings(url), args, input, { WORK_KEY: "sk-work" });
    expect({ stdout, code }).toEqual({ stdout: "ok\n", code: 0 });
    const [{ body, headers } = expect.fail("nobody was asked")] = asked;
    expect(body).toMatchObject({
      model: "m",
      instructions: "Be brief.",
      reasoning: { effort: "low" },
      text: { verbosity: "high" },
      temperature: 0.5,
      max_output_tokens: 77,
      parallel_tool_calls: false,
      store: false,
      tools: [{ name: "clock" }],
    });
    expect(headers).toMatchObject({ authorization: "Bearer sk-work", "x-team": "blue" });
  });

  test("a provider of one's own is asked in its own way", async () => {
    const message = { role: "assistant", content: "Own." };
    const answer: Answer = { body: { id: "c", model: "x", choices: [{ index: 0, finish_reason: "stop", message }] } };
    const { url, asked } = await provider(() => answer);
    const toml = `model = "acme:x"\n[presets.acme]\nwire = "chat"\nbase_url = "${url}"\nenv = ["ACME_KEY"]\nkey_header = "x-key"`;
    expect((await run(toml, ["run", "Hello"], "", { ACME_KEY: "k" })).stdout).toBe("Own.\n");
    expect(asked[0]).toMatchObject({ path: "/v1/chat/completions", headers: { "x-key": "k" }, body: { model: "x" } });
    expect(asked[0]?.headers["authorization"]).toBeUndefined();
  });
});

test("a chat is kept as short as is set", async () => {
  const talk = "[[long:80]] Rivers?\n[[long:80]] Lakes?\n[[long:80]] Seas?\n";
  const short = "context_budget = 300\nsummarize_threshold = 0.5\nmin_recent_messages = 2";
  const summarised = "Summarised the older part of the conversation.";
  expect((await run(short, ["chat", "--no-keep"], talk)).stderr).toContain(summarised);
  for (const change of ["context_budget = 3000", "min_recent_messages = 20"]) {
    const [name = ""] = change.split(" ");
    const toml = short.replace(new RegExp(`^${name} = .*$`, "m"), change);
    expect((await run(toml, ["chat", "--no-keep"], talk)).stderr).not.toContain(summarised);
  }
});

describe("exit codes of providers' failures", () => {
  const key = { OPENAI_API_KEY: "k" };

  test("3 where the key is refused", async () => {
    const { url } = await provider(() => ({ status: 401, body: { error: { message: "Incorrect API key." } } }));
    const { stderr, code } = await run("", ["run", "--model", "openai:m", "--base-url", url, "Hello"], "", key);
    expect(stderr).toContain("AUTH_ERROR: Incorrect API key.");
    expect(code).toBe(3);
  });

  test("5 where the answer takes too long", async () => {
    const server = createServer(() => {});
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => (server.close(), server.closeAllConnections()));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const args = ["run", "--model", "openai:m", "--base-url", url, "Hello"];
    const { stderr, code } = await run("timeout = 0.3", args, "", key);
    expect(stderr).toContain("TIMEOUT");
    expect(code).toBe(5);
  });

  test("5 where a model is silent for too long, with the key that allows more, after one request", async () => {
    let requests = 0;
    const server = createServer(() => (requests += 1));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => (server.close(), server.closeAllConnections()));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    for (const [command, ...words] of [["run"], ["embed", "create", "-"], ["media"]]) {
      requests = 0;
      const args = [command!, ...words, "--model", "openai:m", "--base-url", url, ...(command === "embed" ? [] : ["Hello"])];
      const { stderr, code } = await run("first_event_timeout = 0.3", args, "Hello", key);
      expect(stderr).toContain("TIMEOUT: No event arrived within 0.3 s (`first_event_timeout`).");
      expect([code, requests]).toEqual([5, 1]);
    }
  });
});

describe("a key in the environment, without a configured model", () => {
  const keys = { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k", GITHUB_TOKEN: "k" };

  test.each<[string, string[], string]>([
    ["run", ["run", "Hello"], ""],
    ["chat", ["chat", "--no-keep"], "Hello\n"],
  ])("selects the first provider in %s, and a note names it", async (_, args, input) => {
    const { url, asked } = await provider(() => saying("ok"));
    const { stdout, stderr } = await run("", [...args, "--base-url", url], input, keys);
    expect(stdout).toBe("ok\n");
    expect(stderr).toMatch(/using openai:\S+ because OPENAI_API_KEY is set; --model selects another model\n/);
    expect(asked).toHaveLength(1);
  });

  test("does not override a configured model", async () => {
    expect(await run('model = "offline"', ["run", "[[say:hi]]"], "", keys)).toEqual({ stdout: "hi\n", stderr: "", code: 0 });
  });

  test("of a token for other purposes selects nothing", async () => {
    expect((await run("", ["run", "[[say:hi]]"], "", { GITHUB_TOKEN: "k", HF_TOKEN: "k" })).stdout).toBe("hi\n");
  });
});

test("a misspelt variable is a warning that names the nearest one", async () => {
  const env = { ANTIPHON_MODLE: "x", ANTIPHON_UNRELATED_THING: "x" };
  expect(await run("", ["run", "[[say:hi]]"], "", env)).toEqual({
    stdout: "hi\n",
    stderr: "antiphon: warning: ANTIPHON_MODLE has no effect; did you mean ANTIPHON_MODEL?\n",
    code: 0,
  });
});

test("an unknown model suggests the nearest one of the provider", async () => {
  const message = "The model 'gpt-5.22' does not exist.";
  const { url } = await provider(() => ({ status: 404, body: { error: { message, code: "model_not_found", param: "model" } } }));
  const args = ["run", "--model", "openai:gpt-5.22", "--base-url", url, "Hello"];
  const { stderr } = await run("", args, "", { OPENAI_API_KEY: "k" });
  expect(stderr).toMatch(/\nDid you mean openai:gpt-5\.\S+\? `antiphon models openai` lists the available models\.\n$/);
});
