import { isTerminal, Reducer, type AntiphonError, type ResponseEvent, type ResponseResource, type TerminalEvent } from "antiphon";
import { responsesCodec } from "antiphon/codecs/responses";
import type { StoredResponse } from "../store/store.ts";
import { isOpening } from "./continued.ts";
import { splitTicket } from "./request-ticket.ts";
import type { RunContext } from "./run-context.ts";

const page = 500;
const codec = responsesCodec();

/** The first events of a response that waits for its turn: the same whoever writes or reads them. */
export function waiting(response: ResponseResource): ResponseEvent[] {
  const queued: ResponseResource = { ...response, status: "queued" };
  return [
    { type: "response.created", sequence_number: 0, response: queued },
    { type: "response.queued", sequence_number: 1, response: queued },
  ];
}

/** The events with which every log begins, whichever worker takes the run in the end. */
export const begin = (response: ResponseResource): ResponseEvent[] => [
  ...waiting(response),
  { type: "response.in_progress", sequence_number: 2, response },
];

export const openingLength = 3;

/** What the log of a response tells so far, and how it would end here. */
export class LogFold {
  readonly #context: Pick<RunContext, "store" | "newId" | "now">;
  readonly #stored: StoredResponse;
  readonly #fold = new Reducer();
  #last = -1;
  #hasOutput = false;
  /** The events before anything of the answer. */
  readonly opening: ResponseEvent[] = [];

  constructor(context: Pick<RunContext, "store" | "newId" | "now">, stored: StoredResponse) {
    this.#context = context;
    this.#stored = stored;
  }

  /** Whether anything of the answer was shown. */
  get hasOutput(): boolean {
    return this.#hasOutput;
  }

  /** Reads what was added to the log since the last time; says whether there was anything. */
  async read(): Promise<boolean> {
    const { id, owner } = this.#stored;
    const before = this.#last;
    for (;;) {
      const events = await this.#context.store.readEvents(id, owner, this.#last, page);
      this.#take(events);
      if (events.length < page) return this.#last > before;
    }
  }

  /** The events that end it, after those of the log: what is open is closed, and what was said is kept. */
  ending(reason: AntiphonError): { events: ResponseEvent[]; response: ResponseResource } {
    const first = this.#last < 0 ? waiting(this.#stored.response) : [];
    this.#take(first);
    const { newId, now } = this.#context;
    const { request } = splitTicket(this.#stored.request);
    const ctx = { request: { ...request, input: this.#stored.input }, newId, now };
    const position = { ...this.#fold.snapshot()!, sequence_number: this.#last, cursor: this.#last };
    const events = codec.createDecoder(ctx, position).fail(reason);
    const last = events.find(isTerminal)!;
    const end = { ...last, response: this.#settle(last, reason) };
    return { events: [...first, ...events.slice(0, -1), end], response: end.response };
  }

  #settle({ response }: TerminalEvent, reason: AntiphonError): ResponseResource {
    // Nothing was used where nothing was said.
    const usage = this.#hasOutput ? response.usage : null;
    return { ...response, usage, ...(reason.code === "ABORTED" ? { status: "cancelled" } : {}) };
  }

  #take(events: readonly ResponseEvent[]): void {
    for (const event of events) {
      this.#fold.push(event);
      if (isOpening(event)) this.opening.push(event);
      else this.#hasOutput = true;
    }
    this.#last = events.at(-1)?.sequence_number ?? this.#last;
  }
}
