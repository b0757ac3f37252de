import { hashNumber } from "../../core/hash.ts";
import { pieces } from "./tokens.ts";

const defaultDimensions = 256;
/** Words that say nothing about what a text is about. */
const common = new Set(
  "a an and are as at be by do does for from how i in is it its me my of on or that the this to was what when where which who with you".split(
    " ",
  ),
);

/**
 * Vectors whose likeness follows the words that texts share: each word, and each three letters of one, weigh on a place of the vector.
 * Nothing is known of meaning, but a search for some of a text's words finds it.
 */
export function embedOffline(
  texts: readonly string[],
  dimensions = defaultDimensions,
): { vectors: Float32Array[]; inputTokens: number } {
  return {
    vectors: texts.map((text) => embedText(text, dimensions)),
    inputTokens: texts.reduce((sum, text) => sum + pieces(text).length, 0),
  };
}

function embedText(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  for (const word of words) {
    const weight = common.has(word) ? 0.1 : 1;
    add(vector, word, weight);
    for (const letters of trigrams(word)) add(vector, letters, weight / 4);
  }
  if (words.length === 0) add(vector, text, 1);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / (length || 1));
}

/** The sign is part of the hash: features that fall on one place cancel as often as they add up. */
function add(vector: Float32Array, feature: string, weight: number): void {
  const hash = hashNumber(feature);
  const place = hash % vector.length;
  vector[place] = vector[place]! + (hash & 0x8000 ? weight : -weight);
}

function* trigrams(word: string): Generator<string> {
  const padded = `^${word}$`;
  for (let at = 0; at + 3 <= padded.length; at += 1) yield padded.slice(at, at + 3);
}
