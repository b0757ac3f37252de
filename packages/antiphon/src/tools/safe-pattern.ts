/** Tests a string; one that is too long to be tested safely passes. */
export type PatternTest = (text: string) => boolean;

/** Steps that a single test may take at worst, about a tenth of a second. */
const budget = 1e8;
const longest = 100_000;
/** Beyond so many repeats, a bounded quantifier is as slow as an unbounded one. */
const manyRepeats = 16;
/** Doubling with every character, a million steps. */
const longestForExponential = 20;
const manyOptions = 16;

interface Shape {
  /** How many parts of the pattern may repeat. */
  repeats: number;
  /** Whether it may take exponential time: a repeated part holds another one or alternatives, or very much may be left out. */
  exponential: boolean;
}

const tokens = /\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<\w+>))?|\)|[*+?]\??|\{\d+(?:,\d*)?\}\??|./gs;

function isMany(quantifier: string): boolean {
  if (quantifier.startsWith("*") || quantifier.startsWith("+")) return true;
  const bounds = /^\{(\d+)(,?)(\d*)\}/.exec(quantifier);
  if (!bounds) return false;
  const [, least = "", comma, most] = bounds;
  return comma !== "" && most === "" ? true : Number(most || least) > manyRepeats;
}

/** What a pattern's quantifiers tell of its cost. Reads tokens, not grammar: enough to tell the dangerous from the plain. */
function shapeOf(pattern: string): Shape {
  // Choices (repeats, alternatives and what may be left out) that had been seen at the opening of each group, and of the group that has just closed.
  const open: number[] = [];
  let closed: number | undefined;
  let [choices, repeats, options] = [0, 0, 0];
  let nested = false;
  for (const [token] of pattern.matchAll(tokens)) {
    const before = closed;
    closed = undefined;
    if (token.startsWith("(")) open.push(choices);
    else if (token === ")") closed = open.pop();
    else if (token === "|") choices += 1;
    else if (token === "?" || token === "??") {
      choices += 1;
      options += 1;
    } else if (isMany(token)) {
      nested ||= before !== undefined && before < choices;
      choices += 1;
      repeats += 1;
    }
  }
  return { repeats, exponential: nested || options > manyOptions };
}

function safeLength(pattern: string): number {
  const { repeats, exponential } = shapeOf(pattern);
  if (exponential || /\\[1-9k]/.test(pattern)) return longestForExponential;
  const passes = repeats + (pattern.startsWith("^") ? 0 : 1);
  return passes === 0 ? longest : Math.min(longest, Math.floor(budget ** (1 / passes)));
}

function compiled(pattern: string): RegExp | undefined {
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Many patterns in the wild are lawful without the flag only.
    }
  }
  return undefined;
}

/**
 * A pattern as a test that cannot hang: the engine's backtracking takes time that grows with a power of the text's length, so the
 * more parts of a pattern repeat, the shorter a text it is tried on. Longer ones pass. Undefined for what is no pattern.
 */
export function safePattern(pattern: string): PatternTest | undefined {
  const expression = compiled(pattern);
  if (!expression) return undefined;
  const limit = safeLength(pattern);
  return (text) => text.length > limit || expression.test(text);
}
