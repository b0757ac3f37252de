const fence = /```[\w-]*[ \t]*\r?\n([^]*?)```/g;
/** Enough for any answer with a preamble; a text of nothing but brackets must not cost its length squared. */
const triesAtMost = 32;

/**
 * The JSON in a text: all of it, or the last fenced block that is JSON, or the first object or list among the words. `undefined`
 * where there is none.
 *
 * @example
 * findJson('Here you are:\n```json\n{"city": "Oslo"}\n```'); // { value: { city: "Oslo" } }
 */
export function findJson(text: string): { value: unknown } | undefined {
  const whole = parsed(text.trim());
  if (whole) return whole;
  const blocks = [...text.matchAll(fence)].map(([, block = ""]) => block.trim());
  for (const block of blocks.toReversed()) {
    const found = parsed(block);
    if (found) return found;
  }
  return amongWords(text);
}

function amongWords(text: string): { value: unknown } | undefined {
  let at = 0;
  for (let tries = 0; tries < triesAtMost; tries += 1) {
    const offset = text.slice(at).search(/[{[]/);
    if (offset === -1) return undefined;
    const start = at + offset;
    const end = closing(text, start);
    const found = end === undefined ? undefined : parsed(text.slice(start, end));
    if (found) return found;
    at = start + 1;
  }
  return undefined;
}

/** Where the bracket at `start` is closed, not counting brackets in strings. */
function closing(text: string, start: number): number | undefined {
  const signs = /["\\{}[\]]/g;
  signs.lastIndex = start;
  let depth = 0;
  let quoted = false;
  for (let match = signs.exec(text); match; match = signs.exec(text)) {
    const [sign] = match;
    if (sign === "\\") signs.lastIndex += quoted ? 1 : 0;
    else if (sign === '"') quoted = !quoted;
    else if (!quoted) {
      depth += sign === "{" || sign === "[" ? 1 : -1;
      if (depth === 0) return match.index + 1;
    }
  }
  return undefined;
}

function parsed(text: string): { value: unknown } | undefined {
  if (text === "") return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
