import { AntiphonError } from "../../../core/error.ts";

const mostSteps = 30_000;
const steps = new WeakMap<object, number>();

/** Begins to count the work on a schema anew. */
export const startAnew = (root: object): void => void steps.delete(root);

/** Counts a step of work on a schema: a few references to each other, or a list of a billion, would keep us busy for ever. */
export function step(root: object): void {
  const taken = (steps.get(root) ?? 0) + 1;
  steps.set(root, taken);
  if (taken > mostSteps) throw tooMuch();
}

export const tooMuch = (): AntiphonError =>
  new AntiphonError("BAD_REQUEST", "The schema is too large for the offline model to fill.");

const repeats = /[*+?]|\{\d+,\d*\}/g;
const repeatedGroup = /\)(?:[*+?]|\{)/;
/** The longest text that a pattern is tried on, by how many of its parts may be repeated: each may multiply the time by the length. */
const longest = [10_000, 10_000, 500] as const;
const longestOtherwise = 24;

/** The length up to which a pattern that anybody may have written is sure to come to an end soon. */
export function patienceFor(source: string): number {
  if (repeatedGroup.test(source)) return longestOtherwise;
  return longest[source.match(repeats)?.length ?? 0] ?? longestOtherwise;
}
