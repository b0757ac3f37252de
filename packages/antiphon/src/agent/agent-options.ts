import type { DeliverableOptions } from "../hosted/deliverables.ts";
import type { Middleware } from "../core/respond.ts";
import type { CreateResponse, TextConfig, Usage } from "../model/index.ts";
import type { PriceLookup } from "../providers/prices.ts";
import type { AgentTool } from "../tools/tool.ts";
import type { ConnectOptions } from "../transport/connect.ts";
import type { Agent } from "./agent.ts";
import type { ModelChoice, ResolvedModel } from "./resolve-model.ts";
import type { RunOptions } from "./loop/run-options.ts";
import type { OutputSchema } from "./typed-output.ts";

/** The fields of a request that an agent sends unchanged. */
export type RequestFields = Omit<
  CreateResponse,
  "model" | "input" | "instructions" | "tools" | "text" | "stream" | "stream_options"
>;

/** Instructions for the model: text, or a function of the run's context. */
export type Instructions<Context> = string | ((context: Context) => string | Promise<string>);

/** Any agent whose runs need no more than a `Context`. */
export interface AnyAgent<in Context = unknown> extends Pick<Agent, "name" | "description" | "respond"> {
  /** For the compiler alone: there is no such property. */
  readonly "~context"?: (context: Context) => void;
}

/**
 * All that makes an agent. One call may override everything but `name` and `description`. `Context` is what instructions, tools
 * and hooks need of a run: each call gives it, or `agent.with({ context })` once.
 */
export interface AgentOptions<Context = unknown, Output = unknown> extends RequestFields, Omit<RunOptions<Context>, "context"> {
  /** What other agents call it. */
  name?: string;
  /** What it is for, in a sentence for other agents. */
  description?: string;
  /** A model string such as `openai:gpt-5.2`, a provider, or a model of one's own. Looked up when it is first asked. */
  model: ModelChoice;
  instructions?: Instructions<Context>;
  tools?: readonly AgentTool<Context>[];
  /** How long the answer should be. */
  verbosity?: TextConfig["verbosity"];
  /** The form of the answer: Zod or any other Standard Schema, or JSON Schema. */
  output?: OutputSchema<Output>;
  /** Around every request to the model; the first is the outermost. */
  middleware?: readonly Middleware[];
  /** Sits between the loop and `middleware`, and is told whom it speaks to: what a conversation needs to send only what is new. */
  around?(model: ResolvedModel): Middleware;
  /** Agents that it may hand the conversation to. */
  handovers?: readonly AnyAgent<Context>[];
  /** Whether it is an error when something has to be left out or changed; a warning in the reply where nothing is said. */
  onLoss?: "warn" | "error";
  /** Which of the files that the model makes are fetched, and how. */
  files?: Omit<DeliverableOptions, "download" | "signal">;
  /** Where prices are found, for `reply.cost`. */
  prices?: PriceLookup;
  /** How to reach a model that is given as a string or a provider. An agent needs every event, so it has no `relay`. */
  connect?: Omit<ConnectOptions, "relay">;
}

/** What depends on the context, typed so that an `Agent<Session>` can stand where any `Agent` may. */
interface CallContext<Context> {
  /** Given to instructions, tools and hooks. */
  context?: Context;
  instructions?: string | Writer<Context>["write"];
  tools?: readonly AgentTool<never>[];
  handovers?: readonly AnyAgent<never>[];
}
// The compiler compares the parameters of a method in both directions, those of a function in one.
interface Writer<Context> {
  write(context: Context): string | Promise<string>;
}

/** The options of one call. */
export interface SendOptions<Context = unknown, Output = unknown>
  extends
    Partial<Omit<AgentOptions<Context, Output>, "name" | "description" | keyof CallContext<Context>>>,
    CallContext<Context> {}

/** The options of an agent, perhaps with the context of all its runs. */
export type BoundOptions = AgentOptions & Pick<RunOptions, "context">;

/** The options after an input. They are required if a run needs a context and the agent has none. */
export type CallArguments<Context, Options> = undefined extends Context
  ? [options?: Options]
  : [options: Options & { context: Context }];

/** What an agent has done so far, and with what. */
export interface AgentStats {
  provider: string | undefined;
  model: string | undefined;
  isGpt5Model: boolean;
  reasoningEffort: NonNullable<CreateResponse["reasoning"]>["effort"] | undefined;
  verbosity: TextConfig["verbosity"] | undefined;
  /** Requests that were sent to the model. */
  requests: number;
  /** Responses of the model that came to an end. */
  steps: number;
  usage: Usage;
  /** Only where the price of everything is known. */
  cost?: number;
}
