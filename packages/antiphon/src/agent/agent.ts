import { fromCaller } from "../core/caller-stack.ts";
import { AntiphonError } from "../core/error.ts";
import { checkArgument, checkOptions } from "../core/options.ts";
import { fromBatches, type Respond } from "../core/respond.ts";
import { abortSignal } from "../core/stop.ts";
import { isObject } from "../model/guards.ts";
import { isGpt5Model } from "../providers/catalogue.ts";
import type { RunnableTool } from "../tools/tool.ts";
import { checkLists } from "../transport/check-request.ts";
import type { AgentOptions, AgentStats, AnyAgent, BoundOptions, CallArguments, SendOptions } from "./agent-options.ts";
import type { RunTask } from "./agent-run.ts";
import { agentRules, sendRules } from "./agent-rules.ts";
import { agentTool, agentToolRules, type AgentToolOptions } from "./agent-tool.ts";
import { Chat } from "./chat.ts";
import type { ChatOptions } from "./chat-options.ts";
import { toItems, type AgentInput } from "./input-items.ts";
import { LateRun } from "./late-run.ts";
import { Meter } from "./meter.ts";
import { ReplyStream } from "./reply-stream.ts";
import type { Reply, ReplyJson } from "./reply.ts";
import { resolveModel, type ModelChoice, type ResolvedModel } from "./resolve-model.ts";
import { inputItems, sendable } from "./loop/run-items.ts";
import { SharedStream } from "./shared-stream.ts";
import type { NeededContext } from "./loop/run-options.ts";
import type { OutputFrom, OutputSchema } from "./typed-output.ts";

/**
 * A model with instructions, tools and limits. It keeps nothing of what is said; `chat()` does.
 *
 * @example
 * const agent = new Agent({ model: "openai:gpt-5.2", instructions: "Be brief.", tools: [weather] });
 * const reply = await agent.send("What is the weather in Oslo?");
 * console.log(reply.text);
 */
export class Agent<Context = unknown, Output = unknown> {
  /** Counts what all runs of this agent took. */
  readonly meter = new Meter();
  readonly #models = new Map<ModelChoice, { connect: AgentOptions["connect"]; resolved: ResolvedModel }>();
  /** For the compiler alone: what a run needs, compared in both directions like the parameter of a method. */
  declare readonly "~context"?: { context(context: Context): void }["context"];
  #options: BoundOptions;

  constructor(options: AgentOptions<Context, Output>) {
    checkOptions("Agent", options, agentRules);
    if (options.model === undefined)
      throw new AntiphonError("BAD_REQUEST", 'The agent has no model. Set `model`, for example to "openai:gpt-5.2".', {
        param: "model",
      });
    // Hooks, instructions and tools are handed the context that the caller gives, so what is typed by it here can be forgotten inside.
    this.#options = { ...(options as AgentOptions) };
  }

  /** All that it was made with, as it is now. */
  get options(): Readonly<BoundOptions> {
    return this.#options;
  }

  get name(): string {
    return this.#options.name ?? "agent";
  }

  get description(): string | undefined {
    return this.#options.description;
  }

  /** The model that the next run asks. */
  get model(): ModelChoice {
    return this.#options.model;
  }
  set model(model: ModelChoice) {
    this.#set({ model });
  }

  /** How hard it thinks, and what of it is told. */
  get reasoning(): AgentOptions["reasoning"] {
    return this.#options.reasoning;
  }
  set reasoning(reasoning: AgentOptions["reasoning"]) {
    this.#set({ reasoning });
  }

  /** How long its answers are. */
  get verbosity(): AgentOptions["verbosity"] {
    return this.#options.verbosity;
  }
  set verbosity(verbosity: AgentOptions["verbosity"]) {
    this.#set({ verbosity });
  }

