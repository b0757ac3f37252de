import type { Loss } from "../core/loss.ts";
import { fromBatches, type EventStream, type Middleware, type Respond } from "../core/respond.ts";
import { reuseContainers } from "../hosted/containers.ts";
import type { CreateResponse, InputItem, ResponseResource } from "../model/index.ts";
import type { AgentTool, RunnableTool } from "../tools/tool.ts";
import type { Agent } from "./agent.ts";
import type { BoundOptions } from "./agent-options.ts";
import { fitting } from "./capabilities.ts";
import { including, speaksResponses } from "./include-results.ts";
import { formatFallback } from "./format-fallback.ts";
import { agentInCharge, transferTool } from "./handover.ts";
import { metered, type Meter } from "./meter.ts";
import { ownFields, requestFields } from "./request-fields.ts";
import type { ResolvedModel } from "./resolve-model.ts";
import { RunLoop } from "./loop/run-loop.ts";
import { inputItems, sendable } from "./loop/run-items.ts";
import type { RunOptions, Step } from "./loop/run-options.ts";
import { lossError, refusingLosses, strictnessLosses } from "./tell-losses.ts";
import { isRunnable, isSource } from "./loop/tool-set.ts";
import type { TypedReader } from "./typed-output.ts";

const containers = new WeakMap<Agent, Middleware>();

/** Goes on in the container that an earlier call of an agent's ran in. */
function containersOf(agent: Agent): Middleware {
  const known = containers.get(agent) ?? reuseContainers();
  containers.set(agent, known);
  return known;
}

/** What the legs of a run have in common. */
export interface Journey {
  signal: AbortSignal;
  meter: Meter;
  /** Reads the answer, where a schema was given. */
  reader: TypedReader | undefined;
  /** A request that the agent answers in a model's stead; its fields go before the agent's. */
  asked: CreateResponse | undefined;
  /** What was asked and answered so far, in all legs. */
  steps: Step[];
  /** What was lost that no event tells. */
  losses: Loss[];
}

/** One agent's part of a run: the loop over its model and tools, from the items that it is handed to those that it leaves. */
export class Leg {
  readonly agent: Agent;
  /** What it was handed. */
  readonly items: readonly InputItem[];
  readonly model: ResolvedModel;
  readonly #settings: BoundOptions;
  readonly #journey: Journey;
  /** The input of the newest request, and what the calls of its answer gave: the very objects, by which a conversation knows them. */
  #sent: readonly InputItem[] | undefined;
  #outputs: readonly InputItem[] = [];
  /** The answer to the newest request. */
  last: ResponseResource | undefined;
  /** Whether a rule of the caller's ended it. */
  stopped = false;

  constructor(agent: Agent, settings: BoundOptions, items: readonly InputItem[], journey: Journey) {
    this.agent = agent;
    this.model = agent.resolve(settings);
    this.#settings = settings;
    this.items = items;
    this.#journey = journey;
  }

  /** Begins. One that asks for an answer `again` forces no tool a second time. */
  async open(maxSteps: number | undefined, again = false): Promise<EventStream> {
    const request = await this.#request();
    if (again && request.tool_choice && request.tool_choice !== "none") request.tool_choice = "auto";
    const { signal } = this.#journey;
    const options = { ...this.#settings, tools: this.#tools(), signal, maxSteps, ...this.#hooks() };
    return fromBatches(() => new RunLoop(this.#respond(), request, options));
  }

  /** Takes note of an answer of the model's. */
  stepped(response: ResponseResource): void {
    this.last = response;
    this.#journey.steps.push({ response, outputs: [] });
  }

  /** The items that a leg after it is handed: all so far, or, where the provider keeps the conversation, those that it has not seen. */
  history(ended: ResponseResource): InputItem[] {
    if (this.#settings.conversation) return [...this.#outputs];
    if (!this.#sent) return [...this.items, ...ended.output.map(sendable)];
    return [...this.#sent, ...(this.last?.output ?? []), ...this.#outputs];
  }

  /** Whether another leg may follow, so that it must be known where this one ended. */
  get #isTracked(): boolean {
    return this.#journey.reader !== undefined || this.agent.handovers.length > 0 || this.#journey.steps.length > 0;
  }

  async #request(): Promise<CreateResponse> {
    const { instructions, verbosity, context } = this.#settings;
    const { reader, asked = {} } = this.#journey;
    const words = typeof instructions === "function" ? await instructions(context) : instructions;
    const text = { ...(verbosity && { verbosity }), ...(reader && { format: reader.format }) };
    return {
      ...requestFields(this.#settings),
      ...(words ? { instructions: words } : {}),
      ...(Object.keys(text).length > 0 ? { text } : {}),
      ...ownFields(asked),
      ...(asked.tools && { tools: asked.tools }),
      input: [...this.items],
    };
  }

  #respond(): Respond {
    const { middleware = [], around, onLoss, prices } = this.#settings;
    const { reader, meter } = this.#journey;
    const { model, provider } = this.model;
    const layers: (Middleware | false | undefined)[] = [
      this.#isTracked && this.#tracking,
      onLoss === "error" ? refusingLosses : reader && formatFallback(reader.words, model),
      containersOf(this.agent),
      around?.(this.model),
      ...middleware,
      speaksResponses(this.model) && including,
      fitting(model),
      metered([meter, this.agent.meter], { provider, prices }),
    ];
    return layers.reduceRight<Respond>((next, layer) => (layer ? layer(next) : next), this.model.respond);
  }

  readonly #tracking: Middleware = (next) => (request, call) => {
    this.#sent = inputItems(request);
    this.#outputs = [];
    return next(request, call);
  };

  #hooks(): Pick<RunOptions, "stopWhen" | "prepareStep"> {
    if (!this.#isTracked) return {};
    const { stopWhen, prepareStep } = this.#settings;
    const { steps } = this.#journey;
    return {
      stopWhen: async (own) => {
        this.#outputs = own.at(-1)?.outputs ?? [];
        steps.splice(-1, 1, ...own.slice(-1));
        this.stopped = (await stopWhen?.(steps)) === true;
        return this.stopped || agentInCharge(this.agent, [...(this.last?.output ?? []), ...this.#outputs]) !== this.agent;
      },
      ...(prepareStep && { prepareStep: (_, request) => prepareStep(steps, request) }),
    };
  }

  #tools(): AgentTool[] {
    const { tools = [] } = this.#settings;
    const transfers = this.agent.handovers.map(transferTool);
    return [...tools.map((tool) => this.#watched(tool)), ...transfers];
  }

  /** The same tool; what its schema lost is told. */
  #watched(tool: AgentTool): AgentTool {
    if (isRunnable(tool)) this.#note([tool]);
    if (!isSource(tool)) return tool;
    return {
      listTools: async (signal) => {
        const list = await tool.listTools(signal);
        this.#note(list);
        return list;
      },
    };
  }

  #note(tools: readonly RunnableTool[]): void {
    const losses = tools.flatMap(({ name, changes }) => strictnessLosses(name, changes));
    if (losses.length > 0 && this.#settings.onLoss === "error") throw lossError(losses);
    this.#journey.losses.push(...losses);
  }
}
