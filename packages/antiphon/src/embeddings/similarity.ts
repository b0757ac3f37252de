import { AntiphonError } from "../core/error.ts";
import { checkOptions, func, rule, type Rules } from "../core/options.ts";

/** A vector as an embedder gives it, or as plain numbers. */
export type Vector = Float32Array | readonly number[];

/** Returns the dot product. For vectors of length one, which most models return, it equals the cosine. */
export function dot(a: Vector, b: Vector): number {
  checkLengths(a, b);
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += a[at]! * b[at]!;
  return sum;
}

/**
 * Returns the cosine of the angle between two vectors: 1 for the same direction, 0 for unrelated. A vector of zeroes
 * is like nothing.
 *
 * @example
 * cosineSimilarity([1, 0], [1, 1]); // 0.7071…
 */
export function cosineSimilarity(a: Vector, b: Vector): number {
  checkLengths(a, b);
  let product = 0;
  let squareA = 0;
  let squareB = 0;
  for (let at = 0; at < a.length; at += 1) {
    const [x, y] = [a[at]!, b[at]!];
    product += x * y;
    squareA += x * x;
    squareB += y * y;
  }
  // Two roots: the product of very small squares would be nothing.
  return squareA === 0 || squareB === 0 ? 0 : product / (Math.sqrt(squareA) * Math.sqrt(squareB));
}

/** A place in a list of vectors, and how well the vector there fits. */
export interface Match {
  index: number;
  score: number;
}

/** How a search compares. */
export interface TopKOptions {
  /** Any measure where more is better; the cosine where nothing is said. */
  measure?: (a: Vector, b: Vector) => number;
  /** Leaves out what scores less. */
  atLeast?: number;
}

const topKRules: Rules<TopKOptions> = {
  measure: func,
  atLeast: rule("be a number", (value) => typeof value === "number" && !Number.isNaN(value)),
};

/**
 * Returns the `k` vectors most similar to a query, best first. One pass, nothing copied: a hundred thousand vectors
 * take as long as comparing them.
 *
 * @example
 * const [best] = topK(query, vectors, 1);
 */
export function topK(query: Vector, vectors: readonly Vector[], k: number, options: TopKOptions = {}): Match[] {
  checkOptions("topK", options, topKRules);
  if (!Number.isInteger(k) || k < 0)
    throw new AntiphonError("BAD_REQUEST", `\`k\` must be a whole number of at least 0, not ${k}.`, { param: "k" });
  const { measure = cosineSimilarity, atLeast = -Infinity } = options;
  const best: Match[] = [];
  if (k === 0) return best;
  for (let index = 0; index < vectors.length; index += 1) {
    const score = measure(query, vectors[index]!);
    if (score >= atLeast && (best.length < k || score > best.at(-1)!.score)) insert(best, { index, score }, k);
  }
  return best;
}

/** Keeps the list in order; of equals, the earlier stays first. */
function insert(best: Match[], match: Match, k: number): void {
  let [low, high] = [0, best.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (best[middle]!.score >= match.score) low = middle + 1;
    else high = middle;
  }
  best.splice(low, 0, match);
  if (best.length > k) best.pop();
}

function checkLengths(a: Vector, b: Vector): void {
  if (a.length !== b.length)
    throw new AntiphonError(
      "BAD_REQUEST",
      `Vectors of ${a.length} and ${b.length} dimensions cannot be compared. Use the same model for both.`,
    );
}
