import { findAnchor } from "../conversation/anchor.ts";
import { cacheGuard, type CacheGuard } from "../conversation/cache-guard.ts";
import type { Compactor } from "../conversation/compactor.ts";
import { contextManager } from "../conversation/context.ts";
import type { ContextManager, ContextOptions } from "../conversation/context-options.ts";
import { converse } from "../conversation/converse.ts";
import type { Compacted, LogJson, SessionStore, Target } from "../conversation/log-records.ts";
import { Log } from "../conversation/log.ts";
import { newItems } from "../conversation/new-items.ts";
import { openLog, saveLog } from "../conversation/persist.ts";
import { fromCaller } from "../core/caller-stack.ts";
import { AntiphonError, toAntiphonError } from "../core/error.ts";
import { checkArgument, checkOptions, signal, text, whole, type Rules } from "../core/options.ts";
import { responseError } from "../core/interrupt.ts";
import { isAnswer } from "../core/pending.ts";
import type { Middleware } from "../core/respond.ts";
import { abortSignal } from "../core/stop.ts";
import { addUsage, noUsage } from "../core/usage.ts";
import { inputType, isObject, isTerminal } from "../model/guards.ts";
import type { InputItem, ResponseEvent, TerminalEvent } from "../model/index.ts";
import type { Agent } from "./agent.ts";
import type { BoundOptions, CallArguments } from "./agent-options.ts";
import { chatRules, turnRules } from "./agent-rules.ts";
import { placed } from "./chat-journal.ts";
import type { ChatOptions, ChatStats, TurnOptions } from "./chat-options.ts";
import { budgetOf, nativeCompaction, targetOf } from "./chat-target.ts";
import { toItems, type AgentInput } from "./input-items.ts";
import { LateRun } from "./late-run.ts";
import { memoryJournal } from "./loop/journal.ts";
import { ReplyStream } from "./reply-stream.ts";
import type { Reply } from "./reply.ts";
import type { ResolvedModel } from "./resolve-model.ts";
import { pendingCalls, sendable } from "./loop/run-items.ts";
import type { Journal, NeededContext, PendingCall } from "./loop/run-options.ts";
import { sessionJournal } from "./session-journal.ts";
import { SharedStream } from "./shared-stream.ts";
import type { OutputFrom, OutputSchema } from "./typed-output.ts";

interface ForkOptions {
  at?: number;
  id?: string;
}
const forkRules: Rules<ForkOptions> = { at: whole(0), id: text };

interface CompactOptions {
  signal?: AbortSignal;
}
const compactRules: Rules<CompactOptions> = { signal };

/**
 * A conversation with an agent, which remembers all turns. One turn at a time; what was said is in `log`, and nothing
 * that a stop or a crash leaves behind keeps it from going on.
 *
 * @example
 * const chat = agent.chat();
 * await chat.send("My name is Ada.");
 * console.log((await chat.send("What is my name?")).text);
 */
export class Chat<Context = unknown, Output = unknown> {
  readonly agent: Agent<Context, Output>;
  readonly log: Log;
  readonly #options: ChatOptions;
  readonly #compactor: Compactor | undefined;
  readonly #guard: CacheGuard | undefined;
  readonly #journal: Journal;
  readonly #conversations = new WeakMap<ResolvedModel, Middleware>();
  /** The models that were spoken to, by where they are. */
  readonly #models = new Map<string, ResolvedModel>();
  #busy = false;
  #usage = noUsage;

  constructor(agent: Agent<Context, Output>, options: ChatOptions = {}, log?: Log) {
    checkArgument("Chat", "an agent", isAgent(agent), agent);
    checkOptions("chat", options, chatRules);
    const { store, context = {}, guard = true, journal } = options;
    this.agent = agent;
    this.log = log ?? new Log(options.id);
    this.#options = options;
    this.#compactor = typeof context === "function" ? context : context ? this.#manager(context) : undefined;
    this.#guard = guard ? cacheGuard({ key: this.log.id }) : undefined;
    this.#journal = placed(journal ?? (store ? sessionJournal(store, `${this.log.id}:calls`) : memoryJournal()), this.log);
  }

  /** The conversation in JSON, or in a store; a new one where the store has none of that id. */
  static from<C, O>(agent: Agent<C, O>, json: string | LogJson, options?: ChatOptions): Chat<C, O>;
  static from<C, O>(agent: Agent<C, O>, store: SessionStore, id: string, options?: ChatOptions): Promise<Chat<C, O>>;
  static from<C, O>(
    agent: Agent<C, O>,
    from: string | LogJson | SessionStore,
    more?: string | ChatOptions,
    options: ChatOptions = {},
  ): Chat<C, O> | Promise<Chat<C, O>> {
    const isSource = typeof from === "string" || (typeof from === "object" && from !== null);
    checkArgument("Chat.from", "a session store, or the JSON of a chat", isSource, from);
    if (typeof from === "string" || !("load" in from))
      return new Chat(agent, typeof more === "object" ? more : options, Log.from(from));
    checkArgument("Chat.from", "the id of a chat after its store", typeof more === "string", more);
    const id = String(more);
    return openLog(from, id).then((log) => new Chat(agent, { ...options, store: from, id }, log));
  }

