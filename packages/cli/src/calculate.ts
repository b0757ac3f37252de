const token = /\s*(\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|[-+*/%^()])/iy;
const deepest = 100;

interface Operator {
  power: number;
  isRightAssociative?: boolean;
  apply(left: number, right: number): number;
}

const operators: Readonly<Record<string, Operator>> = {
  "+": { power: 1, apply: (left, right) => left + right },
  "-": { power: 1, apply: (left, right) => left - right },
  "*": { power: 2, apply: (left, right) => left * right },
  "/": { power: 2, apply: (left, right) => left / right },
  "%": { power: 2, apply: (left, right) => left % right },
  "^": { power: 4, isRightAssociative: true, apply: (left, right) => left ** right },
};
// Between `*` and `^`, so that -2^2 is -4, as on paper.
const signPower = 3;

function tokensOf(expression: string): string[] {
  const tokens: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < expression.trimEnd().length) {
    const at = token.lastIndex;
    const match = token.exec(expression);
    if (!match) throw new Error(`"${expression.slice(at).trim()}" is not arithmetic.`);
    tokens.push(match[1]!);
  }
  return tokens;
}

/**
 * The value of an arithmetic expression of numbers, `+ - * / % ^` and brackets. It is read by precedence climbing and never
 * run as code.
 */
export function calculate(expression: string): number {
  const tokens = tokensOf(expression);
  let at = 0;

  const operand = (depth: number): number => {
    if (depth > deepest) throw new Error("The expression is nested too deeply.");
    const next = tokens[at++];
    if (next === undefined) throw new Error("The expression ends too early.");
    if (next === "-") return -climb(signPower, depth + 1);
    if (next === "+") return climb(signPower, depth + 1);
    if (next !== "(") return number(next);
    const value = climb(0, depth + 1);
    if (tokens[at++] !== ")") throw new Error("A bracket is not closed.");
    return value;
  };

  const climb = (least: number, depth: number): number => {
    let left = operand(depth);
    for (;;) {
      const operator = operators[tokens[at] ?? ""];
      if (!operator || operator.power < least) return left;
      at += 1;
      left = operator.apply(left, climb(operator.isRightAssociative ? operator.power : operator.power + 1, depth + 1));
    }
  };

  const value = climb(0, 0);
  if (at < tokens.length) throw new Error(`"${tokens[at]}" does not belong there.`);
  return value;
}

function number(text: string): number {
  const value = Number(text);
  if (Number.isNaN(value)) throw new Error(`"${text}" is not a number.`);
  return value;
}
