import type { AntiphonError } from "../../core/error.ts";
import { toAntiphonError } from "../../core/error.ts";
import { interrupt, responseError } from "../../core/interrupt.ts";
import { Reducer } from "../../core/reduce.ts";
import { fromBatches, type Respond } from "../../core/respond.ts";
import type { StopSignal } from "../../core/stop.ts";
import { Writer, type WriterContext } from "../../core/writer.ts";
import type { Target } from "../../conversation/log-records.ts";
import { isTerminal } from "../../model/guards.ts";
import type { CreateResponse, InputItem, Item, ResponseEvent, ResponseResource } from "../../model/index.ts";
import { inputTokens, outputTokens, usageOf } from "../offline/tokens.ts";
import { answerByChance, type StatefulTurn } from "./answer.ts";
import { StatefulMemory } from "./memory.ts";
import { randomFrom } from "./random.ts";
import { refusals } from "./refuse.ts";
import { checkedContext } from "./rules.ts";

export type { StatefulTurn } from "./answer.ts";
export { randomFrom, type Random } from "./random.ts";
export type { StatefulRule } from "./refuse.ts";

/** How the simulated server is set up. */
export interface StatefulOptions {
  /** What it is called; several servers of different names are different providers. */
  name?: string;
  /** What its answers depend on. */
  seed?: number;
  /** Tokens that fit, a token being about four characters; without bound where left out. */
  contextWindow?: number;
  /** How long responses are kept, in seconds; for ever where left out. */
  retention?: number;
  /** Whether its models think, and know of encrypted content; so where nothing is said. */
  reasons?: boolean;
  /** Whether errors come inside a stream that has begun, as `response.failed`, and not by status. */
  failsInStream?: boolean;
  /** What it answers; by chance where left out. */
  answer?(turn: StatefulTurn): readonly Item[];
  /** Seconds since 1970; always the same moment where left out. */
  now?(): number;
}

/** The simulated server, and a look inside. */
export interface Stateful {
  respond: Respond;
  /** Whom a conversation is held with that goes to this server. */
  readonly target: Target;
  /** The requests that it was sent, refused ones too. */
  readonly requests: readonly CreateResponse[];
  /** What the last request that it took amounted to, chain and all. */
  readonly context: readonly InputItem[];
  /** What the server would say to a request, without answering it: nothing where it would take it. */
  check(request: CreateResponse): AntiphonError | undefined;
  /** Lets it know of an exchange that it had no part in. */
  learn(request: CreateResponse, response: ResponseResource): void;
  /** Forgets a response, or all that it has kept. */
  forget(response_id?: string): void;
  /** Blobs that it made so far cannot be read any more. */
  rekey(): void;
}

/**
 * A server that keeps conversations and is as strict about them as OpenAI's: it refuses chains that it does not know, calls without
 * outputs and outputs without calls, reasoning without what it led to, ids that it does not keep or has twice, and blobs that it did
 * not make.
 *
 * @example
 * const server = stateful({ name: "first", seed: 1 });
 * const respond = converse({ log: new Log(), target: server.target })(server.respond);
 */
export function stateful(options: StatefulOptions = {}): Stateful {
  const { name = "stateful", seed = 1, now = () => 1_767_225_600, retention = Infinity } = options;
  const memory = new StatefulMemory(now, retention);
  const server = new Server(options, memory, now);
  const target = { provider: name, endpoint: `stateful:${name}:${seed}`, model: "stateful", stores: true, encrypts: true };
  const kept = Number.isFinite(retention) ? { retention } : {};
  return {
    respond: (request, call) => fromBatches(() => server.play(request, call?.signal)),
    target: { ...target, encrypts: options.reasons ?? true, ...kept },
    get requests() {
      return server.requests;
    },
    get context() {
      return server.context;
    },
    check: (request) => server.check(request),
    learn: (request, response) => memory.keep(request, structuredClone(response)),
    forget: (id) => memory.forget(id),
    rekey: () => memory.rekey(),
  };
}

class Server {
  readonly requests: CreateResponse[] = [];
  context: readonly InputItem[] = [];
  readonly #options: StatefulOptions;
  readonly #memory: StatefulMemory;
  readonly #random: () => number;
  readonly #now: () => number;
  readonly #name: string;
  #count = 0;

  constructor(options: StatefulOptions, memory: StatefulMemory, now: () => number) {
    this.#options = options;
    this.#memory = memory;
    this.#random = randomFrom(options.seed ?? 1);
    this.#now = now;
    this.#name = options.name ?? "stateful";
  }

  readonly #newId = (prefix: string): string => `${prefix}_${this.#name}${(this.#count += 1)}`;

  #accept(request: CreateResponse): InputItem[] {
    const { contextWindow = Infinity, reasons = true } = this.#options;
    if (!reasons && request.include?.includes("reasoning.encrypted_content")) throw refusals["blobs-unknown"]();
    const context = checkedContext(request, this.#memory, reasons);
    if (request.truncation !== "auto" && inputTokens(request, context) > contextWindow) throw refusals["too-long"]();
    return context;
  }

  check(request: CreateResponse): AntiphonError | undefined {
    try {
      this.#accept(request);
      return undefined;
    } catch (thrown) {
      return toAntiphonError(thrown, "SERVER_ERROR");
    }
  }

  async *play(request: CreateResponse, signal: StopSignal | undefined): AsyncGenerator<ResponseEvent[]> {
    const ctx: WriterContext = { request, newId: this.#newId, now: this.#now };
    if (signal?.aborted) throw toAntiphonError(signal.reason, "ABORTED");
    this.requests.push(request);
    const refused = this.check(request);
    if (refused && !this.#options.failsInStream) throw refused;
    yield* until(refused ? brokenOff(ctx, refused) : this.#answer(ctx), request, signal);
  }

  #answer(ctx: WriterContext): ResponseEvent[] {
    const { request, newId } = ctx;
    const context = (this.context = this.#accept(request));
    const { answer = answerByChance, reasons = true } = this.#options;
    const asked = reasons && request.include?.includes("reasoning.encrypted_content");
    const seal = (id: string): string | undefined => (asked ? `${this.#name}:${id}:${this.#random()}` : undefined);
    const items = answer({ request, context, random: this.#random, newId, seal });
    const writer = new Writer(ctx);
    writer.start();
    for (const item of items) writer.item(item);
    const thoughts = outputTokens(items.filter(({ type }) => type === "reasoning"));
    writer.response({ usage: usageOf(inputTokens(request, context), outputTokens(items), thoughts) });
    writer.finish({ status: "completed" });
    const events = writer.drain();
    const last = events.at(-1);
    if (last && isTerminal(last)) this.#memory.keep(request, structuredClone(last.response));
    return events;
  }
}

/** A stream that begins and then tells of an error. */
function brokenOff(ctx: WriterContext, error: AntiphonError): ResponseEvent[] {
  const writer = new Writer(ctx);
  writer.start();
  const { code, message, param = null } = responseError(error);
  writer.error({ type: "invalid_request_error", code, message, param });
  writer.fail(error);
  return writer.drain();
}

/** Events one by one, up to a stop by the caller. */
async function* until(
  events: readonly ResponseEvent[],
  request: CreateResponse,
  signal: StopSignal | undefined,
): AsyncGenerator<ResponseEvent[]> {
  const fold = new Reducer();
  for (const event of events) {
    if (signal?.aborted) {
      const rest = interrupt(fold, request, toAntiphonError(signal.reason, "ABORTED"));
      rest.forEach((last, index) => (last.sequence_number = event.sequence_number + index));
      yield rest;
      return;
    }
    fold.push(event);
    yield [event];
  }
}
