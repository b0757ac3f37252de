/** Counts the letters to insert, delete, replace or swap with their neighbour to turn one word into the other. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(Math.min(replaced, above[j]! + 1, row[j - 1]! + 1, isSwap ? before[j - 2]! + 1 : Infinity));
    }
    before = above;
    above = row;
  }
  return above[b.length]!;
}

/** The word that was probably meant, if any is near enough. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const [best] = words
    .map((candidate) => ({ candidate, steps: distance(word, candidate) }))
    .filter(({ candidate, steps }) => steps <= Math.max(1, Math.floor(candidate.length / 3)))
    .toSorted((a, b) => a.steps - b.steps);
  return best?.candidate;
}
