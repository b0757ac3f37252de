// Twelve mistakes that newcomers make, run with plain Node and the packed library. `docs/errors.md` shows what each prints.
import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A program with a mistake in its last line. */
export interface Mistake {
  title: string;
  program: string;
  env?: (server: string) => Record<string, string>;
}

/** What Node printed for a program. */
interface Printed {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** What Node printed for a mistake. */
export interface Outcome extends Mistake, Printed {}

const withKey = (OPENAI_BASE_URL: string, OPENAI_API_KEY = "sk-right"): Record<string, string> => ({
  OPENAI_BASE_URL,
  OPENAI_API_KEY,
});

export const mistakes: readonly Mistake[] = [
  { title: "No model", program: `await new Agent({}).send("Hello");` },
  { title: "No API key", program: `await new Agent({ model: "openai:gpt-5.2" }).send("Hello");` },
  {
    title: "A wrong API key",
    program: `await new Agent({ model: "openai:gpt-5.2" }).send("Hello");`,
    env: (server) => withKey(server, "sk-wrong"),
  },
  { title: "A mistyped provider", program: `await new Agent({ model: "opneai:gpt-5.2" }).send("Hello");` },
  { title: "A mistyped model", program: `await new Agent({ model: "openai:gpt-52" }).send("Hello");`, env: withKey },
  {
    title: "A server that does not run",
    program: `await new Agent({ model: "ollama:qwen3" }).send("Hello");`,
    env: () => ({ OLLAMA_BASE_URL: "http://127.0.0.1:1/v1" }),
  },
  {
    title: "Chat messages as input",
    program: `const agent = new Agent({ model: "offline" });
await agent.send({ messages: [{ role: "user", content: "Hello" }] });`,
  },
  {
    title: "A tool name with a space",
    program: `tool({ name: "my tool", description: "Returns the time.", run: () => new Date() });`,
  },
  {
    title: "An answer that does not match the schema",
    program: `const output = { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] };
await new Agent({ model: "openai:gpt-5.2", output }).send("How warm is it in Oslo?");`,
    env: withKey,
  },
  {
    title: "Two turns of a chat at once",
    program: `const chat = new Agent({ model: "offline" }).chat();
chat.send("One");
await chat.send("Two");`,
  },
  {
    title: "A mistyped option",
    program: `new Agent({ model: "offline", sytem: "Be brief." });`,
  },
  {
    title: "An object that is not a paused reply",
    program: `await new Agent({ model: "offline" }).resume({});`,
  },
];

/** The program as a file. */
const sourceOf = ({ program }: Mistake): string =>
  `import { Agent, tool } from "antiphon";\n\n${program.replace(/^tool/m, "export const now = tool")}\n`;

/** Returns the number of the file's last line, where the mistake is. */
export const lineOf = (mistake: Mistake): number => sourceOf(mistake).trimEnd().split("\n").length;

/** Packs the library, installs it in an empty project, and runs every program there. */
export async function tryMistakes(): Promise<Outcome[]> {
  const project = installLibrary();
  const server = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
  try {
    await once(server, "listening");
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/v1`;
    return await Promise.all(
      mistakes.map(async (mistake) => ({ ...mistake, ...(await runProgram(project, sourceOf(mistake), mistake.env?.(url))) })),
    );
  } finally {
    server.close();
    rmSync(project, { recursive: true });
  }
}

/** Creates a project with the packed library, as `npm install antiphon` does, but without the network. */
export function installLibrary(): string {
  const project = mkdtempSync(join(tmpdir(), "antiphon-newcomer-"));
  const npm = (...args: string[]): unknown =>
    execFileSync(process.platform === "win32" ? "npm.cmd" : "npm", args, {
      cwd: project,
      stdio: "pipe",
      shell: process.platform === "win32",
    });
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  npm("pack", fileURLToPath(new URL("../packages/antiphon", import.meta.url)), "--ignore-scripts", "--silent");
  const tarball = readdirSync(project).find((name) => name.endsWith(".tgz")) ?? "";
  npm("install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", `./${tarball}`);
  return project;
}

/** Runs a program as `main.mjs` in a new folder of a project, without the variables of this process. */
export function runProgram(project: string, source: string, variables: Record<string, string> = {}): Promise<Printed> {
  const folder = mkdtempSync(join(project, "program-"));
  writeFileSync(join(folder, "main.mjs"), source);
  const { PATH = "", SystemRoot = "" } = process.env;
  const env = { PATH, SystemRoot, NO_COLOR: "1", ...variables };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, ["main.mjs"], { cwd: folder, env }, (_, stdout, stderr) =>
      resolve({ exitCode: child.exitCode, stdout, stderr }),
    );
  });
}

/** Answers as OpenAI does: it has one key and one model, which ignores the requested schema. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { model = "" } = (await readJson(request)) as { model?: string };
  const send = (status: number, body: object): unknown =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (request.headers.authorization !== "Bearer sk-right")
    send(401, { error: { message: "Incorrect API key provided.", type: "invalid_request_error", code: "invalid_api_key" } });
  else if (model !== "gpt-5.2")
    send(404, {
      error: { message: `The model '${model}' does not exist.`, type: "invalid_request_error", code: "model_not_found" },
    });
  else {
    const content = [{ type: "output_text", text: "It is 21 degrees.", annotations: [] }];
    const output = [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content }];
    send(200, { id: "resp_1", object: "response", created_at: 0, status: "completed", model, output });
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return JSON.parse(text);
}
