import { clipped, widthOf } from "./width.ts";

/** How a stretch of text looks. Colours are the sixteen that every terminal has. */
export interface Style {
  bold?: true;
  dim?: true;
  italic?: true;
  underline?: true;
  strike?: true;
  inverse?: true;
  colour?: "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";
}

export interface Span {
  text: string;
  style: Style;
}

/** A row of the screen, without its end; styles are values until it is painted. */
export type Line = readonly Span[];

export const plain: Style = {};
export const dim: Style = { dim: true };

/** A line of one style. */
export const lineOf = (text: string, style: Style = plain): Line => (text === "" ? [] : [{ text, style }]);

export const lineWidth = (line: Line): number => line.reduce((sum, { text }) => sum + widthOf(text), 0);

/** As much of a line as a row holds. */
export function clippedLine(line: Line, width: number): Line {
  let left = width;
  return line.flatMap(({ text, style }) => {
    const kept = clipped(text, Math.max(left, 0));
    left -= widthOf(kept);
    return lineOf(kept, style);
  });
}

const numbers = {
  bold: 1,
  dim: 2,
  italic: 3,
  underline: 4,
  inverse: 7,
  strike: 9,
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
} as const;

function codesOf({ colour, ...flags }: Style): number[] {
  const codes = (Object.keys(flags) as (keyof typeof flags)[]).map((flag) => numbers[flag]);
  return colour ? [...codes, numbers[colour]] : codes;
}

/** A line as a terminal takes it: each stretch switches its style on and off again, so that no line depends on another. */
export function paint(line: Line, hasColour: boolean): string {
  if (!hasColour) return line.map(({ text }) => text).join("");
  return line
    .map(({ text, style }) => {
      const codes = codesOf(style);
      return codes.length === 0 ? text : `\u001B[${codes.join(";")}m${text}\u001B[0m`;
    })
    .join("");
}
