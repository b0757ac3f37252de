import { includes, latin1 } from "#transport";
import type { Codec, Ctx, Relay } from "../codecs/codec.ts";
import { dataOf, isEndMark, parseIntact, Wire } from "../codecs/shared/frames.ts";
import { toAntiphonError, type AntiphonError } from "../core/error.ts";
import { expand, terminalType } from "../core/expand.ts";
import type { Repair } from "../core/loss.ts";
import { isTerminal } from "../model/guards.ts";
import type { ResponseEvent, ResponseResource } from "../model/index.ts";
import { Opening } from "./opening.ts";
import { JsonReader, type AnswerReader } from "./readers.ts";
import type { SseOptions } from "./sse.ts";
import { WholeFrames } from "./whole-frames.ts";

/** Reads server-sent events that are passed on as they came. */
export class RelayReader implements AnswerReader {
  error: AntiphonError | undefined;
  started = false;
  readonly apart = true;
  readonly #relay: Relay;
  readonly #frames: WholeFrames;
  readonly #opening = new Opening();
  #terminated = false;

  constructor(relay: Relay, options: SseOptions) {
    this.#relay = relay;
    this.#frames = new WholeFrames(options);
  }

  get repairs(): Repair[] {
    return this.#relay.repairs;
  }

  push(bytes: Uint8Array): ResponseEvent[] {
    const out: ResponseEvent[] = [];
    if (this.#terminated || this.error) return out;
    try {
      const whole = this.#frames.push(bytes);
      this.#opening.see(whole.length > 0, bytes);
      for (const frames of whole) this.#read(frames, out);
      this.error = this.#frames.error;
    } catch (thrown) {
      this.error = toAntiphonError(thrown, "PROTOCOL");
    }
    return this.#note(out);
  }

  end(): ResponseEvent[] {
    const out: ResponseEvent[] = [];
    if (this.error) return out;
    try {
      const rest = decoder.decode(this.#frames.end()).trim();
      if (isWhole(rest)) this.#read(encoder.encode(`${rest}\n\n`), out);
      this.#note(out);
      if (!this.started) throw this.#opening.nothing();
      if (!this.#terminated) out.push(...this.#relay.end());
      this.#terminated = true;
    } catch (thrown) {
      this.error = toAntiphonError(thrown, "PROTOCOL");
    }
    return out;
  }

  fail(error: AntiphonError): ResponseEvent[] {
    return this.#terminated ? [] : this.#relay.fail(error);
  }

  #read(bytes: Uint8Array, out: ResponseEvent[]): void {
    const isUnclean = bytes.includes(cr) || (!this.#relay.dropsComments && hasComments(bytes));
    const clean = isUnclean ? encoder.encode(cleaned(decoder.decode(bytes))) : bytes;
    if (clean.length > 0) this.#relay.read(clean, (from, to) => latin1(clean, from, to), out);
  }

  #note(out: ResponseEvent[]): ResponseEvent[] {
    const last = out[out.length - 1];
    if (last === undefined) return out;
    this.started = true;
    this.#terminated = isTerminal(last);
    return out;
  }
}

const [cr, colon] = [13, 58];
const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Comments keep a connection alive, which everybody does for their own. */
const hasComments = (bytes: Uint8Array): boolean => bytes[0] === colon || includes(bytes, "\n:");
/** Line ends of another kind are made line feeds. A comment may be a frame of its own, or a line of one. */
const cleaned = (frames: string): string =>
  frames
    .replaceAll("\r\n", "\n")
    .replaceAll(/^:.*\n/gm, "")
    .replaceAll(/\n{3,}/g, "\n\n")
    .replace(/^\n+/, "");

/** The last frame of a stream that was cut off may be half of one: then it is not passed on. */
function isWhole(frame: string): boolean {
  const data = dataOf(encoder.encode(frame));
  return data !== undefined && (isEndMark(data) || parseIntact(data) !== undefined);
}

/** Reads a plain answer of which only its end is told: with a body to pass on, unless the wire is the one that the events are in. */
export const relayedJson = (codec: Codec, ctx: Ctx): AnswerReader =>
  new JsonReader(codec, ctx, codec.wire === "responses" ? ending : (response, body) => [new Wire(0, body), ...ending(response)]);

function ending(response: ResponseResource): ResponseEvent[] {
  const type = terminalType(response);
  return type ? [{ type, sequence_number: 0, response }] : expand(response);
}
