import { vendorError } from "../../core/classify-error.ts";
import type { AntiphonError } from "../../core/error.ts";
import type { Finish } from "../../core/writer.ts";
import type { CreateResponse } from "../../model/index.ts";
import { formatted } from "./answer.ts";
import { seal } from "./blob.ts";
import { chooseCalls, type PlannedCall } from "./choose-calls.ts";
import type { Orders } from "./directives.ts";
import type { Prompt } from "./read-prompt.ts";
import { think } from "./think.ts";
import { pieces } from "./tokens.ts";

/** What kind of item a step makes. */
export type StepKind = "summary" | "reasoning" | "text" | "refusal" | "call";

/** One item of an answer. */
export interface Step {
  kind: StepKind;
  /** Its tokens, part by part; only thoughts have several parts. */
  parts: string[][];
  /** Whether it is said to its end. */
  whole: boolean;
  call?: PlannedCall;
  /** For thoughts: the `encrypted_content`. */
  blob?: string;
}

/** What the model will say, and how that ends. */
export interface Plan {
  steps: Step[];
  end: Finish | AntiphonError;
}

/** Decides on a whole answer before the first word of it. */
export function decide(request: CreateResponse, prompt: Prompt): Plan {
  const calls = chooseCalls(request, prompt);
  const thoughts = think(request, prompt, calls);
  const steps = [...thinkingStep(request, thoughts), ...visibleSteps(request, prompt, calls)];
  return endEarly(request, prompt.orders, steps) ?? { steps, end: { status: "completed" } };
}

function thinkingStep(request: CreateResponse, thoughts: string[]): Step[] {
  if (thoughts.length === 0) return [];
  const kind = request.reasoning?.summary ? "summary" : "reasoning";
  const step: Step = { kind, parts: thoughts.map(pieces), whole: true };
  if (request.include?.includes("reasoning.encrypted_content")) step.blob = seal(thoughts.join("\n\n"));
  return [step];
}

function visibleSteps(request: CreateResponse, prompt: Prompt, calls: PlannedCall[]): Step[] {
  if (calls.length > 0) return calls.map((call) => ({ kind: "call", parts: [pieces(call.input)], whole: true, call }));
  const { refuse } = prompt.orders;
  const text = refuse ?? formatted(request.text?.format, prompt, request.model ?? "offline");
  return [{ kind: refuse === undefined ? "text" : "refusal", parts: [pieces(text)], whole: true }];
}

const lengthOf = ({ parts }: Step): number => parts.reduce((sum, { length }) => sum + length, 0);

/** The plan that breaks off, where the prompt orders that or the answer is too long. */
function endEarly({ max_output_tokens }: CreateResponse, { stop, fail }: Orders, steps: Step[]): Plan | undefined {
  const total = steps.reduce((sum, step) => sum + lengthOf(step), 0);
  const last = steps.at(-1);
  // An ordered end comes half-way through the last item, so that there is something to keep.
  const ordered = fail === undefined && stop === undefined ? total : total - Math.floor((last ? lengthOf(last) : 0) / 2);
  if (typeof max_output_tokens === "number" && max_output_tokens < ordered)
    return { steps: cut(steps, max_output_tokens), end: { status: "incomplete", reason: "max_output_tokens" } };
  if (fail !== undefined) return { steps: cut(steps, ordered), end: orderedError(fail) };
  if (stop !== undefined) return { steps: cut(steps, ordered), end: { status: "incomplete", reason: stop } };
  return undefined;
}

/** The steps that fit a number of tokens; the one in which they run out is not whole. */
function cut(steps: Step[], budget: number): Step[] {
  const kept: Step[] = [];
  let left = budget;
  for (const step of steps) {
    const length = lengthOf(step);
    if (left <= 0) break;
    const whole = length < left || (length === left && step !== steps.at(-1));
    kept.push(whole ? step : { ...step, parts: cutParts(step.parts, left), whole });
    left -= length;
  }
  return kept;
}

function cutParts(parts: string[][], budget: number): string[][] {
  let left = budget;
  return parts.flatMap((part) => {
    const kept = part.slice(0, Math.max(0, left));
    left -= part.length;
    return kept.length > 0 ? [kept] : [];
  });
}

/** The error that a directive asks for, as if a server had sent its code. */
export const orderedError = (code: string): AntiphonError =>
  vendorError({ code, message: `The prompt asked for the error '${code}'.` }, { provider: "offline" });
