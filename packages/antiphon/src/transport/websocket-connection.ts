import { AntiphonError } from "../core/error.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import { isObject, type JsonObject } from "../model/guards.ts";
import { connectionError } from "./connection-error.ts";
import { parseEvent } from "../codecs/shared/frames.ts";
import { unref } from "./timeouts.ts";
import { Turn, type TurnRequest } from "./websocket-turn.ts";
import type { WebSocketEvent, WebSocketLike } from "./websocket.ts";

/** A response that the next request on the same connection can go on from. */
interface Held {
  id: string;
  /** Whether the server has it elsewhere too. */
  stored: boolean;
}

export interface ConnectionLimits {
  maxMessageBytes: number;
  /** Milliseconds after which an unused connection is closed. */
  maxIdle: number;
}

/** The messages of which one ends a turn. On this transport an `error` is the last word too. */
const lastWords: ReadonlySet<unknown> = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
  "response.cancelled",
  "response.done",
  "error",
]);
/** Those after which the server has the response. */
const goodEnds: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete", "response.done"]);

/** Closes that are a server's good right; in the middle of an answer they cut it off. */
const plainCloses: ReadonlySet<number> = new Set([1000, 1001, 1005]);
/** What other closes mean. */
const closeCodes: Readonly<Record<number, ErrorCode>> = {
  1008: "PERMISSION",
  1009: "CONTEXT_LENGTH_EXCEEDED",
  1011: "SERVER_ERROR",
  1012: "SERVER_OVERLOADED",
  1013: "SERVER_OVERLOADED",
  3000: "AUTH_ERROR",
  3003: "PERMISSION",
};

/** Whether a message says that a connection was open for too long. */
export const hasReachedItsAge = (message: unknown): boolean =>
  isObject(message) && isObject(message["error"]) && message["error"]["code"] === "websocket_connection_limit_reached";

/** How much text may wait for its reader before the server has to. */
const muchText = 1024 * 1024;

