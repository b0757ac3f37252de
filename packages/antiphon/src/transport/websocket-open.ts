import type { HeaderReader } from "../codecs/codec.ts";
import { abortError, AntiphonError, toAntiphonError } from "../core/error.ts";
import type { StopSignal } from "../core/stop.ts";
import { isObject } from "../model/guards.ts";
import { connectionError, connectTimeoutError } from "./connection-error.ts";
import type { WireUpstream } from "./upstream.ts";
import { SocketConnection, type ConnectionLimits } from "./websocket-connection.ts";
import type { OpenWebSocket, WebSocketEvent, WebSocketLike, WebSocketOptions } from "./websocket.ts";

/** Where a connection leads, and how it is opened. */
export interface SocketPlace {
  upstream: WireUpstream;
  url: string;
  /** The same for all requests that may share a connection. */
  key: string;
  open: OpenWebSocket;
  options: WebSocketOptions;
  limits: ConnectionLimits;
  connectTimeout: number;
  signal: StopSignal | undefined;
}

/** Opens a connection; rejects with an `AntiphonError` that has a status where the server refused the upgrade. */
export async function openConnection(place: SocketPlace): Promise<SocketConnection> {
  const { url, key, signal, limits } = place;
  if (signal?.aborted) throw abortError(signal.reason);
  if (!URL.canParse(url)) throw new AntiphonError("BAD_REQUEST", "The base URL is not a valid URL.");
  const { host } = new URL(url);
  let socket: WebSocketLike;
  try {
    socket = await place.open(url, place.options);
  } catch (thrown) {
    throw toAntiphonError(thrown, "UNSUPPORTED");
  }
  socket.binaryType = "arraybuffer";
  const connection = new SocketConnection(socket, key, host, limits);
  try {
    await opened(socket, host, place);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function opened(socket: WebSocketLike, host: string, { upstream, connectTimeout, signal }: SocketPlace): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: WebSocketEvent | undefined;
    const settle = (error?: AntiphonError): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      if (error) reject(error);
      else resolve();
    };
    const stop = (): void => settle(abortError(signal?.reason));
    const timer =
      connectTimeout > 0 ? setTimeout(() => settle(connectTimeoutError(host, connectTimeout)), connectTimeout) : undefined;
    signal?.addEventListener("abort", stop);
    socket.addEventListener("open", () => settle());
    socket.addEventListener("error", (event) => (failure ??= event));
    socket.addEventListener("close", () => settle(openingError(host, failure, upstream)));
  });
}

/** Why a connection could not be opened: the server's refusal, where the runtime tells it. */
function openingError(host: string, failure: WebSocketEvent | undefined, { codec }: WireUpstream): AntiphonError {
  const error = isObject(failure?.error) ? failure.error : {};
  const status = Number(error["status"] ?? /server response: (\d{3})\b/.exec(failure?.message ?? "")?.[1]);
  if (status >= 400) return codec.decodeError(status, readHeaders(error["headers"]), bodyOf(error["body"]));
  return connectionError(host, "connect", failure?.error);
}

/** Headers that came as a plain object, names in lower case. */
export const readHeaders = (headers: unknown): HeaderReader => ({
  get: (name) => {
    const value = isObject(headers) ? headers[name.toLowerCase()] : undefined;
    return typeof value === "string" ? value : null;
  },
});

function bodyOf(body: unknown): unknown {
  if (typeof body !== "string") return body;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
