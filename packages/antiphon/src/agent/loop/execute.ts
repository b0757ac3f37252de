import { AntiphonError } from "../../core/error.ts";
import { unlessAborted } from "../../core/unless-aborted.ts";
import type { InputItem } from "../../model/index.ts";
import type { RunnableTool, ToolContext } from "../../tools/tool.ts";
import { failureOf, outputOf } from "./calls.ts";
import { wordsOf } from "./failures.ts";
import type { ToolFailure, ToolStatus } from "./run-events.ts";
import type { Journal, PendingCall } from "./run-options.ts";

/** What came of a call. */
export interface Outcome {
  status: ToolStatus;
  /** What the tool gave, or the words for why it gave nothing. */
  value: unknown;
  /** The answer; nothing where the kind of call has no words for a failure. */
  output: InputItem | undefined;
  /** Whether it ran here and now. */
  ran: boolean;
}

/** A call that is to run. */
interface Execution {
  call: PendingCall;
  tool: RunnableTool;
  input: unknown;
  context: ToolContext;
  /** Stops the call: when its time is up, and when the run ends. */
  controller: AbortController;
  /** Milliseconds; 0 for ever. */
  timeout: number;
  journal: Journal | undefined;
  /** Whether the journal is told as soon as the tool is done; else somebody still has a say in what the answer is. */
  settles: boolean;
  started(): void;
  progress(data: unknown): void;
}

const unsure = "The call was interrupted and its result is unknown. It may or may not have taken effect and was not run again.";
const longestTimer = 2 ** 31 - 1;

/** Runs a call unless it ran before. Gives nothing if the run was stopped meanwhile; throws only what the journal throws. */
export async function execute(execution: Execution): Promise<Outcome | undefined> {
  const { call, tool, journal, controller, settles } = execution;
  const claim = (await journal?.claim(call.call_id)) ?? "run";
  if (typeof claim === "object") return { status: "ok", value: undefined, output: claim.output, ran: false };
  if (claim === "taken" && tool.idempotent !== true) return failed(call, unsure, "interrupted", false);
  if (controller.signal.aborted) return undefined;
  execution.started();
  const outcome = await attempt(execution);
  if (outcome?.output && settles) await journal?.settle(call.call_id, outcome.output);
  return outcome;
}

/** An outcome without a result. */
export const failed = (call: PendingCall, text: string, status: ToolFailure, ran: boolean): Outcome => ({
  status,
  value: text,
  output: failureOf(call, text, status),
  ran,
});

async function attempt(execution: Execution): Promise<Outcome | undefined> {
  const { call, controller, timeout } = execution;
  let late = false;
  const giveUp = (): void => {
    late = true;
    controller.abort(new AntiphonError("TIMEOUT", tooSlow(timeout)));
  };
  const timer = timeout > 0 ? setTimeout(giveUp, Math.min(timeout, longestTimer)) : undefined;
  try {
    const value = await unlessAborted(result(execution), controller.signal);
    return { status: "ok", value, output: outputOf(call, value), ran: true };
  } catch (thrown) {
    if (late) return failed(call, `Error: ${tooSlow(timeout)}`, "timeout", true);
    return controller.signal.aborted ? undefined : failed(call, wordsOf(thrown), "error", true);
  } finally {
    clearTimeout(timer);
  }
}

const tooSlow = (timeout: number): string => `The tool did not finish within ${timeout} ms.`;

/** What the tool gives; what a generator yields on the way is progress. */
async function result({ tool, input, context, progress }: Execution): Promise<unknown> {
  const given: unknown = await tool.run(input, context);
  if (!isGenerator(given)) return given;
  for (;;) {
    const { done, value } = await given.next();
    if (done) return value;
    if (context.signal.aborted) return given.return(undefined);
    progress(await value);
  }
}

const isGenerator = (value: unknown): value is AsyncGenerator | Generator =>
  typeof value === "object" &&
  value !== null &&
  (Symbol.asyncIterator in value || Symbol.iterator in value) &&
  "next" in value &&
  "return" in value;