  /** The agents that it may hand the conversation to; agents that hand over to each other are given theirs once all are made. */
  get handovers(): readonly Agent[] {
    // Nothing but an `Agent` passes the check of the options.
    return (this.#options.handovers ?? []) as readonly Agent[];
  }
  set handovers(handovers: readonly AnyAgent<Context>[]) {
    this.#set({ handovers: handovers as readonly AnyAgent[] });
  }

  /** The agent as a model: what asks it, asks the whole loop. */
  readonly respond: Respond = (asked, call = {}) => {
    checkArgument("respond", "a request", isObject(asked), asked);
    checkLists(asked);
    return fromBatches(() => {
      const run = new LateRun({ agent: this.#untyped, options: call, items: inputItems(asked), asked });
      return run.open(abortSignal(call.signal) ?? new AbortController().signal);
    });
  };

  /**
   * Returns `Agent` for runs of one context, if nothing else tells its type. The compiler still infers the type of `output`,
   * which it cannot do in `new Agent<Session>({ output })`.
   *
   * @example
   * const SessionAgent = Agent.withContext<Session>();
   * const agent = new SessionAgent({ model: "openai:gpt-5.2", output: report });
   */
  static withContext<Context>(): new <Output = unknown>(options: AgentOptions<Context, Output>) => Agent<Context, Output> {
    return Agent;
  }

  /**
   * Returns a copy with other options. With a `context`, calls of the copy need none.
   *
   * @example
   * const agent = assistant.with({ context: { user: "Ada" } });
   * await agent.send("Who am I?");
   */
  with(options: Partial<SendOptions<Context>> & { context: Context }): Agent<Context | undefined, Output>;
  with<Other>(
    options: Partial<AgentOptions<Exclude<Context, undefined>, Other>> & { output: OutputSchema<Other> },
  ): Agent<Context, Other>;
  with(options: Partial<Omit<AgentOptions<Exclude<Context, undefined>>, "output">>): Agent<Context, Output>;
  with(options: object): object {
    return new Agent<Context>({ ...this.#options, ...options });
  }

  /** Asks, and gives what happens as it happens. */
  stream<Schema extends OutputSchema>(
    input: AgentInput,
    options: SendOptions<Context> & NeededContext<Context> & { output: Schema },
  ): ReplyStream<OutputFrom<Schema>>;
  stream(input: AgentInput, ...options: CallArguments<Context, SendOptions<Context, Output>>): ReplyStream<Output>;
  stream(input: AgentInput, options?: SendOptions): ReplyStream<Output> {
    return this.#run(input, options);
  }

  /**
   * Runs the agent and returns its reply. Throws a `RunError` if the run fails; its `reply` holds what arrived before. With an `output`
   * schema, throws a `RefusalError` if the model declines and an `OutputError` if its answer does not match the schema.
   */
  send<Schema extends OutputSchema>(
    input: AgentInput,
    options: SendOptions<Context> & NeededContext<Context> & { output: Schema },
  ): Promise<Reply<OutputFrom<Schema>>>;
  send(input: AgentInput, ...options: CallArguments<Context, SendOptions<Context, Output>>): Promise<Reply<Output>>;
  send(input: AgentInput, options?: SendOptions): Promise<Reply<Output>> {
    return fromCaller(async () => this.#run(input, options).reply);
  }

  /**
   * Goes on with a run that waits: `decisions` says by `call_id` what becomes of its calls.
   *
   * @example
   * const paused = JSON.parse(JSON.stringify(await agent.send("Delete the file.")));
   * const reply = await agent.resume(paused, { decisions: { [paused.pending[0].call_id]: { action: "continue" } } });
   */
  resume<Schema extends OutputSchema>(
    paused: Reply | ReplyJson,
    options: SendOptions<Context> & NeededContext<Context> & { output: Schema },
  ): Promise<Reply<OutputFrom<Schema>>>;
  resume(paused: Reply | ReplyJson, ...options: CallArguments<Context, SendOptions<Context, Output>>): Promise<Reply<Output>>;
  async resume(paused: Reply | ReplyJson, options?: SendOptions): Promise<Reply<Output>> {
    checkArgument("resume", "a paused reply or its JSON", isObject(paused), paused);
    if (!isPaused(paused))
      throw new AntiphonError("BAD_REQUEST", "`resume` takes a paused reply or its JSON, which have `input` and `items`.");
    return this.#run([...paused.input, ...paused.items.map(sendable)], options).reply;
  }

  /**
   * A conversation with this agent, which remembers. `Chat.from` opens one that is kept somewhere.
   *
   * @example
   * const chat = agent.chat({ store: memorySessions(), id: "support-17" });
   */
  chat(options: ChatOptions = {}): Chat<Context, Output> {
    return new Chat(this, options);
  }

  /** The agent as a tool of another. */
  // `Needed` is the agent's context. As a parameter of the method it does not count in comparing agents.
  asTool<Needed = Context>(options: AgentToolOptions = {}): RunnableTool<unknown, NoInfer<Needed>> {
    checkOptions("asTool", options, agentToolRules);
    return agentTool(this.#untyped, options);
  }

  /** What it has done so far, and with what. */
  stats(): AgentStats {
    const { provider, model } = this.resolve();
    const { requests, steps, usage, cost } = this.meter;
    const { reasoning, verbosity, prices } = this.#options;
    return {
      provider,
      model,
      requests,
      steps,
      usage,
      verbosity,
      isGpt5Model: model !== undefined && isGpt5Model(model),
      reasoningEffort: reasoning?.effort,
      ...(prices && cost !== undefined ? { cost } : {}),
    };
  }

  /** The model that is meant, ready to be asked; made on first use, and no key is looked for. */
  resolve({ model, connect }: Pick<AgentOptions, "model" | "connect"> = this.#options): ResolvedModel {
    const known = this.#models.get(model);
    if (known && known.connect === connect) return known.resolved;
    const resolved = resolveModel(model, connect);
    this.#models.set(model, { connect, resolved });
    return resolved;
  }

  /** The agent as the code of a run sees it: its types are checked where callers give a context and take an output. */
  get #untyped(): Agent {
    return this as object as Agent;
  }

  #run(input: AgentInput, options: SendOptions = {}): ReplyStream<Output> {
    checkOptions("send", options, sendRules);
    // The signatures of `send` and `stream` have checked what depends on the context.
    const task: RunTask = { agent: this.#untyped, options: options as Partial<BoundOptions>, items: toItems(input) };
    const run = new LateRun<Output>(task);
    const shared = new SharedStream((signal) => run.open(signal), abortSignal(options.signal ?? this.#options.signal));
    return new ReplyStream(shared, run);
  }

  #set(options: Partial<AgentOptions>): void {
    checkOptions("Agent", options, agentRules);
    this.#options = { ...this.#options, ...options };
  }
}

const isPaused = ({ input, items }: Reply | ReplyJson): boolean => Array.isArray(input) && Array.isArray(items);
