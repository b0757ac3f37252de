import { LateBatches } from "../../core/late-batches.ts";
import { fromBatches, type CallOptions, type EventStream, type Middleware, type Respond } from "../../core/respond.ts";
import type { CreateResponse } from "../../model/index.ts";
import type { RunOptions } from "./run-options.ts";

/**
 * Asks a model, runs the tools that it calls, and asks again, until it is done or somebody must act. The whole run is one response:
 * a run is itself a model. Calls that the input leaves unanswered are dealt with first, so resuming is running again.
 *
 * @example
 * const response = await collect(run(respond, { input: "What is the weather in Oslo?" }, { tools: [weather] }));
 */
export const run = <Context>(respond: Respond, request: CreateResponse, options: RunOptions<Context> = {}): EventStream =>
  fromBatches(
    () =>
      new LateBatches(async () => {
        // Whoever only asks models does without the loop.
        const { RunLoop } = await import("./run-loop.ts");
        return new RunLoop(respond, request, options);
      }),
  );

/**
 * Running tools as a middleware: what it wraps is asked until it calls no more tools.
 *
 * @example
 * const respond = looping({ tools: [weather] })(connect(provider("openai:gpt-5.2")));
 */
export const looping =
  <Context>(options: RunOptions<Context>): Middleware =>
  (next) =>
  (request, call = {}) =>
    run(next, request, { ...options, ...said(call) });

/** Only what was said: a field that is undefined must not lie over what another has said. */
const said = (call: CallOptions): CallOptions =>
  Object.fromEntries(Object.entries(call).filter(([, value]) => value !== undefined));
