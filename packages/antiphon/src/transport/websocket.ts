/** What is read of the events of a socket. */
export interface WebSocketEvent {
  type: string;
  /** Of a message. */
  data?: unknown;
  /** Of a close: why, as a number and in words. */
  code?: number;
  reason?: string;
  /** Of an error; its `status` and `body` are those of an upgrade that the server refused. */
  error?: unknown;
  message?: string;
}

/** What is used of a WebSocket: the runtimes' own and those of the package `ws` fit. */
export interface WebSocketLike {
  binaryType: string;
  addEventListener(type: "open" | "message" | "close" | "error", listener: (event: WebSocketEvent) => void): void;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  /** Stops reading until `resume()`: a server waits then for a slow reader. */
  pause?(): void;
  resume?(): void;
  /** Whether the process has to stay for the sake of this connection. */
  ref?(): void;
  unref?(): void;
}

/** What a socket is opened with. */
export interface WebSocketOptions {
  /** Authorization and so on. Browsers cannot send them. */
  headers: Record<string, string>;
  protocols: string[];
  /** Whether the key travels in the protocols or in the URL, so that the headers can be done without. */
  authorized: boolean;
  maxMessageBytes: number;
}

/** Begins to open a socket; its `open` or its `close` event tells what came of it. */
export type OpenWebSocket = (url: string, options: WebSocketOptions) => WebSocketLike | Promise<WebSocketLike>;
