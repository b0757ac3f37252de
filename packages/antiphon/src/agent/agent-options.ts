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

/** What a request may say beside what the agent says itself, in the spelling of the wire. */
export type RequestFields = Omit<
  CreateResponse,
  "model" | "input" | "instructions" | "tools" | "text" | "stream" | "stream_options"
>;

/** What the model is told about its task: words, or a function that makes them for each run. */
export type Instructions<Context> = string | Writer<Context>["write"];
// Written as a method, so that an agent for one context can stand where any agent may.
interface Writer<Context> {
  write(context: Context): string | Promise<string>;
}

/** All that makes an agent. Everything but `name` may also be given to one call, and takes the place of the agent's own there. */
export interface AgentOptions<Context = unknown, Output = unknown> extends RequestFields, RunOptions<Context> {
  /** What other agents call it. */
  name?: string;
  /** What it is for, in a sentence for other agents. */
  description?: string;
  /** A model string such as `openai:gpt-5.2`, a provider, or a model of one's own. Looked up when it is first asked. */
  model: ModelChoice;
  instructions?: Instructions<Context>;
  tools?: readonly AgentTool[];
  /** How long the answer should be. */
  verbosity?: TextConfig["verbosity"];
  /** The form of the answer: Zod or any other Standard Schema, or JSON Schema. */
  output?: OutputSchema<Output>;
  /** Around every request to the model; the first is the outermost. */
  middleware?: readonly Middleware[];
  /** Sits between the loop and `middleware`, and is told whom it speaks to: what a conversation needs to send only what is new. */
  around?(model: ResolvedModel): Middleware;
  /** Agents that it may hand the conversation to. */
  handovers?: readonly Agent<Context>[];
  /** Whether it is an error when something has to be left out or changed; a warning in the reply where nothing is said. */
  onLoss?: "warn" | "error";
  /** Which of the files that the model makes are fetched, and how. */
  files?: Omit<DeliverableOptions, "download" | "signal">;
  /** Where prices are found, for `reply.cost`. */
  prices?: PriceLookup;
  /** How to reach a model that is given as a string or a provider. An agent needs every event, so it has no `relay`. */
  connect?: Omit<ConnectOptions, "relay">;
}

/** What may be said about one call. */
export type SendOptions<Context = unknown, Output = unknown> = Partial<
  Omit<AgentOptions<Context, Output>, "name" | "description">
>;

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
