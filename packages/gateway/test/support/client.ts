import type { IncomingHttpHeaders } from "node:http";
import { WebSocket } from "ws";

/** An event or a response as a client reads it. */
export interface Told {
  type: string;
  id: string;
  object: string;
  status: string;
  sequence_number: number;
  output: { type: string; id: string; [field: string]: unknown }[];
  response: Told;
  error: { code: string; message: string };
  [field: string]: unknown;
}

/** Sends a body, and gives the answer as it comes. */
export const send = (url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) });

/** Sends a body, and reads the JSON that comes back. */
export const ask = async (url: string, body: unknown): Promise<Told> => (await (await send(url, body)).json()) as Told;

/** The events in the text of a stream; fails where one is not framed as the specification wants it. */
export function eventsIn(text: string): Told[] {
  const frames = text.split("\n\n").filter(Boolean);
  if (frames.pop() !== "data: [DONE]") throw new Error("the stream has no [DONE] at its end");
  return frames.map((frame) => {
    const [name = "", data = "", ...rest] = frame.split("\n");
    const event = JSON.parse(data.slice("data: ".length)) as Told;
    if (rest.length > 0 || name !== `event: ${event.type}`) throw new Error(`badly framed: ${frame}`);
    return event;
  });
}

/** A connection on which turns are asked for one after the other. */
export class SocketClient {
  readonly #socket: WebSocket;
  readonly #messages: Told[] = [];
  #wake: (() => void) | undefined;
  /** What the server said when it opened the connection. */
  handshake: IncomingHttpHeaders = {};
  /** The code with which the connection ends. */
  readonly closed: Promise<number>;

  constructor(url: string, headers: Record<string, string> = {}) {
    this.#socket = new WebSocket(url.replace("http", "ws"), { headers });
    this.closed = new Promise((resolve) => this.#socket.once("close", resolve));
    this.#socket.once("upgrade", ({ headers: said }) => (this.handshake = said));
    this.#socket.on("message", (data) => {
      this.#messages.push(JSON.parse((data as Buffer).toString()) as Told);
      this.#wake?.();
    });
  }

  async open(): Promise<this> {
    if (this.#socket.readyState === WebSocket.CONNECTING)
      await new Promise<void>((resolve, reject) => {
        this.#socket.once("open", resolve);
        this.#socket.once("error", reject);
      });
    return this;
  }

  send(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  /** Asks for a response, and gives all messages up to the one that ends it. */
  async turn(body: object): Promise<Told[]> {
    this.send({ type: "response.create", ...body });
    return this.next();
  }

  /** All messages up to the next that ends a turn. */
  async next(): Promise<Told[]> {
    const told: Told[] = [];
    for (;;) {
      const message = this.#messages.shift();
      if (!message) {
        await new Promise<void>((resolve) => (this.#wake = resolve));
        continue;
      }
      told.push(message);
      if (endings.has(message.type)) return told;
    }
  }

  close(): void {
    this.#socket.close();
  }
}

const endings: ReadonlySet<string> = new Set(["error", "response.completed", "response.incomplete", "response.failed"]);
