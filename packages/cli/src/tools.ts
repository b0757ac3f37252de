import type { AgentTool, RunnableTool, ToolSource } from "antiphon";
import type { McpOptions, McpServer } from "antiphon/mcp";
import { builtInTools } from "./built-in-tools.ts";
import { toolNames } from "./commands.ts";
import { complaint, needs, type Settings } from "./config/load.ts";
import type { McpSettings } from "./config/schema.ts";
import { defined } from "./defined.ts";
import { suggestion } from "./nearest.ts";
import { UsageError } from "./options.ts";
import { splitWords } from "./split-words.ts";

/** The tools of a run. */
export interface ToolBox {
  tools: AgentTool[];
  /** Stops the servers that were started. */
  close(): Promise<void>;
}

/** The tool options of the command line. */
export interface ToolFlags {
  tool?: string[];
  mcp?: string[];
}

/** Which calls require approval. */
type Approval = NonNullable<McpSettings["approval"]>;

/** Returns the tools of the options and the configuration. MCP servers start when their tools are first listed. */
export async function toolsFor(settings: Settings, flags: ToolFlags, usual: Approval): Promise<ToolBox> {
  const servers = new Map<string, McpServer>();
  const tools: AgentTool[] = [];
  const add = async (key: string, server: McpSettings): Promise<void> => {
    if (servers.has(key)) return;
    const made = await open(server, usual);
    servers.set(key, made);
    tools.push(made);
  };
  for (const name of new Set([...(settings.values.tools ?? []), ...(flags.tool ?? [])])) {
    const builtIn = toolNames.find((one) => one === name);
    if (builtIn) tools.push(builtInTools[builtIn]());
    else await add(name, configured(settings, name, flags.tool?.includes(name) ? "--tool" : undefined));
  }
  for (const text of flags.mcp ?? []) await add(text, serverOf(settings, text));
  const close = async (): Promise<void> => void (await Promise.allSettled([...servers.values()].map((server) => server.close())));
  return { tools, close };
}

/** Finds a configured server by its name. */
function configured(settings: Settings, name: string, flag: string | undefined): McpSettings {
  const servers = settings.values.mcp ?? {};
  const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (!server) {
    const names = [...toolNames, ...Object.keys(servers)];
    const message = `unknown tool "${name}"${suggestion(name, names) || "."} Available: ${names.join(", ")}`;
    throw flag === undefined ? complaint(settings, ["tools"], message) : new UsageError(`${flag}: ${message}`);
  }
  needs(settings, ["mcp", name]);
  if ((server.command === undefined) === (server.url === undefined))
    throw complaint(settings, ["mcp", name], `mcp.${name} requires either \`command\` or \`url\``);
  return { prefix: name, ...server };
}

/** Parses `--mcp`: a configured server, a URL, or a command with arguments. */
function serverOf(settings: Settings, text: string): McpSettings {
  if (Object.hasOwn(settings.values.mcp ?? {}, text)) return configured(settings, text, "--mcp");
  if (/^https?:\/\//i.test(text)) return { url: text };
  const [command, ...args] = splitWords(text);
  if (command === undefined) throw new UsageError("--mcp requires a server name, a URL or a command");
  return { command, args };
}

const approvals: Readonly<Record<Approval, McpOptions["approval"]>> = {
  never: false,
  always: true,
  writes: "writes",
  destructive: "destructive",
};

async function open(server: McpSettings, usual: Approval): Promise<McpServer> {
  const { mcpServer } = await import("antiphon/mcp");
  const { command, args, env, cwd, url, headers, prefix, allow, deny, approval = usual, timeout } = server;
  const options = defined({
    approval: approvals[approval],
    prefix: prefix || undefined,
    allow,
    deny,
    timeout: timeout && timeout * 1000,
  });
  if (url !== undefined) return mcpServer({ url, ...(headers && { headers: { ...headers } }), ...options });
  return mcpServer({ ...defined({ command: command ?? "", args: args && [...args], env: env && { ...env }, cwd }), ...options });
}

const isSource = (tool: AgentTool): tool is ToolSource => "listTools" in tool;
const isRunnable = (tool: AgentTool): tool is RunnableTool => "run" in tool && typeof tool.run === "function";

/** Declines calls that require approval. The model receives the reason as the result. */
export const unattended = (tools: readonly AgentTool[]): AgentTool[] =>
  tools.map((one) => {
    if (isSource(one)) return { listTools: async (signal?: AbortSignal) => (await one.listTools(signal)).map(declining) };
    return isRunnable(one) ? declining(one) : one;
  });

const declining = (tool: RunnableTool): RunnableTool => {
  const { needsApproval } = tool;
  if (!needsApproval) return tool;
  const run: RunnableTool["run"] = async (input, context) => {
    if (await needsApproval(input, context))
      throw new Error("This call was declined: it requires approval, which is not possible here.");
    return tool.run(input, context);
  };
  return { ...tool, run, needsApproval: async () => false };
};
