import { fromCaller } from "../core/caller-stack.ts";
import { fromBatches, type EventStream } from "../core/respond.ts";
import type { ToolProgress } from "../hosted/tool-event.ts";
import type { Item, ResponseEvent } from "../model/index.ts";
import type { Reply } from "./reply.ts";
import type { SharedStream } from "./shared-stream.ts";
import { itemLens, partialLens, textLens, thinkingLens, View, type Lens } from "./stream-views.ts";

/** A value of which not everything has come yet; what the model leaves out on purpose may stand there as null. */
export type Partially<T> = unknown extends T
  ? unknown
  : T extends readonly (infer Entry)[]
    ? Partially<Entry>[]
    : T extends object
      ? { [Key in keyof T]?: Partially<T[Key]> | (undefined extends T[Key] ? null : never) }
      : T;

/** How a stream is turned into its reply. */
interface Ending<Output> {
  /** Reads what came, for which the pieces of texts are not needed; throws where that is a failure. */
  reply(events: Iterable<ResponseEvent>): Promise<Reply<Output>>;
  /** The value inside the object that the model was asked to write. */
  unwrap(value: unknown): unknown;
}

/**
 * A run as it happens: its events, and views of them. However many are used, the model is asked once: the first to read drives,
 * the others get the same events, from the beginning. When the last reader leaves early, the run is stopped.
 */
export class ReplyStream<Output = unknown> implements EventStream {
  readonly #shared: SharedStream;
  readonly #ending: Ending<Output>;
  #reply: Promise<Reply<Output>> | undefined;

  constructor(shared: SharedStream, ending: Ending<Output>) {
    this.#shared = shared;
    this.#ending = ending;
  }

  [Symbol.asyncIterator](): AsyncIterator<ResponseEvent> {
    return fromBatches(() => this.batches())[Symbol.asyncIterator]();
  }

  /** The events in the batches in which they came. */
  batches(): AsyncIterator<ResponseEvent[]> {
    return this.#shared.read();
  }

  /** The text for the user, piece by piece. */
  text(): AsyncIterable<string> {
    return this.#view(textLens);
  }

  /** What the model thinks, piece by piece. */
  thinking(): AsyncIterable<string> {
    return this.#view(thinkingLens);
  }

  /** What tools at the provider do, step by step: `{ web_search: [event] }`, as `reply.metadata` has it in the end. */
  progress(): AsyncIterable<ToolProgress> {
    return this.#view(progressLens);
  }

  /** Items, each when it is final. */
  items(): AsyncIterable<Item> {
    return this.#view(itemLens);
  }

  /**
   * The typed output as it grows. It is one object that is added to, so that the cost is that of reading the text once:
   * `structuredClone` what is to be kept.
   */
  partial<Part = Partially<Output>>(): AsyncIterable<Part> {
    // What is shown is what the model has written so far; whether it fits the schema is known at the end.
    return this.#view(() => partialLens(this.#ending.unwrap) as Lens<Part>);
  }

  /** The reply. Reads the stream to its end. If nobody awaits it, a failure is not an unhandled rejection. */
  get reply(): Promise<Reply<Output>> {
    if (!this.#reply) {
      this.#reply = fromCaller(() => this.#collect());
      // Callers that await it get the error; otherwise the error must not end the process.
      this.#reply.catch(() => {});
    }
    return this.#reply;
  }

  /** Stops the run: it ends with what had come, as `cancelled`. */
  abort(reason?: unknown): void {
    this.#shared.abort(reason);
  }

  #view<T>(lens: () => Lens<T> | Promise<Lens<T>>): AsyncIterable<T> {
    return new View(
      () => this.batches(),
      lens,
      async () => {
        // A view shows no terminal event, so that it is the one that has to tell of a failure.
        if (this.#shared.end?.type === "response.failed") await this.reply;
      },
    );
  }

  async #collect(): Promise<Reply<Output>> {
    const batches = this.batches();
    while (!(await batches.next()).done);
    return this.#ending.reply(this.#shared.outline());
  }
}

async function progressLens(): Promise<Lens<ToolProgress>> {
  // Few look at a stream in this way.
  const { createProgress } = await import("../hosted/progress.ts");
  const progress = createProgress();
  return (batch) => batch.map((event) => progress.push(event)).filter((told) => told !== undefined);
}
