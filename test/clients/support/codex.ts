import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../codex/node_modules/@openai/codex/bin/codex.js", import.meta.url));

/** What Codex is to do, and where. */
export interface CodexTask {
  url: string;
  model: string;
  prompt: string;
  /** The files that it finds, by name. */
  files: Readonly<Record<string, string>>;
  webSockets?: boolean;
  /** What the gateway wants to see. */
  key?: string;
}

/** What came of it. */
export interface CodexRun {
  code: number | null;
  /** What it told on its way. */
  events: { type: string; item?: { type: string; text?: string; message?: string; exit_code?: number } }[];
  /** What it told beside that. */
  log: string;
  read(file: string): string;
  clean(): void;
}

/** Runs Codex in a folder of its own, with nothing of its user's. */
export async function runCodex(task: CodexTask): Promise<CodexRun> {
  const folder = mkdtempSync(join(tmpdir(), "antiphon-codex-"));
  const [home, work] = ["home", "work"].map((name) => join(folder, name)) as [string, string];
  for (const path of [home, work]) mkdirSync(path);
  for (const [name, text] of Object.entries(task.files)) writeFileSync(join(work, name), text);
  writeFileSync(join(home, "config.toml"), configOf(task));
  const { code, out, log } = await run(task, home, work);
  return {
    code,
    events: out
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as CodexRun["events"][number]),
    log,
    read: (file) => readFileSync(join(work, file), "utf8"),
    clean: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const configOf = ({ url, model, webSockets = false }: CodexTask): string => `
model = "${model}"
model_provider = "antiphon"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.antiphon]
name = "Antiphon"
base_url = "${url}/openai/v1"
wire_api = "responses"
env_key = "ANTIPHON_KEY"
supports_websockets = ${webSockets}
request_max_retries = 0
stream_max_retries = 0
`;

function run({ prompt, key = "none" }: CodexTask, home: string, work: string) {
  const args = ["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-C", work, prompt];
  // It has nothing to look for outside of this machine: whatever it tries goes to a port where nobody listens.
  const env = { PATH: process.env["PATH"], HOME: home, CODEX_HOME: home, ANTIPHON_KEY: key, HTTPS_PROXY: "http://127.0.0.1:9" };
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  let [out, log] = ["", ""];
  child.stdout.on("data", (data) => (out += String(data)));
  child.stderr.on("data", (data) => (log += String(data)));
  return new Promise<{ code: number | null; out: string; log: string }>((resolve, reject) => {
    child.on("error", reject).on("close", (code) => resolve({ code, out, log }));
  });
}
