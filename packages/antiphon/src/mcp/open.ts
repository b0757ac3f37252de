import type { Transport } from "@modelcontextprotocol/client";
import { AntiphonError } from "../core/error.ts";
import { codeOf, type Open, type OpenContext, type Opened } from "./connection.ts";

/** A server that runs as a child of this process and speaks over its standard streams. */
export interface StdioServer {
  command: string;
  args?: string[];
  /** Added to the few variables that every child gets (`PATH`, `HOME` and the like). */
  env?: Record<string, string>;
  cwd?: string;
}

/** A server at an address. */
export interface HttpServer {
  url: string | URL;
  headers?: Record<string, string>;
  fetch?(url: string | URL, init?: RequestInit): Promise<Response>;
}

const program = { name: "antiphon", version: "0.1.0" };

/** Loads the SDK when it is first needed: it is large, and most programs have no MCP server. */
async function load<T>(loading: Promise<T>): Promise<T> {
  try {
    return await loading;
  } catch (cause) {
    const message =
      "MCP servers require the package `@modelcontextprotocol/client`. Run `npm install @modelcontextprotocol/client`.";
    throw new AntiphonError("UNSUPPORTED", message, { cause });
  }
}

/** How a server of this kind is reached. */
export const opener = (server: StdioServer | HttpServer, timeout: number): Open =>
  "command" in server ? openStdio(server, timeout) : openHttp(server, timeout);

/** A longer message from a child ends the connection: what is passed on is bounded further by `maxText` and `maxData`. */
const mostBytes = 64_000_000;

const openStdio =
  ({ command, args, env, cwd }: StdioServer, timeout: number): Open =>
  async (context) => {
    const { StdioClientTransport } = await load(import("@modelcontextprotocol/client/stdio"));
    const transport = new StdioClientTransport({ command, args, env, cwd, stderr: "pipe", maxBufferSize: mostBytes });
    closeOnce(transport);
    const said = lastWords(transport.stderr);
    return connect(transport, context, timeout, () => (said() ? ` Its last output: ${said()}` : ""));
  };

const openHttp =
  ({ url, headers, fetch }: HttpServer, timeout: number): Open =>
  async (context) => {
    const { StreamableHTTPClientTransport } = await load(import("@modelcontextprotocol/client"));
    const requestInit = headers ? { headers } : undefined;
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit, fetch });
    const { client, close } = await connect(transport, context, timeout, () => "");
    return { client, close: () => within(1_000, transport.terminateSession()).then(close) };
  };

/**
 * Makes every call of `close` wait for the same end. The SDK closes a transport whose handshake fails without waiting for
 * it, and any further call would return while the child is still running.
 */
function closeOnce(transport: Transport): void {
  const close = transport.close.bind(transport);
  let ended: Promise<void> | undefined;
  transport.close = () => (ended ??= close());
}

async function connect(
  transport: Transport,
  { closed, closing, changed, signal }: OpenContext,
  timeout: number,
  hint: () => string,
): Promise<Opened> {
  const { Client } = await load(import("@modelcontextprotocol/client"));
  const tools = { autoRefresh: false, debounceMs: 0, onChanged: changed };
  const client = Object.assign(new Client(program, { listChanged: { tools } }), { onclose: closed });
  try {
    await client.connect(transport, { timeout, signal });
  } catch (cause) {
    closing(transport.close());
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `The MCP server could not be reached (${reason}).${hint()}`;
    throw new AntiphonError(codeOf(cause) ?? "CONNECTION_ERROR", message, { cause });
  }
  return { client, close: () => client.close() };
}

/** Waits for something polite, but not for long, and not for success. */
async function within(milliseconds: number, polite: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)));
  await Promise.race([polite.catch(() => {}), late]);
  clearTimeout(timer);
}

const longestWords = 500;

/** The end of what a child writes to its error stream; reading it also keeps the child from standing still. */
function lastWords(stream: { on(event: "data", listener: (chunk: unknown) => void): unknown } | null): () => string {
  let words = "";
  stream?.on("data", (chunk) => {
    words = (words + String(chunk)).slice(-longestWords);
  });
  return () => words.trim();
}
