import { dim, lineOf, lineWidth, plain, type Line, type Span, type Style } from "../text/line.ts";
import { prefixed, wrap } from "../text/wrap.ts";
import type { Alignment } from "./blocks.ts";
import { inline } from "./inline.ts";
import type { RenderOptions } from "./render.ts";

const headerStyle: Style = { bold: true };
/** What stands between two columns takes three. */
const between = 3;
const narrowestColumn = 5;

/** A table with its columns aligned, or, where it is too narrow for that, each row as a list. */
export function table(rows: readonly (readonly string[])[], aligned: readonly Alignment[], options: RenderOptions): Line[] {
  const count = aligned.length;
  const cells = rows.map((row, index) =>
    aligned.map((_, column) => inline(row[column] ?? "", index === 0 ? headerStyle : plain, options)),
  );
  const room = options.width - between * (count - 1);
  const natural = aligned.map((_, column) => Math.max(1, ...cells.map((row) => lineWidth(row[column]!))));
  if (room < Math.min(sum(natural), narrowestColumn * count)) return records(cells, options);
  const widths = fitted(natural, room);
  const { glyphs } = options;
  const rule = widths.map((width) => glyphs.rule.repeat(width)).join(`${glyphs.rule}${glyphs.cross}${glyphs.rule}`);
  const drawn = cells.map((row) => drawRow(row, widths, aligned, options));
  return [...drawn[0]!, lineOf(rule, dim), ...drawn.slice(1).flat()];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** The widest columns give way first, until all fit. */
function fitted(natural: readonly number[], room: number): number[] {
  let most = Math.max(...natural);
  while (sum(natural.map((width) => Math.min(width, most))) > room) most -= 1;
  return natural.map((width) => Math.min(width, most));
}

function drawRow(
  row: readonly Span[][],
  widths: readonly number[],
  aligned: readonly Alignment[],
  options: RenderOptions,
): Line[] {
  const wrapped = row.map((cell, column) => wrap(cell, widths[column]!));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  const bar = lineOf(` ${options.glyphs.bar} `, dim);
  return Array.from({ length: height }, (_, at) =>
    wrapped.flatMap((lines, column) => {
      const isLast = column === widths.length - 1;
      const cell = padded(lines[at] ?? [], widths[column]!, aligned[column]!, isLast);
      return isLast ? cell : [...cell, ...bar];
    }),
  );
}

function padded(line: Line, width: number, aligned: Alignment, isLast: boolean): Line {
  if (isLast && line.length === 0) return line;
  const missing = Math.max(0, width - lineWidth(line));
  const left = { left: 0, right: missing, centre: Math.floor(missing / 2) }[aligned];
  const right = isLast ? 0 : missing - left;
  return [...lineOf(" ".repeat(left)), ...line, ...lineOf(" ".repeat(right))];
}

function records([header = [], ...rows]: readonly Span[][][], options: RenderOptions): Line[] {
  return rows.flatMap((row, index) => {
    const lines = row.flatMap((cell, column) => {
      const named = [...(header[column] ?? []), { text: ": ", style: headerStyle }, ...cell];
      return prefixed(wrap(named, Math.max(options.width - 2, 1)), [], lineOf("  "));
    });
    return index > 0 ? [[], ...lines] : lines;
  });
}
