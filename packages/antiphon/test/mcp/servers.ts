import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { mcpServer, type McpOptions, type McpRunnableTool, type McpServer } from "../../src/mcp/index.ts";

const program = fileURLToPath(new URL("./server.mjs", import.meta.url));

/** A file that the server writes to, and what it wrote. */
export function traced(): { path: string; lines(): string[] } {
  const folder = mkdtempSync(join(tmpdir(), "antiphon-mcp-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "trace");
  writeFileSync(path, "");
  return { path, lines: () => readFileSync(path, "utf8").split("\n").filter(Boolean) };
}

/** The tools of a child process that is ended with the test. */
export function stdioServer(options: McpOptions & { cwd?: string } = {}, env: Record<string, string> = {}): McpServer {
  const server = mcpServer({ command: process.execPath, args: [program], env, ...options });
  onTestFinished(() => server.close());
  return server;
}

/** A server on loopback that can be ended and started again on the same port. */
export class HttpTestServer {
  #child: ChildProcess | undefined;
  #port = 0;

  async start(env: Record<string, string> = {}): Promise<string> {
    const child = spawn(process.execPath, [program, "http", String(this.#port)], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ...env },
    });
    this.#child = child;
    const port = await new Promise<string>((resolve) => child.stdout.once("data", (bytes: Buffer) => resolve(String(bytes))));
    this.#port = Number(port);
    return `http://127.0.0.1:${this.#port}/mcp`;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("exit", resolve));
  }
}

/** A started HTTP server that is ended with the test. */
export async function httpServer(env?: Record<string, string>): Promise<{ url: string; server: HttpTestServer }> {
  const server = new HttpTestServer();
  onTestFinished(() => server.stop());
  return { url: await server.start(env), server };
}

/** The tool of a name. */
export async function toolOf(server: McpServer, name: string): Promise<McpRunnableTool> {
  const tools = await server.listTools();
  const found = tools.find((tool) => tool.mcp.name === name);
  if (!found) throw new Error(`${name} is not among ${tools.map((tool) => tool.mcp.name).join(", ")}`);
  return found;
}

/** What came of a call, and what it told on the way. */
export async function use(
  server: McpServer,
  name: string,
  input: unknown = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<{ result: unknown; progress: unknown[] }> {
  const tool = await toolOf(server, name);
  const context = { signal, call_id: "call_1", name: tool.name, context: undefined };
  const running = tool.run(await tool.read(input), context) as AsyncGenerator;
  const progress: unknown[] = [];
  for (;;) {
    const { done, value } = await running.next();
    if (done) return { result: value, progress };
    progress.push(value);
  }
}

/** Resolves when a condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Whether a process is there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A child that nobody waited for yet is listed, but dead.
    const status = `/proc/${pid}/stat`;
    return !existsSync(status) || !readFileSync(status, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}
