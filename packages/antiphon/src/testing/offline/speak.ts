import { AntiphonError, toAntiphonError } from "../../core/error.ts";
import type { StopSignal } from "../../core/stop.ts";
import type { Writer } from "../../core/writer.ts";
import type { ResponseEvent } from "../../model/index.ts";
import type { Plan, Step, StepKind } from "./decide.ts";
import { usageOf } from "./tokens.ts";

/** What to say, with what and how fast. */
export interface Speech {
  plan: Plan;
  writer: Writer;
  newId(prefix: string): string;
  inputTokens: number;
  /** Tokens in a delta. */
  chunk: number;
  /** Deltas that travel together. */
  batch: number;
  signal: StopSignal | undefined;
}

/** How many tokens were said so far, and how many of them were thoughts. */
interface Count {
  said: number;
  thought: number;
}

/** Says a plan: batches of lawful events, the last of which ends in the terminal event. */
export function* speak(speech: Speech): Generator<ResponseEvent[]> {
  const { plan, writer, signal } = speech;
  const count: Count = { said: 0, thought: 0 };
  writer.start();
  yield writer.drain();
  let deltas = 0;
  for (const _ of sayAll(speech, count)) {
    deltas += 1;
    if (deltas % speech.batch === 0) yield writer.drain();
    if (signal?.aborted) break;
  }
  writer.response({ usage: usageOf(speech.inputTokens, count.said, count.thought) });
  if (signal?.aborted) writer.fail(stopped(signal));
  else if (plan.end instanceof AntiphonError) writer.fail(plan.end);
  else writer.finish(plan.end);
  yield writer.drain();
}

/** Writes the steps, pausing after each delta. */
function* sayAll({ plan, writer, newId, chunk }: Speech, count: Count): Generator<void> {
  for (const [index, step] of plan.steps.entries()) {
    const key = `${index}`;
    if (step.call) begin[step.call.type](writer, key, step.call, newId("call"));
    else say[step.kind](writer, "", key);
    for (const [at, part] of step.parts.entries()) {
      if (at > 0) writer.nextPart(key);
      for (let from = 0; from < part.length; from += chunk) {
        const tokens = part.slice(from, from + chunk);
        say[step.kind](writer, tokens.join(""), key);
        count.said += tokens.length;
        if (isThought(step)) count.thought += tokens.length;
        yield;
      }
    }
    if (step.blob && step.whole) writer.set(key, { encrypted_content: step.blob });
    if (step.whole) writer.close(key);
  }
}

const isThought = ({ kind }: Step): boolean => kind === "summary" || kind === "reasoning";

const say: Readonly<Record<StepKind, (writer: Writer, delta: string, key: string) => void>> = {
  summary: (writer, delta, key) => writer.summary(delta, key),
  reasoning: (writer, delta, key) => writer.reasoning(delta, key),
  text: (writer, delta, key) => writer.text(delta, key),
  refusal: (writer, delta, key) => writer.refusal(delta, key),
  call: (writer, delta, key) => writer.args(key, delta),
};

type Begin = (writer: Writer, key: string, call: NonNullable<Step["call"]>, call_id: string) => void;
const start = ({ name, namespace }: NonNullable<Step["call"]>, call_id: string) => ({
  call_id,
  name,
  ...(namespace === undefined ? {} : { namespace }),
});
const begin: Readonly<Record<NonNullable<Step["call"]>["type"], Begin>> = {
  function: (writer, key, call, call_id) => writer.call(key, start(call, call_id)),
  custom: (writer, key, call, call_id) => writer.customCall(key, start(call, call_id)),
};

/** The error of a call that was stopped; a reason that is an `AntiphonError` speaks for itself. */
export const stopped = (signal: StopSignal): AntiphonError => toAntiphonError(signal.reason, "ABORTED");

/** Waits, and no longer than until the caller stops the call. */
export function pause(milliseconds: number, signal: StopSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    if (signal?.aborted) done();
    else signal?.addEventListener("abort", done);
  });
}
