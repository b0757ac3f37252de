import { AntiphonError, isObject, isTerminal, unrun, type CreateResponse, type InputItem, type Loss } from "antiphon";
import type { Context } from "../context.ts";
import { faces, refuse, type Face } from "../http/faces.ts";
import { parseJson } from "../http/read-json.ts";
import { runForeground } from "../runs/foreground.ts";
import { bodyCheck } from "../routes/read-body.ts";
import { acceptJob, lossesOf, type Job } from "../runs/job.ts";
import { upstreamHeaders } from "../security/upstream-headers.ts";
import { noteRefusal } from "../telemetry/note-refusal.ts";
import type { Trace } from "../telemetry/telemetry.ts";
import { asRequest, type Handshake } from "./handshake.ts";
import { SocketMemory } from "./memory.ts";
import { prewarmed } from "./prewarm.ts";

/** The other end of a connection. */
export interface Socket {
  send(text: string): void;
  /** Resolves when the client has taken most of what was sent, or is gone; `undefined` where there is no need to wait. */
  drained(): Promise<void> | undefined;
  close(code: number, reason: string): void;
}

/** Requests that may wait for the one before them, as long as they are no larger together than one may be. */
const longestQueue = 64;
/** The field of a response's first message that reports losses, where an HTTP response has a header. */
const lossesField = "antiphon:losses";
/** A message is always answered with a stream, and while the client waits. OpenAI's own clients say the first all the same. */
const forbidden = (face: Face): readonly string[] =>
  face === faces.openai ? ["background"] : ["stream", "stream_options", "background"];

/**
 * One connection on which responses are asked for, one after the other. It remembers its last responses, so that the next can go on
 * from them also where nothing is stored.
 */
export class SocketSession {
  readonly #context: Context;
  readonly #face: Face;
  readonly #handshake: Handshake;
  /** What goes upstream of the client's headers. */
  readonly #headers: Record<string, string>;
  readonly #socket: Socket;
  readonly #check: ReturnType<typeof bodyCheck>;
  readonly #memory = new SocketMemory();
  readonly #gone = new AbortController();
  readonly #queue: string[] = [];
  /** What waits, in characters. */
  #waiting = 0;
  #busy = false;

  constructor(context: Context, face: Face, handshake: Handshake, socket: Socket) {
    this.#context = context;
    this.#face = face;
    this.#handshake = handshake;
    this.#headers = upstreamHeaders(handshake.headers, context.passedOn);
    this.#check = bodyCheck(`POST ${handshake.path}`);
    this.#socket = socket;
  }

  /** Takes a message in; it is answered after those before it. */
  receive(text: string): void {
    if (this.#gone.signal.aborted) return;
    if (this.#queue.length >= longestQueue || this.#waiting + text.length > this.#context.limits.maxBodyBytes)
      return this.#close(1008, "Too many requests on this connection. Wait until one ends.");
    this.#queue.push(text);
    this.#waiting += text.length;
    if (!this.#busy) void this.#work();
  }

  /** The client is gone: what it asked for is stopped. */
  leave(): void {
    this.#queue.length = 0;
    this.#gone.abort();
  }

  #close(code: number, reason: string): void {
    this.#socket.close(code, reason);
    this.leave();
  }

  async #work(): Promise<void> {
    this.#busy = true;
    for (let text = this.#queue.shift(); text !== undefined; text = this.#queue.shift()) {
      this.#waiting -= text.length;
      await this.#take(text);
      // Errors are answers too: whoever reads none of them is not told more.
      await this.#socket.drained();
      if (this.#context.draining) this.#close(1001, "The gateway is shutting down.");
    }
    this.#busy = false;
  }

  #take(text: string): Promise<void> {
    return asRequest(this.#context.telemetry, this.#handshake, (trace) => this.#answer(text, trace));
  }

  async #answer(text: string, trace: Trace | undefined): Promise<number> {
    let previous: string | null | undefined;
    try {
      const request = this.#read(text);
      previous = request.previous_response_id;
      await this.#respond(request, trace);
      return 200;
    } catch (thrown) {
      // A continuation that failed may have gone half of its way: the next must not take it for done.
      if (previous) this.#memory.delete(previous);
      noteRefusal(this.#context.telemetry, this.#handshake.requestId, thrown);
      return this.#sendError(thrown);
    }
  }

  #read(text: string): CreateResponse {
    const message = parseJson(text);
    if (!isObject(message) || message["type"] !== "response.create")
      throw new AntiphonError("BAD_REQUEST", "The `type` of a message must be `response.create`.", { param: "type" });
    for (const field of forbidden(this.#face))
      if (message[field] !== undefined)
        throw new AntiphonError("BAD_REQUEST", `\`${field}\` is not allowed in a WebSocket message.`, { param: field });
    const { type: _, ...body } = message;
    return { ...this.#face.codec.decodeRequest(this.#check(body).body), stream: true };
  }

  async #respond(request: CreateResponse, trace: Trace | undefined): Promise<void> {
    const { generate, ...asked } = request as CreateResponse & { generate?: unknown };
    const { caller, requestId } = this.#handshake;
    const accepted = await acceptJob(this.#context, asked, {
      face: this.#face,
      caller,
      headers: this.#headers,
      requestId,
      ...(trace && { trace }),
      recall: (id) => this.#recall(asked, id),
    });
    // Who left meanwhile does not want to know any more.
    if (this.#gone.signal.aborted) return;
    // Every event is a message of its own here, so that each has to be read.
    const job: Job = { ...accepted, relays: false };
    const live = generate === false ? undefined : runForeground(this.#context, job, this.#gone.signal).live;
    const events = live?.read() ?? prewarmed(this.#context, job);
    const encoder = this.#face.codec.createEncoder(asked);
    let isFirst = true;
    for await (const batch of events) {
      for (const event of unrun(batch)) {
        // Here an error is the answer to a request; the failed response that follows says the same.
        if (event.type === "error") continue;
        if (isTerminal(event)) this.#remember(job, event.response.output, event.type === "response.failed");
        for (const value of encoder.push(event)) {
          this.#send(value, isFirst && live ? lossesOf(job, live.losses, this.#face) : []);
          isFirst = false;
        }
      }
      const drained = this.#socket.drained();
      if (drained) await drained;
    }
  }

  #send(value: unknown, losses: readonly Loss[]): void {
    // Every value of an encoder for Responses is an event.
    const message = losses.length > 0 ? { ...(value as object), [lossesField]: losses } : value;
    this.#socket.send(JSON.stringify(message));
  }

  /** What the connection knows; a request that stores nothing may not reach for what is stored. */
  #recall({ store }: CreateResponse, id: string): InputItem[] | null | undefined {
    return this.#memory.get(id) ?? (store === false ? null : undefined);
  }

  #remember({ stored, asked }: Job, output: readonly InputItem[], failed: boolean): void {
    if (failed) {
      if (stored.previous !== null) this.#memory.delete(stored.previous);
      return;
    }
    const before = Array.isArray(asked.input) ? asked.input : [];
    this.#memory.set(stored.id, [...before, ...output]);
  }

  #sendError(thrown: unknown): number {
    const { status, body } = refuse(this.#face, thrown);
    const told: unknown = typeof body === "string" ? JSON.parse(body) : {};
    this.#socket.send(JSON.stringify({ type: "error", status, ...(isObject(told) ? told : {}) }));
    return status;
  }
}
