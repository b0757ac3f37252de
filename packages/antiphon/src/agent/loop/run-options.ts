import type { CallOptions } from "../../core/respond.ts";
import type { CreateResponse, InputItem, Item, ResponseResource } from "../../model/index.ts";
import type { AgentTool, ToolContext } from "../../tools/tool.ts";

/** A call that the model made and that waits to be answered here. */
export interface PendingCall {
  /** `function_call`, `custom_tool_call`, `local_shell_call`, `shell_call`, `apply_patch_call`, `computer_call` or `mcp_approval_request`. */
  type: string;
  name: string;
  call_id: string;
  /** What the model wrote: JSON text of a function's arguments, a custom tool's text, else the item itself. */
  written: unknown;
  item: Item;
}

/** What becomes of a call: it runs (perhaps with other input), is answered without running, is declined, or waits for somebody. */
export type Decision =
  | { action: "continue"; input?: unknown }
  | { action: "replace"; output: unknown }
  | { action: "refuse"; reason?: string }
  | { action: "pause" };

/** One request to the model and what was answered to its calls. */
export interface Step {
  response: ResponseResource;
  /** The outputs of the calls that ran, in the order of the calls. */
  outputs: readonly InputItem[];
}

/**
 * Remembers which calls ran, so that none runs twice however often a run is resumed. `claim` is atomic: exactly one caller ever gets
 * `"run"` for a call.
 */
export interface Journal {
  /** `"run"`: it is yours to run. `"taken"`: somebody began it and has not said how it ended. Else what came of it. */
  claim(call_id: string): Promise<"run" | "taken" | { output: InputItem }>;
  /** Keeps the answer to a call; durable when it resolves. */
  settle(call_id: string, output: InputItem): Promise<void>;
}

/** How a run goes about its steps. */
export interface RunOptions<Context = unknown> extends CallOptions {
  tools?: readonly AgentTool<Context>[];
  /** Requests to the model, at most; 20 where nothing is said. */
  maxSteps?: number;
  /** Calls that run at the same time; 8 where nothing is said. */
  maxParallel?: number;
  /** Milliseconds for one call, where its tool says nothing; two minutes where nothing is said, `0` for ever. */
  toolTimeout?: number;
  /** Asked after every step that called tools: whether the run ends there. */
  stopWhen?(steps: readonly Step[]): boolean | Promise<boolean>;
  /** Asked before each request; what it gives is laid over the request of that step. */
  prepareStep?(
    steps: readonly Step[],
    request: CreateResponse,
  ): Partial<CreateResponse> | void | Promise<Partial<CreateResponse> | void>;
  /** Asked before each call, one after the other. */
  beforeTool?(call: PendingCall, context: ToolContext<Context>): Decision | void | Promise<Decision | void>;
  /** Told what each call gave; what it gives back takes the place of it. */
  afterTool?(call: PendingCall, output: unknown, context: ToolContext<Context>): unknown;
  /** Given to every tool and hook. */
  context?: Context;
  /** What was decided about calls that an earlier run left pending, by `call_id`. */
  decisions?: Readonly<Record<string, Decision>>;
  journal?: Journal;
  /** Makes ids for what the run itself adds. */
  newId?(prefix: string): string;
  /** Seconds since 1970. */
  now?(): number;
}

/** Requires a context if the tools or hooks of a run need one. */
export type NeededContext<Context> = undefined extends Context ? unknown : { context: Context };
