export type { McpClient, McpProgress } from "./connection.ts";
export {
  mcpServer,
  type ConnectedServer,
  type McpOptions,
  type McpRunnableTool,
  type McpServer,
  type McpServerInfo,
} from "./mcp-server.ts";
export type { HttpServer, StdioServer } from "./open.ts";
export type { McpResult, ResultOptions } from "./tool-result.ts";
