import { fromCaller } from "../core/caller-stack.ts";
import { AntiphonError } from "../core/error.ts";
import { checkArgument, checkOptions } from "../core/options.ts";
import { fromBatches, type Respond } from "../core/respond.ts";
import { abortSignal } from "../core/stop.ts";
import { isObject } from "../model/guards.ts";
import { isGpt5Model } from "../providers/catalogue.ts";
import type { RunnableTool } from "../tools/tool.ts";
import { checkLists } from "../transport/check-request.ts";
import type { AgentOptions, AgentStats, SendOptions } from "./agent-options.ts";
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
  #options: AgentOptions;

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
  get options(): Readonly<AgentOptions> {
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
    return this.#options.handovers ?? [];
  }
  set handovers(handovers: readonly Agent[]) {
    this.#set({ handovers });
  }

  /** The agent as a model: what asks it, asks the whole loop. */
  readonly respond: Respond = (asked, call = {}) => {
    checkArgument("respond", "a request", isObject(asked), asked);
    checkLists(asked);
    return fromBatches(() => {
      const run = new LateRun({ agent: this, options: call, items: inputItems(asked), asked });
      return run.open(abortSignal(call.signal) ?? new AbortController().signal);
    });
  };

  /** A copy with other options. */
  with(options: Partial<AgentOptions<Context, Output>>): Agent<Context, Output> {
    // The copy is made of this agent's own options, whose types were checked when it was made.
    return new Agent({ ...(this.#options as AgentOptions<Context, Output>), ...options });
  }

  /** Asks, and gives what happens as it happens. */
  stream<Schema extends OutputSchema>(
    input: AgentInput,
    options: SendOptions<Context> & { output: Schema },
  ): ReplyStream<OutputFrom<Schema>>;
  stream(input: AgentInput, options?: SendOptions<Context, Output>): ReplyStream<Output>;
  stream(input: AgentInput, options: SendOptions<Context, Output> = {}): ReplyStream<Output> {
    checkOptions("send", options, sendRules);
    const run = new LateRun<Output>({ agent: this, options, items: toItems(input) });
    const shared = new SharedStream((signal) => run.open(signal), abortSignal(options.signal ?? this.#options.signal));
    return new ReplyStream(shared, run);
  }

  /**
   * Runs the agent and returns its reply. Throws a `RunError` if the run fails; its `reply` holds what arrived before. With an `output`
   * schema, throws a `RefusalError` if the model declines and an `OutputError` if its answer does not match the schema.
   */
  send<Schema extends OutputSchema>(
    input: AgentInput,
    options: SendOptions<Context> & { output: Schema },
  ): Promise<Reply<OutputFrom<Schema>>>;
  send(input: AgentInput, options?: SendOptions<Context, Output>): Promise<Reply<Output>>;
  send(input: AgentInput, options?: SendOptions<Context, Output>): Promise<Reply<Output>> {
    return fromCaller(async () => this.stream(input, options).reply);
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
    options: SendOptions<Context> & { output: Schema },
  ): Promise<Reply<OutputFrom<Schema>>>;
  resume(paused: Reply | ReplyJson, options?: SendOptions<Context, Output>): Promise<Reply<Output>>;
  async resume(paused: Reply | ReplyJson, options?: SendOptions<Context, Output>): Promise<Reply<Output>> {
    checkArgument("resume", "a paused reply or its JSON", isObject(paused), paused);
    if (!isPaused(paused))
      throw new AntiphonError("BAD_REQUEST", "`resume` takes a paused reply or its JSON, which have `input` and `items`.");
    return this.send([...paused.input, ...paused.items.map(sendable)], options);
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
  asTool(options: AgentToolOptions = {}): RunnableTool {
    checkOptions("asTool", options, agentToolRules);
    return agentTool(this, options);
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

  #set(options: Partial<AgentOptions>): void {
    checkOptions("Agent", options, agentRules);
    this.#options = { ...this.#options, ...options };
  }
}

const isPaused = ({ input, items }: Reply | ReplyJson): boolean => Array.isArray(input) && Array.isArray(items);
