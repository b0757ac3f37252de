/** Returns how many letters must be inserted, deleted, replaced or swapped with their neighbour to turn one word into the other. */
function distance(a: string, b: string): number {
  let previous: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const replaced = row[j]! + (a[i] === b[j] ? 0 : 1);
      const isSwap = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      const swapped = isSwap ? previous[j - 1]! + 1 : Infinity;
      next.push(Math.min(replaced, swapped, row[j + 1]! + 1, next[j]! + 1));
    }
    [previous, row] = [row, next];
  }
  return row[b.length]!;
}

/** No name that is compared is longer. The time of a comparison grows with the product of both lengths. */
const maxLength = 64;

/** Returns the candidate with the fewest edits from `word`, or `undefined` if all exceed `maxEdits`: a third of their letters. */
export function nearest(
  word: string,
  candidates: readonly string[],
  maxEdits = (candidate: string): number => Math.max(1, Math.floor(candidate.length / 3)),
): string | undefined {
  if (word.length > maxLength) return undefined;
  const [best] = candidates
    .map((candidate) => ({ candidate, edits: distance(word, candidate) }))
    .filter(({ candidate, edits }) => edits <= maxEdits(candidate))
    .toSorted((a, b) => a.edits - b.edits);
  return best?.candidate;
}
