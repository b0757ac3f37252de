import type { IncomingMessage } from "node:http";
import type { AgentOptions } from "node:https";
import type { WebSocket } from "ws";
import { AntiphonError } from "../core/error.ts";
import { checkOptions, milliseconds, type Rules } from "../core/options.ts";
import { openGlobalWebSocket } from "../transport/websocket-global.ts";
import type { OpenWebSocket, WebSocketLike, WebSocketOptions } from "../transport/websocket.ts";
import { proxyRules } from "./proxy-rules.ts";

export interface NodeWebSocketOptions {
  /** Milliseconds between pings, which keep the line open and find out that it is dead; `0` sends none. */
  pingInterval?: number;
  /** The proxy for `wss:`; where it is left out, the environment names it, and `false` goes without. */
  proxy?: string | false;
  /** For TLS: `ca`, `cert`, … */
  agent?: AgentOptions;
}

const webSocketRules: Rules<NodeWebSocketOptions> = { ...proxyRules, pingInterval: milliseconds };

const everyTwentySeconds = 20_000;
const largestRefusal = 64 * 1024;

/**
 * Opens WebSockets with the package `ws`, or with the runtime's own if the package is missing.
 *
 * @example
 * const respond = connectSocket(provider("openai"), { webSocket: createWebSocket({ proxy: "http://localhost:3128" }) });
 */
export function createWebSocket(options: NodeWebSocketOptions = {}): OpenWebSocket {
  checkOptions("createWebSocket", options, webSocketRules);
  const { pingInterval = everyTwentySeconds } = options;
  return async (url, about) => {
    const ws = await import("ws").catch(noPackage);
    if (!ws) return openGlobalWebSocket(url, about);
    const agent = await agentFor(url, options);
    const settings = { maxPayload: about.maxMessageBytes, perMessageDeflate: false, ...(agent ? { agent } : {}) };
    return watch(new ws.WebSocket(url, about.protocols, { ...settings, headers: headersOf(about) }), pingInterval);
  };
}

/** The way that Node does best. */
export const defaultWebSocket: OpenWebSocket = createWebSocket();

const headersOf = ({ headers }: WebSocketOptions): Record<string, string> => ({ "user-agent": "antiphon", ...headers });

function noPackage(cause: unknown): undefined {
  if (typeof globalThis.WebSocket === "function") return undefined;
  const sentence = "WebSockets require the package `ws` on this version of Node. Run `npm install ws`.";
  throw new AntiphonError("UNSUPPORTED", sentence, { cause });
}

/** The agent that a proxy or settings of TLS call for. */
async function agentFor(url: string, { proxy, agent }: NodeWebSocketOptions) {
  if (!url.startsWith("wss:")) return undefined;
  const { environmentProxy, TunnelAgent } = await import("./proxy.ts");
  const named = proxy === undefined ? environmentProxy(process.env)(new URL(url.replace(/^ws/, "http"))) : proxy;
  if (named && !URL.canParse(String(named)))
    throw new AntiphonError("BAD_REQUEST", "The proxy URL must begin with `http://` or `https://`.");
  if (named) return new TunnelAgent(new URL(named), agent ?? {});
  return agent && new (await import("node:https")).Agent(agent);
}

/** A socket that pings, that tells why its upgrade was refused, and that can let go of the process. */
function watch(socket: WebSocket, pingInterval: number): WebSocketLike {
  let wire: IncomingMessage["socket"] | undefined;
  socket.once("upgrade", (answer) => (wire = answer.socket));
  socket.once("unexpected-response", (_, answer) => tellRefusal(socket, answer));
  if (pingInterval > 0) socket.once("open", () => ping(socket, pingInterval));
  return Object.assign(socket, { ref: () => void wire?.ref(), unref: () => void wire?.unref() });
}

/** Gives the socket's error the status and the body of the answer. */
function tellRefusal(socket: WebSocket, answer: IncomingMessage): void {
  let body = "";
  const tell = (): void => {
    const { statusCode: status, headers } = answer;
    socket.emit(
      "error",
      Object.assign(new Error(`The server rejected the WebSocket upgrade with status ${status}.`), { status, headers, body }),
    );
    socket.terminate();
  };
  answer.setEncoding("utf8").on("data", (text: string) => {
    if (body.length < largestRefusal) body += text;
  });
  answer.once("close", tell);
}

function ping(socket: WebSocket, interval: number): void {
  let heard = true;
  const hear = (): void => void (heard = true);
  const beat = (): void => {
    // A paused socket hears nothing, and that is not the server's fault.
    if (!heard && !socket.isPaused) return socket.terminate();
    heard = socket.isPaused;
    socket.ping();
  };
  // Where this process was busy for long, answers may lie there that it has not read yet.
  const timer = setInterval(() => setImmediate(() => socket.readyState === socket.OPEN && beat()), interval);
  timer.unref();
  socket.on("pong", hear).on("message", hear);
  socket.once("close", () => clearInterval(timer));
}