  get id(): string {
    return this.log.id;
  }

  /** All that was said and done, whatever was compacted. */
  get items(): InputItem[] {
    return this.log.items;
  }

  /**
   * Returns the unanswered calls and MCP approval requests. `resume` decides about them. Another message answers the calls as
   * interrupted and declines the approval requests.
   */
  get pending(): PendingCall[] {
    return this.log.pending ? pendingCalls(this.#tail()) : [];
  }

  /** Says something, and gives what happens as it happens. */
  stream<Schema extends OutputSchema>(
    input: AgentInput,
    options: TurnOptions<Context> & NeededContext<Context> & { output: Schema },
  ): ReplyStream<OutputFrom<Schema>>;
  stream(input: AgentInput, ...options: CallArguments<Context, TurnOptions<Context, Output>>): ReplyStream<Output>;
  stream(input: AgentInput, options?: TurnOptions): ReplyStream<Output> {
    return this.#say(input, options);
  }

  /** Sends a message and returns the reply. Throws what `Agent.send` throws; the conversation can continue after an error. */
  send<Schema extends OutputSchema>(
    input: AgentInput,
    options: TurnOptions<Context> & NeededContext<Context> & { output: Schema },
  ): Promise<Reply<OutputFrom<Schema>>>;
  send(input: AgentInput, ...options: CallArguments<Context, TurnOptions<Context, Output>>): Promise<Reply<Output>>;
  send(input: AgentInput, options?: TurnOptions): Promise<Reply<Output>> {
    return fromCaller(async () => this.#say(input, options).reply);
  }

  /**
   * Goes on without saying anything: with calls that wait, of which `decisions` says by `call_id` what becomes, or with a question that
   * got no answer. `chat.stream([], options)` does the same as it happens.
   *
   * @example
   * const [call] = chat.pending;
   * await chat.resume({ decisions: { [call.call_id]: { action: "continue" } } });
   */
  resume(...options: CallArguments<Context, TurnOptions<Context, Output>>): Promise<Reply<Output>>;
  async resume(options?: TurnOptions): Promise<Reply<Output>> {
    return this.#say([], options).reply;
  }

  /** The same conversation up to an entry, or all of it, to go on with on its own. */
  fork(options: ForkOptions = {}): Chat<Context, Output> {
    checkOptions("fork", options, forkRules);
    const { at, id } = options;
    return new Chat(this.agent, { ...this.#options, id }, this.log.fork(at, id));
  }

  /** Takes the last turns back. */
  async undo(turns = 1): Promise<void> {
    checkArgument("undo", "a number of turns", Number.isInteger(turns) && turns >= 0, turns);
    this.#mustBeIdle();
    this.log.undo(turns);
    await this.save();
  }

  /** Compacts the conversation now; gives what stands in for its head, or nothing where it is too short. */
  async compact(options: CompactOptions = {}): Promise<Compacted | undefined> {
    checkOptions("compact", options, compactRules);
    this.#mustBeIdle();
    const model = this.agent.resolve();
    const request = model.model ? { model: model.model } : {};
    const target = targetOf(model);
    this.#models.set(placeOf(target), model);
    const about = { request, target, ask: model.respond, force: false, wanted: true, ...options };
    const compacted = await this.#exclusively(async () => this.#compactor?.(this.log, about));
    if (!compacted) return undefined;
    this.log.compact(compacted);
    await this.save();
    return compacted;
  }

  /** Undoes compactions: all that was said counts again. */
  async restore(): Promise<void> {
    this.#mustBeIdle();
    this.log.restore();
    await this.save();
  }

  /** Writes to the store what it does not have yet. Turns do that by themselves. */
  async save(): Promise<void> {
    if (this.#options.store) await saveLog(this.log, this.#options.store);
  }

  stats(): ChatStats {
    const { provider, model, isGpt5Model, reasoningEffort, verbosity } = this.agent.stats();
    const { store } = this.agent.options;
    const compactor = this.#compactor;
    return {
      provider,
      model,
      isGpt5Model,
      reasoningEffort,
      verbosity,
      messages: this.log.entries.filter(({ item }) => inputType(item) === "message").length,
      turns: this.log.turns.length,
      chained: findAnchor(this.log, targetOf(this.agent.resolve()), { store }).reason === "chained",
      usage: this.#usage,
      ...(compactor && "stats" in compactor ? { context: (compactor as ContextManager).stats(this.log) } : {}),
      ...(this.#guard ? { cache: this.#guard.stats() } : {}),
    };
  }

  toJSON(): LogJson {
    return this.log.toJSON();
  }

  #manager(options: ContextOptions): Compactor {
    const compactNatively: ContextOptions["compactNatively"] = async (request, target, signal) => {
      const model = this.#models.get(placeOf(target));
      return model && nativeCompaction(model, this.agent.options.connect)?.(request, target, signal);
    };
    return contextManager({ budget: budgetOf, compactNatively, ...options });
  }

  #say(input: AgentInput, options: TurnOptions = {}): ReplyStream<Output> {
    checkOptions("send", options, turnRules);
    const items = toItems(input);
    let run: LateRun<Output> | undefined;
    const begin = (): LateRun<Output> => (run = this.#begin(items, options));
    const shared = new SharedStream(
      (signal) => this.#turn(begin, signal),
      abortSignal(options.signal ?? this.agent.options.signal),
    );
    return new ReplyStream(shared, {
      reply: async (events) => (run ?? this.#begin(items, options)).reply(events),
      unwrap: (value) => (run ? run.unwrap(value) : value),
    });
  }

  #begin(said: readonly InputItem[], options: TurnOptions): LateRun<Output> {
    const { middleware = [], journal } = this.agent.options;
    return new LateRun<Output>({
      agent: this.agent,
      options: {
        journal: journal ?? this.#journal,
        // The signatures of `send` and `stream` have checked what depends on the context.
        ...(options as Partial<BoundOptions>),
        around: this.#around,
        middleware: [...(options.middleware ?? middleware), ...(this.#guard ? [this.#guard] : [])],
      },
      items: [...this.#tail(), ...newItems(this.log, said)],
    });
  }

  /** What is not compacted: the cost of a turn does not grow with the past. Who is in charge is only told by all of it. */
  #tail(): InputItem[] {
    const from = this.agent.handovers.length > 0 ? 0 : (this.log.compacted?.to ?? 0);
    return this.log.entries.slice(from).map(({ item }) => item);
  }

  readonly #around = (model: ResolvedModel): Middleware => {
    const known = this.#conversations.get(model);
    if (known) return known;
    const { store: sessions } = this.#options;
    const compact = this.#compactor;
    const target = targetOf(model);
    const { holds } = model;
    const kept = { ...(sessions && { sessions }), ...(compact && { compact }), ...(holds && { holds }) };
    const made = converse({ log: this.log, target, ...kept });
    this.#conversations.set(model, made);
    this.#models.set(placeOf(target), model);
    return made;
  };

  async *#turn(begin: () => LateRun<unknown>, signal: AbortSignal): AsyncGenerator<ResponseEvent[]> {
    this.#mustBeIdle();
    this.#busy = true;
    // What tools gave in a run that ended before the model was told.
    const answers: InputItem[] = [];
    try {
      for await (const batch of begin().open(signal)) {
        for (const event of batch)
          if (event.type === "response.output_item.done" && isAnswer(event.item)) answers.push(sendable(event.item));
        const at = batch.findLastIndex(isTerminal);
        yield at === -1 ? batch : await this.#settle(batch, at, answers);
      }
    } finally {
      this.log.answer(answers);
      // What cannot be written now is written with the next turn.
      await this.save().catch(() => {});
      this.#busy = false;
    }
  }

  async #settle(batch: ResponseEvent[], at: number, answers: readonly InputItem[]): Promise<ResponseEvent[]> {
    const terminal = batch[at] as TerminalEvent;
    const { usage } = terminal.response;
    if (usage) this.#usage = addUsage(this.#usage, usage);
    this.log.answer(answers);
    try {
      await this.save();
      return batch;
    } catch (thrown) {
      const error = responseError(toAntiphonError(thrown, "SERVER_ERROR"));
      const response = { ...terminal.response, status: "failed" as const, incomplete_details: null, error };
      return batch.with(at, { type: "response.failed", sequence_number: terminal.sequence_number, response });
    }
  }

  async #exclusively<T>(work: () => Promise<T>): Promise<T> {
    this.#busy = true;
    try {
      return await work();
    } finally {
      this.#busy = false;
    }
  }

  #mustBeIdle(): void {
    if (!this.#busy) return;
    const sentence = "This chat is still answering. Await or abort the current reply first, or use `fork()` for a parallel turn.";
    throw new AntiphonError("BAD_REQUEST", sentence, { vendorCode: "chat_busy" });
  }
}

const placeOf = ({ provider, endpoint }: Target): string => `${provider} ${endpoint}`;
const isAgent = (agent: unknown): boolean => isObject(agent) && "respond" in agent && "resolve" in agent;
