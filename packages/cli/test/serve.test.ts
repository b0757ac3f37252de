import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { antiphon, start } from "./support/antiphon.ts";

let cwd: string;
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), "antiphon-serve-"))));
afterEach(() => rmSync(cwd, { recursive: true }));

/** Starts a gateway on a free port, and gives its address. */
async function serve(...args: string[]) {
  const child = start(["serve", "--port", "0", "--store", "memory", ...args], { cwd, env: { HOME: cwd } });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.end();
  const stderr = text(child.stderr);
  let said = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
      if (found) resolve(found);
    });
    child.once("close", () => void stderr.then((words) => reject(new Error(words))));
  });
  return { child, url, stderr, stdout: () => said };
}

const ask = (url: string, body: object): Promise<Response> =>
  fetch(`${url}/v1/responses`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

test("answers at the address that it prints, with how to point programs at it", async () => {
  const { child, url, stdout } = await serve();
  const response = await ask(url, { model: "offline", input: "[[say:Hello from the gateway.]]" });
  expect(JSON.stringify(await response.json())).toContain("Hello from the gateway.");
  child.kill("SIGINT");
  const [code] = await once(child, "close");
  expect(code).toBe(0);
  expect(stdout()).toContain(`curl ${url}/v1/responses`);
  expect(stdout()).toContain(`baseURL: "${url}/openai/v1"`);
  expect(stdout()).toContain('wire_api = "responses"');
  expect(stdout()).toContain(`${url}/openai/v1  for OpenAI clients`);
  expect(stdout()).toMatch(/http:\S+ +for Anthropic clients/);
  expect(stdout()).toContain("export ANTHROPIC_AUTH_TOKEN=");
  expect(stdout()).not.toMatch(/ POST \/v1\/responses /);
});

test("prints the address alone when it is to be quiet", async () => {
  const { child, url, stdout, stderr } = await serve("--quiet");
  child.kill("SIGTERM");
  const [code] = await once(child, "close");
  expect({ code, stdout: stdout(), stderr: await stderr }).toEqual({ code: 0, stdout: `${url}\n`, stderr: "" });
});

test("lets what runs end at the first signal", async () => {
  const { child, url } = await serve("--quiet");
  const asked = ask(url, {
    model: "offline",
    input: "[[slow:20]] [[say:one two three four five six seven eight]]",
    stream: true,
  });
  const response = await asked;
  child.kill("SIGINT");
  expect(await response.text()).toContain("response.completed");
  const [code] = await once(child, "close");
  expect(code).toBe(0);
});

test("stops at once at the second", async () => {
  const { child, url } = await serve();
  const response = await ask(url, { model: "offline", input: "[[slow:200]] [[long:500]]", stream: true });
  child.kill("SIGINT");
  await once(child.stderr, "data");
  child.kill("SIGINT");
  const [, signal] = await once(child, "close");
  expect(signal).toBe("SIGINT");
  await expect(response.text()).rejects.toThrow("terminated");
});

test("takes its models from the configuration", async () => {
  writeFileSync(join(cwd, "antiphon.toml"), '[gateway]\ndefault_model = "fast"\n[gateway.models]\nfast = "offline"');
  const { url } = await serve("--quiet", "--config", "antiphon.toml");
  expect(await (await ask(url, { input: "[[say:Quick.]]" })).json()).toMatchObject({ status: "completed", model: "fast" });
});

test.each([
  ['[gateway]\nport = 0\n\n[gateway.models.fast]\nuse = "opnai:x"', /antiphon\.toml:5: .*opnai/],
  [
    '[gateway.models.fast]\nuse = "offline"\nretrys = 1',
    /antiphon\.toml:3: Unknown key "models\.fast\.retrys"; did you mean "retries"/,
  ],
  [
    '[gateway.models.gpt-3.5-turbo]\nuse = "offline"',
    /antiphon\.toml:1: .*quote a name .*: \[gateway\.models\."gpt-3\.5-turbo"\]/,
  ],
  ["[gateway]\nprot = 1", /antiphon\.toml:2: unknown key "gateway\.prot"; did you mean "port"\?/],
  ["[gateway.limits]\nmax_chain = 0", /antiphon\.toml:2: gateway\.limits\.max_chain must be a whole number of at least 1, not 0/],
  ["[gateway.telemetry]\nlogs = 1", /antiphon\.toml:2: gateway\.telemetry\.logs must be a table, true or false, not 1/],
  ['[gateway]\ndefault_model = "none"\nmodels.a = "offline"', /antiphon\.toml:2: default_model is "none"/],
  ['[gateway.cors]\norigins = ["no origin"]', /antiphon\.toml:2: "no origin" is not an origin/],
  ['[gateway.urls]\nallow = ["no host!"]', /antiphon\.toml:2: "no host!" is not a host name/],
  ['[gateway]\npassed_on = ["cookie"]', /antiphon\.toml:2: The header "cookie" cannot be forwarded/],
  ['[gateway]\nstore = "${NOT_THERE}"', /antiphon\.toml:2: gateway\.store uses \$\{NOT_THERE\}/],
  ['[presets.acme]\nwire = "chat"', /antiphon\.toml:1: .*acme/],
])("names the line of a setting that it does not take, with exit code 3: %j", async (toml, message) => {
  writeFileSync(join(cwd, "antiphon.toml"), toml);
  const { stderr, code } = await antiphon(["serve", "--port", "0", "--config", "antiphon.toml"], "", { cwd, env: { HOME: cwd } });
  expect(stderr).toMatch(message);
  expect(code).toBe(3);
});

test.each([
  ["the command line", ["--host", "0.0.0.0"], {}, 2],
  ["the configuration", [], { ANTIPHON_GATEWAY_HOST: "0.0.0.0" }, 3],
] as const)("is not put where others can reach it without a key because %s says so", async (_, args, env, expected) => {
  const { stderr, code } = await antiphon(["serve", "--store", "memory", "--port", "0", ...args], "", {
    cwd,
    env: { HOME: cwd, ...env },
  });
  expect(stderr).toContain("Without keys, the gateway does not listen on");
  expect(code).toBe(expected);
});

test("takes every setting that the docs name", async () => {
  const settings = ["limits.max_background=0", "limits.stall_timeout=1000", "runs.lease=5000", "runs.poll=100", "runs.pause=0"];
  const { url } = await serve("--quiet", ...settings.flatMap((setting) => ["--set", `gateway.${setting}`]));
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test("says that its store cannot be reached, and blames no provider", async () => {
  const { stderr, code } = await antiphon(["serve", "--port", "0", "--store", "postgres://127.0.0.1:1/x"], "", {
    cwd,
    env: { HOME: cwd },
  });
  expect(stderr).toMatch(/The store failed: .*ECONNREFUSED.*\nCheck `gateway\.store`/);
  expect(code).toBeGreaterThan(0);
});

test("reports a port in use, with exit code 1", async () => {
  const { url } = await serve("--quiet");
  const { stderr, code } = await antiphon(["serve", "--store", "memory", "--port", new URL(url).port], "", {
    cwd,
    env: { HOME: cwd },
  });
  expect(stderr).toContain("is in use; choose another with --port");
  expect(code).toBe(1);
});