/** An open connection: one answer at a time, and the state that the server keeps for it. */
export class SocketConnection {
  /** Where it leads, and with which headers. */
  readonly key: string;
  readonly openedAt = performance.now();
  usedAt = this.openedAt;
  /** Taken for a request. */
  busy = true;
  closed = false;
  /** What the next request can go on from for sure. */
  held: Held | undefined;
  /** The responses that were made here and are stored nowhere; a server may still have others than the last. */
  readonly made = new Set<string>();
  /** Told that a connection is free, or gone. */
  onChange: (connection: SocketConnection) => void = () => {};
  readonly #socket: WebSocketLike;
  readonly #host: string;
  readonly #limits: ConnectionLimits;
  #turn: Turn | undefined;
  #lastId: string | undefined;
  #failure: unknown;
  #waiting = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(socket: WebSocketLike, key: string, host: string, limits: ConnectionLimits) {
    this.#socket = socket;
    this.key = key;
    this.#host = host;
    this.#limits = limits;
    socket.addEventListener("message", ({ data }) => this.#hear(data));
    socket.addEventListener("error", ({ error, message }) => (this.#failure ??= error ?? message));
    socket.addEventListener("close", (event) => this.#lose(event));
  }

  /** Sends a request. */
  begin(request: TurnRequest): Turn {
    const turn = new Turn(this, request);
    // It may have broken a moment ago, and a closed socket says nothing more.
    if (this.closed) {
      turn.end(this.broken("answer", this.#failure));
      return turn;
    }
    clearTimeout(this.#timer);
    this.#turn = turn;
    this.usedAt = performance.now();
    this.#socket.ref?.();
    try {
      this.#socket.send(request.body);
    } catch (cause) {
      turn.end(this.broken("answer", cause));
      this.close();
    }
    return turn;
  }

  /** Hangs up; an answer that is still coming ends here. */
  close(error?: AntiphonError): void {
    if (this.closed) return;
    this.closed = true;
    clearTimeout(this.#timer);
    this.#turn?.end(error);
    this.#turn = undefined;
    this.#socket.resume?.();
    this.#socket.unref?.();
    this.#socket.close(1000);
    this.onChange(this);
  }

  /** The reader is ready for more. */
  resume(): void {
    if (this.#waiting > muchText) this.#socket.resume?.();
    this.#waiting = 0;
  }

  broken(phase: "answer" | "body", cause: unknown): AntiphonError {
    return connectionError(this.#host, phase, cause);
  }

  #hear(data: unknown): void {
    const turn = this.#turn;
    if (this.closed) return;
    try {
      const value = this.#parse(data);
      if (!turn) return this.#overhear(value);
      if (!turn.begun && this.#isLate(value)) return;
      this.#take(turn, value);
    } catch (error) {
      // After something unreadable nobody knows what belongs to what.
      this.close(error as AntiphonError);
    }
  }

  #parse(data: unknown): unknown {
    const text = typeof data === "string" ? data : data instanceof ArrayBuffer ? new TextDecoder().decode(data) : undefined;
    if (text === undefined) throw new AntiphonError("PROTOCOL", "The server sent a message that is not text.");
    if (text.length > this.#limits.maxMessageBytes) throw this.#tooLarge();
    this.#waiting += text.length;
    if (this.#waiting > muchText) this.#socket.pause?.();
    return parseEvent(text);
  }

  #take(turn: Turn, value: unknown): void {
    const event: JsonObject = isObject(value) ? value : {};
    const response = isObject(event["response"]) ? event["response"] : undefined;
    if (typeof response?.["id"] === "string") turn.id = response["id"];
    turn.push(value);
    if (!lastWords.has(event["type"])) return;
    this.#settle(turn, goodEnds.has(event["type"]));
    turn.end();
    // Nobody else may have it, not even for a moment.
    if (hasReachedItsAge(event)) this.close();
    else this.#free();
  }

  /** Keeps the books on what the server can go on from: the last response, until a request that goes on from it fails. */
  #settle({ id, request }: Turn, good: boolean): void {
    this.#lastId = id;
    if (good && id !== undefined) {
      this.held = { id, stored: request.stored };
      if (!request.stored) this.made.add(id);
    } else if (request.previous !== undefined && request.previous === this.held?.id) {
      this.held = undefined;
    }
  }

  #free(): void {
    this.#turn = undefined;
    this.usedAt = performance.now();
    this.busy = false;
    this.resume();
    this.#socket.unref?.();
    this.#timer = setTimeout(() => this.close(), this.#limits.maxIdle);
    unref(this.#timer);
    this.onChange(this);
  }

  /** Whether a message belongs to the answer before: some servers say `response.failed` after an `error`. */
  #isLate(value: unknown): boolean {
    const response = isObject(value) && isObject(value["response"]) ? value["response"] : undefined;
    return this.#lastId !== undefined && response?.["id"] === this.#lastId;
  }

  /** Nobody asked for it. An error that comes of itself says that the connection will not last. */
  #overhear(value: unknown): void {
    this.#waiting = 0;
    if (isObject(value) && value["type"] === "error") this.close();
  }

  #lose({ code = 1006, reason }: WebSocketEvent): void {
    if (this.closed) return;
    const turn = this.#turn;
    const cut = turn?.begun === true && plainCloses.has(code) && this.#failure === undefined;
    this.close(turn && !cut ? this.#reasonOf(code, reason ?? "", turn) : undefined);
  }

  #reasonOf(code: number, reason: string, turn: Turn): AntiphonError {
    const cause = this.#failure;
    if (isObject(cause) && cause["code"] === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") return this.#tooLarge();
    const known = closeCodes[code];
    const said = reason ? `: ${reason}` : ".";
    if (known && cause === undefined)
      return new AntiphonError(known, `${this.#host} closed the connection with code ${code}${said}`);
    return this.broken(turn.begun ? "body" : "answer", cause);
  }

  #tooLarge(): AntiphonError {
    const sentence = `The server sent an event of more than ${this.#limits.maxMessageBytes} bytes. Raise \`maxEventBytes\` to accept it.`;
    return new AntiphonError("PROTOCOL", sentence);
  }
}
