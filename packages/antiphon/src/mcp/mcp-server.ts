import { AntiphonError, messageOf } from "../core/error.ts";
import {
  anyText,
  checkOptions,
  either,
  func,
  limit,
  listOf,
  milliseconds,
  object,
  oneOf,
  rule,
  strings,
  text,
  yesOrNo,
  type Rules,
} from "../core/options.ts";
import { unlessAborted } from "../core/unless-aborted.ts";
import type { InputContent } from "../model/index.ts";
import { tool } from "../tools/define.ts";
import type { McpToolDefinition } from "../tools/formats.ts";
import type { RunnableTool, ToolContext, ToolSource } from "../tools/tool.ts";
import { Connection, type McpClient, type McpProgress, type Open } from "./connection.ts";
import { opener, type HttpServer, type StdioServer } from "./open.ts";
import { secretsOf } from "./secrets.ts";
import { toolName } from "./tool-name.ts";
import { readResult, type ResultOptions } from "./tool-result.ts";
import { withProgress } from "./with-progress.ts";

/** A client that is connected already; it is neither reconnected nor closed here. */
export interface ConnectedServer {
  client: McpClient;
}

/** Which tools of a server are used, and how. Names are the server's own. */
export interface McpOptions extends ResultOptions {
  /** Put before every name with a `_`, so that tools of two servers cannot be mistaken for each other. */
  prefix?: string;
  /** Only these tools. */
  allow?: readonly string[] | ((tool: McpToolDefinition) => boolean);
  /** All but these. */
  deny?: readonly string[];
  /**
   * Which calls somebody must agree to: all, those of tools that do not say that they only read (`"writes"`), those of tools that may
   * destroy something (`"destructive"`), or whatever the function says. What a tool says of itself is as true as its server is.
   */
  approval?: boolean | "writes" | "destructive" | ((tool: McpToolDefinition, input: unknown) => boolean | Promise<boolean>);
  /** Milliseconds for one call; the run's own limit where left out. */
  timeout?: number;
  /** Milliseconds to connect and to list the tools; 30,000 where nothing is said. */
  connectTimeout?: number;
}

/** Milliseconds to connect to a server and to list its tools. */
export const defaultConnectTimeout = 30_000;

type ServerOption = keyof StdioServer | keyof HttpServer | keyof ConnectedServer;

const mcpRules: Rules<McpOptions & Partial<Record<ServerOption, unknown>>> = {
  command: text,
  args: listOf(anyText),
  env: strings,
  cwd: text,
  url: either(
    "be a URL",
    text,
    rule("be a URL", (value) => value instanceof URL),
  ),
  headers: strings,
  fetch: func,
  client: object,
  prefix: anyText,
  allow: either("be a list of names or a function", listOf(text), func),
  deny: listOf(text),
  approval: either('be true, false, "writes", "destructive" or a function', yesOrNo, oneOf("writes", "destructive"), func),
  timeout: milliseconds,
  connectTimeout: milliseconds,
  maxText: limit(0),
  maxData: limit(0),
  structured: yesOrNo,
};

/** A tool of an MCP server. */
export interface McpRunnableTool extends RunnableTool {
  /** What the server says of it, under its own name there. */
  readonly mcp: McpToolDefinition;
}

/** Who a server says it is, and how it wants its tools to be used. */
export interface McpServerInfo {
  name: string;
  version: string;
  instructions?: string;
}

/** The tools of an MCP server, as an agent's `tools` may hold them. */
export interface McpServer extends ToolSource {
  /** The server's tools; asked for anew when the server says that they have changed. */
  listTools(signal?: AbortSignal): Promise<readonly McpRunnableTool[]>;
  /** Connects now instead of when the tools are first asked for. */
  connect(signal?: AbortSignal): Promise<McpServerInfo>;
  /** Closes the connection, and ends the process that was started for it. */
  close(): Promise<void>;
}

/**
 * Connects to an MCP server (a program, a URL or a connected client) and returns its tools. Needs the package
 * `@modelcontextprotocol/client`, and loads it when the tools are first asked for.
 *
 * @example
 * const files = mcpServer({ command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."], prefix: "files", approval: "writes" });
 * const agent = new Agent({ model: "openai", tools: [files] });
 * await agent.send("What is in this folder?");
 * await files.close();
 */
