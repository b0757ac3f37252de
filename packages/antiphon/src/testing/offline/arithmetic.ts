/** A sum as it stands in a text, and what it comes to. */
export interface Sum {
  expression: string;
  value: number;
}

const longest = 200;
const spoken: readonly (readonly [RegExp, string])[] = [
  [/\bplus\b/gi, "+"],
  [/\bminus\b/gi, "-"],
  [/\b(?:times|multiplied by)\b|[×·]/gi, "*"],
  [/\bdivided by\b|÷/gi, "/"],
];
const run = /[-(]*\d[\d\s.+\-*/^()]*[\d)]/g;
const date = /\b\d{4}-\d\d-\d\d\b/g;

/** The first sum in a text: `what is 2 + 3?` */
export function findSum(text: string): Sum | undefined {
  const plain = spoken.reduce((said, [pattern, sign]) => said.replace(pattern, sign), text.replace(date, " "));
  for (const [found] of plain.matchAll(run)) {
    const value = /\d[\s)]*[-+*/^]/.test(found) && found.length <= longest ? evaluate(found) : undefined;
    if (value !== undefined) return { expression: spaced(found), value };
  }
  return undefined;
}

const spaced = (expression: string): string =>
  expression
    .replace(/\s+/g, "")
    .replace(/(?<=[\d)])[-+*/]/g, " $& ")
    .trim();

type Operator = (a: number, b: number) => number;
const levels: readonly Readonly<Record<string, Operator>>[] = [
  { "+": (a, b) => a + b, "-": (a, b) => a - b },
  { "*": (a, b) => a * b, "/": (a, b) => a / b },
  { "^": (a, b) => a ** b },
];

const power = 2;

/** The value of an expression of numbers, `+ - * / ^` and brackets, or `undefined` where it is none. */
function evaluate(expression: string): number | undefined {
  const tokens = expression.match(/\d+(?:\.\d+)?|[-+*/^()]|\S/g) ?? [];
  let at = 0;
  const operand = (): number => {
    const token = tokens[at++];
    // A sign binds less than a power: -2 ^ 2 is -4.
    if (token === "-") return -level(power);
    if (token !== "(") return token !== undefined && /^\d/.test(token) ? Number(token) : Number.NaN;
    const inside = level(0);
    return tokens[at++] === ")" ? inside : Number.NaN;
  };
  const level = (depth: number): number => {
    const operators = levels[depth];
    if (!operators) return operand();
    let value = level(depth + 1);
    for (let sign = tokens[at]; sign !== undefined && Object.hasOwn(operators, sign); sign = tokens[at]) {
      at += 1;
      value = operators[sign]!(value, level(depth === power ? power : depth + 1));
    }
    return value;
  };
  const value = level(0);
  return at === tokens.length && Number.isFinite(value) ? Number(value.toPrecision(12)) : undefined;
}
