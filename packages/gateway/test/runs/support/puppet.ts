import { abortSignal, AntiphonError, fromBatches, Writer, type CreateResponse, type Respond, type ResponseEvent } from "antiphon";

/** One call of a puppet: says what it is told to, when it is told to. */
export class PuppetCall {
  readonly request: CreateResponse;
  readonly signal: AbortSignal;
  readonly #writer: Writer;
  readonly #batches: (ResponseEvent[] | Error)[] = [];
  #wake: () => void = () => {};
  #over = false;

  constructor(request: CreateResponse, signal: AbortSignal, number: number) {
    this.request = request;
    this.signal = signal;
    let made = 0;
    this.#writer = new Writer({ request, newId: (prefix) => `${prefix}_${number}_${(made += 1)}`, now: () => 1_700_000_000 });
    signal.addEventListener("abort", () => this.#end(() => this.#writer.fail(new AntiphonError("ABORTED", "Stopped."))));
  }

  /** Begins, as a model does that has nothing to say yet. */
  start(): this {
    this.#writer.start();
    return this.#send();
  }

  say(...words: string[]): this {
    for (const word of words) {
      this.#writer.text(word);
      this.#send();
    }
    return this;
  }

  finish(): void {
    this.#end(() => {
      this.#writer.response({ usage: usage(10, 5) });
      this.#writer.finish({ status: "completed" });
    });
  }

  /** Fails: before the first event by throwing, after it with an event. */
  fail(error: AntiphonError, thrown = false): void {
    if (thrown) this.#put(error);
    else this.#end(() => this.#writer.fail(error));
  }

  async *play(): AsyncGenerator<ResponseEvent[]> {
    for (;;) {
      const next = this.#batches.shift();
      if (next instanceof Error) throw next;
      if (next) yield next;
      else if (this.#over) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #end(write: () => void): void {
    if (this.#over) return;
    write();
    this.#over = true;
    this.#send();
  }

  #send(): this {
    this.#put(this.#writer.drain());
    return this;
  }

  #put(batch: ResponseEvent[] | Error): void {
    this.#batches.push(batch);
    this.#wake();
  }
}

export const usage = (input_tokens: number, output_tokens: number) => ({
  input_tokens,
  output_tokens,
  total_tokens: input_tokens + output_tokens,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 0 },
});

/** A model that does only what a test tells it to, call by call. */
export class Puppet {
  readonly calls: PuppetCall[] = [];
  readonly #waiting: ((call: PuppetCall) => void)[] = [];
  #given = 0;

  readonly respond: Respond = (request, options) => {
    const call = new PuppetCall(
      request,
      abortSignal(options?.signal) ?? new AbortController().signal,
      this.calls.push(undefined as never),
    );
    this.calls[this.calls.length - 1] = call;
    this.#waiting.shift()?.(call);
    return fromBatches(() => call.play());
  };

  /** The next call that nobody asked for yet, when it comes. */
  next(): Promise<PuppetCall> {
    const call = this.calls[this.#given];
    this.#given += 1;
    return call ? Promise.resolve(call) : new Promise((resolve) => this.#waiting.push(resolve));
  }
}
