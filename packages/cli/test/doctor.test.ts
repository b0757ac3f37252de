import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { antiphon, jsonLines, type Run } from "./support/antiphon.ts";
import { provider } from "./support/provider.ts";

let cwd: string;
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), "antiphon-doctor-"))));
afterEach(() => rmSync(cwd, { recursive: true }));

interface Finding {
  check: string;
  state: string;
  says: string;
  fix?: string;
}

const doctor = (env: Record<string, string> = {}, ...args: string[]): Promise<Run> =>
  antiphon(["doctor", "--json", ...args], "", { cwd, env: { HOME: cwd, ...env } });
const finding = ({ stdout }: Run, check: string): Finding | undefined =>
  jsonLines<Finding>(stdout).findLast((one) => one.check === check);
/** Writes the user's own file. */
const write = (toml: string, mode = 0o600): string => {
  const folder = join(cwd, ".config/antiphon");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "config.toml"), toml, { mode });
  return join(folder, "config.toml");
};
const configure = (name: string, url: string): string =>
  write(`model = "${name}:m"\n[providers.${name}]\napi_key = "sk-verysecret"\nbase_url = "${url}"`);

test("is content with a fresh machine", async () => {
  const run = await doctor();
  expect(jsonLines<Finding>(run.stdout).map(({ state }) => state)).not.toContain("wrong");
  expect(finding(run, "model")).toMatchObject({ state: "good", says: "offline:offline" });
  expect(run.code).toBe(0);
});

test("finds a provider that answers, and a clock that is wrong", async () => {
  const later = () => new Date(Date.now() + 600_000).toUTCString();
  const { url } = await provider(() => ({ headers: { date: later() }, body: { data: [{ id: "m" }] } }));
  configure("openai", url);
  const run = await doctor();
  expect(finding(run, "openai")).toMatchObject({ state: "good", says: `${url} is reachable; 1 models` });
  expect(finding(run, "clock")).toMatchObject({
    state: "unsure",
    says: expect.stringMatching(/^(59\d|600) seconds slow$/) as string,
  });
  expect(run.code).toBe(0);
});

test("finds a key that is refused, with exit code 3, and never shows it", async () => {
  const { url } = await provider(() => ({ status: 401, body: { error: { message: "Incorrect API key: sk-verysecret" } } }));
  configure("openai", url);
  const run = await doctor();
  expect(finding(run, "openai")).toMatchObject({ state: "wrong", says: expect.stringContaining("AUTH_ERROR") as string });
  expect(run.stdout).not.toContain("verysecret");
  expect(run.code).toBe(3);
});

test("finds that nobody is there, with exit code 5", async () => {
  configure("openai", "http://127.0.0.1:1/v1");
  const run = await doctor();
  expect(finding(run, "openai")).toMatchObject({ state: "wrong", fix: expect.any(String) as string });
  expect(run.code).toBe(5);
  expect((await doctor({}, "--offline")).code).toBe(0);
});

test("finds that the chosen model has no key, with exit code 3", async () => {
  const run = await doctor({ ANTIPHON_MODEL: "openai" });
  expect(finding(run, "model")).toMatchObject({ state: "wrong", fix: expect.stringContaining("OPENAI_API_KEY") as string });
  expect(run.code).toBe(3);
});

test("finds mistakes in files and variables, and goes on", async () => {
  writeFileSync(join(cwd, "antiphon.toml"), "modle = 'x'");
  const run = await doctor({ ANTIPHON_MODLE: "x" });
  const said = jsonLines<Finding>(run.stdout)
    .map(({ says }) => says)
    .join("\n");
  expect(said).toContain('antiphon.toml:1: unknown key "modle"; did you mean "model"?');
  expect(said).toContain("ANTIPHON_MODLE has no effect; did you mean ANTIPHON_MODEL?");
  expect(finding(run, "model")).toBeDefined();
  expect(run.code).toBe(3);
});

test("finds keys that others can read, and variables that are not set", async () => {
  const file = write('[providers.openai]\napi_key = "sk-a"\n[providers.groq]\napi_key = "${NOT_THERE}"', 0o644);
  const run = await doctor({}, "--offline");
  const said = jsonLines<Finding>(run.stdout).map(({ says, fix }) => `${says} → ${fix}`);
  expect(said).toContain(`${file} contains a key and is readable by other users → chmod 600 ${file}`);
  expect(said.join("\n")).toContain("providers.groq.api_key uses ${NOT_THERE}, which is not set → export NOT_THERE=…");
  expect(run.code).toBe(0);
});

test("finds that nothing can be kept, with exit code 3 and what to do", async () => {
  writeFileSync(join(cwd, "data"), "");
  const run = await doctor({ XDG_DATA_HOME: join(cwd, "data") }, "--offline");
  expect(finding(run, "conversations")).toEqual({
    check: "conversations",
    state: "wrong",
    says: `${join(cwd, "data")} is not writable`,
    fix: "change its permissions, or set XDG_DATA_HOME",
    kind: "config",
  });
  expect(run.code).toBe(3);
});

test("writes for people, too", async () => {
  const { stdout } = await antiphon(["doctor"], "", { cwd, env: { HOME: cwd, ANTIPHON_MODEL: "openai" } });
  expect(stdout).toMatch(/^✓ node: Node \d/);
  expect(stdout).toMatch(/^✗ model: There is no key for openai\.\n {4}→ Set OPENAI_API_KEY, .+$/m);
});
