import { write } from "node:fs";
import type { Writable } from "node:stream";

/** Where lines go: takes what it can at once, and never waits. */
export interface Outlet {
  /** Whether people read it as it is written. */
  readonly isTerminal: boolean;
  /** Writes a piece; `done` is called when it is out, or can never be. */
  write(text: string, done: () => void): void;
}

/**
 * An outlet to a file descriptor. Node's own `process.stderr` stops the whole process while a pipe is full; this writes on a thread of
 * its own.
 */
export const descriptorOutlet = (descriptor: number, isTerminal: boolean): Outlet => {
  const send = (bytes: Uint8Array, done: () => void): void =>
    write(descriptor, bytes, (error, written) => {
      // A pipe that others have set to non-blocking says so when it is full.
      if (error?.code === "EAGAIN") setTimeout(send, retryMs, bytes, done);
      else if (error || written >= bytes.length) done();
      else send(bytes.subarray(written), done);
    });
  return { isTerminal, write: (text, done) => send(Buffer.from(text), done) };
};

const retryMs = 20;

/** An outlet to a stream. */
export const streamOutlet = (stream: Writable): Outlet => ({
  isTerminal: "isTTY" in stream && stream.isTTY === true,
  write: (text, done) => {
    // A stream that is over would throw at the next write, or say nothing of it.
    if (!stream.writable) return done();
    stream.write(text, () => done());
  },
});

/**
 * Hands lines to an outlet, as many at once as have gathered. While the outlet is busy they wait, up to a bound; beyond it they are
 * dropped and counted.
 */
export class LineWriter {
  readonly #outlet: Outlet;
  readonly #maxWaiting: number;
  #waiting: string[] = [];
  #length = 0;
  #isBusy = false;
  #dropped = 0;
  #idle: (() => void)[] = [];

  constructor(outlet: Outlet, maxWaiting: number) {
    this.#outlet = outlet;
    this.#maxWaiting = maxWaiting;
  }

  get dropped(): number {
    return this.#dropped;
  }

  write(line: string): void {
    if (this.#length + line.length > this.#maxWaiting) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(line);
    this.#length += line.length;
    if (this.#isBusy) return;
    this.#isBusy = true;
    // Lines of the same moment go out together.
    queueMicrotask(() => this.#send());
  }

  /** Resolves when all lines are out, or after a while if nobody takes them. */
  async flush(patience: number): Promise<void> {
    if (!this.#isBusy) return;
    let timer: NodeJS.Timeout | undefined;
    const idle = new Promise<void>((resolve) => this.#idle.push(resolve));
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, patience)));
    await Promise.race([idle, late]);
    clearTimeout(timer);
  }

  #send(): void {
    const text = this.#waiting.join("");
    this.#waiting = [];
    this.#length = 0;
    this.#outlet.write(text, () => this.#sent());
  }

  #sent(): void {
    if (this.#waiting.length > 0) return this.#send();
    this.#isBusy = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
