import type { StreamPosition } from "../codecs/codec.ts";
import { LateBatches } from "../core/late-batches.ts";
import { Reducer } from "../core/reduce.ts";
import type { EventStream } from "../core/respond.ts";
import type { ResponseEvent } from "../model/index.ts";
import type { Follower } from "./background-follow.ts";

/** Where the stream of a job was left, as JSON: enough to go on from there without reading anything twice. */
export interface JobSnapshot extends StreamPosition {
  version: 1;
}

/** The events of a job. Read it once. */
export interface JobStream extends EventStream {
  /** Where the reader stands: behind the last event that it was given. Nothing before the first. */
  snapshot(): JobSnapshot | undefined;
}

/** Hands over a follower's events, and keeps the fold of what was handed over. */
export class FollowedStream implements JobStream {
  readonly #start: () => Promise<Follower>;
  readonly #fold: Reducer;
  #sequence: number;
  #cursor: number;

  constructor(start: () => Promise<Follower>, from?: JobSnapshot) {
    this.#start = start;
    this.#fold = from ? Reducer.from(from) : new Reducer();
    this.#sequence = from?.sequence_number ?? -1;
    this.#cursor = from?.cursor ?? -1;
  }

  batches(): AsyncIterator<ResponseEvent[]> {
    return new LateBatches(async () => {
      const follower = await this.#start();
      return {
        next: async () => {
          const next = await follower.next();
          if (!next.done) for (const event of next.value) this.#note(event, follower);
          return next;
        },
        return: () => follower.return(),
      };
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ResponseEvent> {
    const follower = await this.#start();
    try {
      for (let next = await follower.next(); !next.done; next = await follower.next())
        for (const event of next.value) {
          this.#note(event, follower);
          yield event;
        }
    } finally {
      await follower.return();
    }
  }

  snapshot(): JobSnapshot | undefined {
    const fold = this.#fold.snapshot();
    return fold && { version: 1, sequence_number: this.#sequence, cursor: this.#cursor, ...fold };
  }

  /** What is not of the job, notes and an end of our own making, leaves no trace: one can still go on from before it. */
  #note(event: ResponseEvent, follower: Follower): void {
    if (follower.gaveUp || event.type.startsWith("antiphon:")) return;
    this.#fold.push(event);
    this.#sequence = event.sequence_number;
    this.#cursor = follower.cursorAt(event);
  }
}
