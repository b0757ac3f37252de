import type { Tool } from "../model/index.ts";

/** What a tool is told, beside its input. */
export interface ToolContext<Context = unknown> {
  /** Fires when the run is stopped or the tool's time is up. */
  signal: AbortSignal;
  /** The call that is being answered. */
  call_id: string;
  name: string;
  /** Whatever the caller gave the run as its `context`. */
  context: Context;
}

/**
 * A tool that runs here. `run` may give text, content parts (pictures, files) or any JSON value; a generator yields progress and
 * returns the result. What it throws goes back to the model. `Context` is what its run must be given.
 */
export interface RunnableTool<Input = unknown, in Context = unknown> {
  readonly name: string;
  /** What the request's `tools` holds; for a function, in strict form where its schema allows. */
  readonly definition: Tool;
  /** How its schema was changed for the wire, and why it is not strict where it is not. */
  readonly changes: readonly SchemaChange[];
  /** What the model wrote, as `run` wants it. Throws an `AntiphonError` whose message the model can act on. */
  read(written: unknown): Input | Promise<Input>;
  run(input: Input, context: ToolContext<Context>): unknown;
  /** Whether somebody must agree to a call before it runs. */
  needsApproval?(input: Input, context: ToolContext<Context>): boolean | Promise<boolean>;
  /** Milliseconds after which a call is given up; the run's own limit where left out. */
  readonly timeout?: number;
  /** Running it twice does no harm, so a call that a crash interrupted may run again. */
  readonly idempotent?: boolean;
}

/** Something that a schema lost or gained on its way to the wire. */
export interface SchemaChange {
  /** A JSON pointer into the schema: `/properties/city`. */
  path: string;
  /** What kind of change: `optional-to-nullable`, `one-of-to-any-of`, `keyword-to-description`, `not-strict`, … */
  rule: string;
  /** Why, as a sentence. */
  reason: string;
}

/** Tools that may change while a conversation goes on, such as those of an MCP server. Asked before every step. */
export interface ToolSource {
  listTools(signal?: AbortSignal): Promise<readonly RunnableTool[]>;
}

/** Anything that an agent's `tools` may hold: a tool that runs here, a source of such, or one that only the provider or the caller runs. */
export type AgentTool<Context = unknown> = RunnableTool<unknown, Context> | ToolSource | Tool;
