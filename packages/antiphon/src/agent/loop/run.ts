import { LateBatches } from "../../core/late-batches.ts";
import { checkArgument, checkOptions } from "../../core/options.ts";
import { fromBatches, type CallOptions, type EventStream, type Middleware, type Respond } from "../../core/respond.ts";
import { isObject } from "../../model/guards.ts";
import type { CreateResponse } from "../../model/index.ts";
import { checkLists } from "../../transport/check-request.ts";
import type { NeededContext, RunOptions } from "./run-options.ts";
import { runRules } from "./run-rules.ts";

/**
 * Calls a model, runs the tools that it calls, and repeats until it answers or a call needs the caller. The whole run
 * is one response: a run is itself a model. Calls that the input leaves unanswered are dealt with first, so resuming
 * is running again.
 *
 * @example
 * const response = await collect(run(respond, { input: "What is the weather in Oslo?" }, { tools: [weather] }));
 */
export function run<Context = unknown>(
  respond: Respond,
  request: CreateResponse,
  options?: RunOptions<Context> & NeededContext<Context>,
): EventStream {
  checkArgument("run", "a model, such as `connect(provider(…))`", typeof respond === "function", respond);
  checkArgument("run", "a request as its second argument", isObject(request), request);
  checkLists(request);
  // The parameter's type has checked what depends on the context.
  const settings = (options ?? {}) as RunOptions;
  checkOptions("run", settings, runRules);
  return fromBatches(
    () =>
      new LateBatches(async () => {
        // Loaded on first use: programs that only call models never need the loop.
        const { RunLoop } = await import("./run-loop.ts");
        return new RunLoop(respond, request, settings);
      }),
  );
}

/**
 * Middleware that runs tools: it calls the wrapped model until the model calls no more tools.
 *
 * @example
 * const respond = looping({ tools: [weather] })(connect(provider("openai:gpt-5.2")));
 */
export function looping<Context = unknown>(options: RunOptions<Context> & NeededContext<Context>): Middleware {
  const settings = options as RunOptions;
  checkOptions("looping", settings, runRules);
  return (next) =>
    (request, call = {}) =>
      run(next, request, { ...settings, ...omitUndefined(call) });
}

/** Drops undefined fields, so that they do not override options set elsewhere. */
const omitUndefined = (call: CallOptions): CallOptions =>
  Object.fromEntries(Object.entries(call).filter(([, value]) => value !== undefined));
