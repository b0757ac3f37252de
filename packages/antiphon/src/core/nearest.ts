/** Counts the letters to insert, delete, replace or swap with their neighbour to turn one word into the other. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const replaced = row[j]! + (a[i] === b[j] ? 0 : 1);
      const isSwapped = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      next.push(Math.min(replaced, row[j + 1]! + 1, next[j]! + 1, isSwapped ? before[j - 1]! + 1 : Infinity));
    }
    before = row;
    row = next;
  }
  return row[b.length]!;
}

/** Returns the word that was probably meant. By default, a third of its letters may be wrong. */
export function nearest(
  word: string,
  words: readonly string[],
  maxDistance = (candidate: string): number => Math.max(1, Math.floor(candidate.length / 3)),
): string | undefined {
  const [best] = words
    .map((candidate) => ({ candidate, steps: distance(word, candidate) }))
    .filter(({ candidate, steps }) => steps <= maxDistance(candidate))
    .toSorted((a, b) => a.steps - b.steps);
  return best?.candidate;
}
