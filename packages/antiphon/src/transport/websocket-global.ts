import { AntiphonError } from "../core/error.ts";
import { holdsSecret } from "./secrets.ts";
import type { OpenWebSocket, WebSocketLike } from "./websocket.ts";

/** Runtimes whose sockets take headers, by how they name themselves; browsers and workers don't. */
const takeHeaders = /^(Node\.js|Bun|Deno)\b/;

type SocketClass = new (
  url: string,
  options: { headers: Record<string, string>; protocols: string[] } | string[],
) => WebSocketLike;

/** Opens the runtime's own WebSocket. */
export const openGlobalWebSocket: OpenWebSocket = (url, { headers, protocols, authorized }) => {
  // Read leniently: some runtimes have neither, and some take more than the standard says.
  const { WebSocket, navigator } = globalThis as { WebSocket?: SocketClass; navigator?: { userAgent?: string } };
  if (!WebSocket) throw new AntiphonError("UNSUPPORTED", "This runtime has no WebSocket. Pass one as `webSocket`.");
  if (takeHeaders.test(navigator?.userAgent ?? "")) return new WebSocket(url, { headers, protocols });
  if (!authorized && holdsSecret(headers)) {
    const sentence = "This runtime cannot send the API key in a WebSocket header. Pass it in `protocols` or `query`.";
    throw new AntiphonError("UNSUPPORTED", sentence);
  }
  return new WebSocket(url, protocols);
};