export function mcpServer(options: (StdioServer | HttpServer | ConnectedServer) & McpOptions): McpServer {
  checkOptions("mcpServer", options, mcpRules);
  if (!("command" in options || "url" in options || "client" in options))
    throw new AntiphonError("BAD_REQUEST", "`mcpServer` requires a `command`, a `url` or a `client`.");
  return new Source(options);
}

const isConnected = (server: StdioServer | HttpServer | ConnectedServer): server is ConnectedServer => "client" in server;

class Source implements McpServer {
  readonly #options: McpOptions;
  readonly #connection: Connection;
  /** Whether the server tells here when its tools change; a foreign client tells somebody else, so its server is asked every time. */
  readonly #hears: boolean;
  readonly #timeout: number;
  #tools: Promise<readonly McpRunnableTool[]> | undefined;

  constructor(options: (StdioServer | HttpServer | ConnectedServer) & McpOptions) {
    this.#options = options;
    this.#timeout = options.connectTimeout ?? defaultConnectTimeout;
    this.#hears = !isConnected(options);
    const open: Open = isConnected(options)
      ? async () => ({ client: options.client, close: async () => {} })
      : opener(options, this.#timeout);
    this.#connection = new Connection(open, () => (this.#tools = undefined), isConnected(options) ? [] : secretsOf(options));
  }

  listTools(signal?: AbortSignal): Promise<readonly McpRunnableTool[]> {
    return unlessAborted(this.#tools && this.#hears ? this.#tools : this.#listing(), signal);
  }

  connect(signal?: AbortSignal): Promise<McpServerInfo> {
    const info = async (client: McpClient): Promise<McpServerInfo> => {
      const instructions = client.getInstructions();
      const { name = "", version = "" } = client.getServerVersion() ?? {};
      return { name, version, ...(instructions === undefined ? {} : { instructions }) };
    };
    return unlessAborted(this.#connection.ask(info, true), signal);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #listing(): Promise<readonly McpRunnableTool[]> {
    const listing = this.#list();
    this.#tools = listing;
    listing.catch(() => {
      if (this.#tools === listing) this.#tools = undefined;
    });
    return listing;
  }

  async #list(): Promise<McpRunnableTool[]> {
    const tools = new Map<string, McpRunnableTool>();
    for (const about of await this.#connection.list(this.#timeout)) {
      const made = this.#made(about);
      if (made && !tools.has(made.name)) tools.set(made.name, made);
    }
    return [...tools.values()];
  }

  /** A tool that is wanted; one that cannot be made says which it is. */
  #made(about: McpToolDefinition): McpRunnableTool | undefined {
    try {
      return this.#isWanted(about) ? this.#tool(about, toolName(about.name, this.#options.prefix)) : undefined;
    } catch (cause) {
      const message = `The MCP server's tool ${JSON.stringify(about?.name) ?? "without a name"} cannot be used (${messageOf(cause)}). Add it to \`deny\` to ignore it.`;
      throw new AntiphonError("PROTOCOL", message, { cause });
    }
  }

  #isWanted(about: McpToolDefinition): boolean {
    const { allow, deny } = this.#options;
    if (deny?.includes(about.name)) return false;
    return typeof allow === "function" ? allow(about) : (allow?.includes(about.name) ?? true);
  }

  #tool(about: McpToolDefinition, name: string): McpRunnableTool {
    const { timeout } = this.#options;
    const repeatable = about.annotations?.["readOnlyHint"] === true || about.annotations?.["idempotentHint"] === true;
    const made = tool({
      definition: about,
      name,
      run: (input, { signal }: ToolContext) =>
        withProgress<McpProgress, string | InputContent[]>(signal, async (onprogress, stop) =>
          readResult(
            await this.#connection.call(about.name, input, { signal: stop, onprogress, repeatable, timeout }),
            this.#options,
          ),
        ),
      approval: this.#approval(about),
      idempotent: repeatable,
      ...(timeout === undefined ? {} : { timeout }),
    });
    return { ...made, mcp: about };
  }

  #approval(about: McpToolDefinition): boolean | ((input: unknown) => boolean | Promise<boolean>) {
    const { approval = false } = this.#options;
    if (typeof approval === "function") return (input) => approval(about, input);
    if (typeof approval === "boolean") return approval;
    const { readOnlyHint, destructiveHint } = about.annotations ?? {};
    // By the protocol, a tool that says nothing may write, and one that may write may destroy.
    return readOnlyHint !== true && (approval === "writes" || destructiveHint !== false);
  }
}
