/** How many letters must be put in, taken out, changed or swapped with the next to turn one word into the other. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const changed = row[j]! + (a[i] === b[j] ? 0 : 1);
      const isSwapped = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      const swapped = isSwapped ? before[j - 1]! + 1 : Infinity;
      next.push(Math.min(changed, swapped, row[j + 1]! + 1, next[j]! + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}

const plain = (word: string): string => word.toLowerCase().replaceAll(/[-_\s]/g, "");
/** No key or command is longer, and a comparison takes as long as both words together are wide. */
const longest = 64;

/** `; did you mean "model"?`, or nothing where no word is near enough. Case, dashes and underscores do not count. */
export function suggestion(word: string, words: readonly string[]): string {
  if (word.length > longest) return "";
  const [best] = words
    .map((candidate) => ({ candidate, steps: distance(plain(word), plain(candidate)) }))
    .filter(({ candidate, steps }) => steps <= Math.max(1, Math.floor(candidate.length / 3)))
    .toSorted((a, b) => a.steps - b.steps);
  return best ? `; did you mean "${best.candidate}"?` : "";
}
