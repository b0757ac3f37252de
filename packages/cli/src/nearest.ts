import { CommandError } from "./command-errors.ts";

/** The Damerau-Levenshtein distance of two words. */
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
/** No key or command is longer, and the comparison takes quadratic time. */
const maxLength = 64;
const minPrefix = 3;

/** The nearest candidate: one or two edits away, or the only one with this prefix. Ignores case, dashes and underscores. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const wanted = plain(word);
  if (wanted === "" || word.length > maxLength) return undefined;
  const [best] = candidates
    .map((candidate) => ({ candidate, steps: distance(wanted, plain(candidate)) }))
    .filter(({ candidate, steps }) => steps <= Math.max(1, Math.floor(candidate.length / 3)))
    .toSorted((a, b) => a.steps - b.steps);
  if (best || wanted.length < minPrefix) return best?.candidate;
  const longer = candidates.filter((candidate) => plain(candidate).startsWith(wanted));
  return longer.length === 1 ? longer[0] : undefined;
}

/** `; did you mean "model"?`, or an empty string if no candidate is near. */
export function suggestion(word: string, candidates: readonly string[], show = (name: string): string => `"${name}"`): string {
  const best = nearest(word, candidates);
  return best === undefined ? "" : `; did you mean ${show(best)}?`;
}

/** Finds an id by itself or by a unique prefix. Throws an error that names the nearest id, or all that match. */
export function resolveId(text: string, ids: readonly string[], kind: "conversation" | "key"): string {
  if (ids.includes(text)) return text;
  const matches = text === "" ? [] : ids.filter((id) => id.startsWith(text));
  if (matches.length === 1 && matches[0] !== undefined) return matches[0];
  if (matches.length === 0) throw new CommandError(`there is no ${kind} "${text}"${suggestion(text, ids)}`);
  const shown = matches.slice(0, maxMatches).map((id) => `  ${id}`);
  const more = matches.length > maxMatches ? [`  … and ${matches.length - maxMatches} more`] : [];
  throw new CommandError([`"${text}" matches ${matches.length} ${kind}s:`, ...shown, ...more].join("\n"));
}

const maxMatches = 10;
