import { clippedLine, dim, lineOf, plain, type Line, type Style } from "../text/line.ts";
import { clipped, graphemes, widthOf } from "../text/width.ts";
import type { EditorState, Menu } from "./state.ts";

/** Lines, and where in them the cursor is. */
export interface Picture {
  lines: Line[];
  cursor: { row: number; column: number };
}

const promptStyle: Style = { bold: true, colour: "green" };
const promptWidth = 2;
const mostCandidates = 6;

/** What is being written, with what is said about it below. */
export function editorView(state: EditorState, width: number, height: number): Picture {
  const about = [...searchLine(state), ...menuLines(state.menu, width), ...warning(state)];
  const { lines, cursor } = textView(state, width);
  // What is higher than the window is shown around the cursor.
  const room = Math.max(1, height - about.length);
  const from = Math.max(0, Math.min(cursor.row - room + 1, lines.length - room));
  return {
    lines: [...lines.slice(from, from + room), ...about.map((line) => clippedLine(line, width))],
    cursor: { row: cursor.row - from, column: cursor.column },
  };
}

/** What was written, as it stays when it is sent. */
export const writtenLines = (text: string, width: number): Line[] =>
  rowsOf(text, width).map((row, index) => [...prompt(index), ...lineOf(row.text, plain)]);

const prompt = (row: number): Line => (row === 0 ? lineOf("> ", promptStyle) : lineOf("  "));

function textView({ text, cursor }: EditorState, width: number): Picture {
  const rows = rowsOf(text, width);
  // A row that is full leaves the cursor at the beginning of the next one.
  const row = rows.findLastIndex(({ from }) => from <= cursor);
  const before = text.slice(rows[row]!.from, cursor);
  return {
    lines: rows.map((one, index) => [...prompt(index), ...lineOf(one.text, plain)]),
    cursor: { row, column: promptWidth + widthOf(before) },
  };
}

interface Row {
  from: number;
  text: string;
}

/** Breaks text where a row is full, with room for the cursor at its end. */
function rowsOf(text: string, width: number): Row[] {
  const room = Math.max(2, width - promptWidth - 1);
  const rows: Row[] = [{ from: 0, text: "" }];
  let used = 0;
  let at = 0;
  for (const grapheme of graphemes(text)) {
    const wide = widthOf(grapheme);
    const isEnd = grapheme === "\n";
    if (isEnd || used + wide > room) {
      rows.push({ from: isEnd ? at + 1 : at, text: "" });
      used = 0;
    }
    if (!isEnd) rows.at(-1)!.text += grapheme;
    used += isEnd ? 0 : wide;
    at += grapheme.length;
  }
  return rows;
}

const searchLine = ({ search }: EditorState): Line[] => (search ? [lineOf(`search: ${search.query}`, dim)] : []);

const warning = ({ isLeaving }: EditorState): Line[] => (isLeaving ? [lineOf("Ctrl-C again quits.", dim)] : []);

/** The candidates around the chosen one, side by side where they fit. */
function menuLines(menu: Menu | undefined, width: number): Line[] {
  if (!menu) return [];
  const { candidates, at } = menu;
  const cell = Math.min(width, Math.max(...candidates.map(({ label }) => widthOf(label))) + 2);
  const columns = Math.max(1, Math.floor(width / cell));
  const rows = Array.from({ length: Math.ceil(candidates.length / columns) }, (_, row) =>
    candidates.slice(row * columns, (row + 1) * columns).map(({ label }, column) => {
      const text = clipped(label, cell - 2);
      const style: Style = row * columns + column === at ? { inverse: true } : dim;
      return [...lineOf(text, style), ...lineOf(" ".repeat(cell - widthOf(text)))];
    }),
  );
  const chosen = Math.floor((at ?? 0) / columns);
  const from = Math.max(0, Math.min(chosen - 1, rows.length - mostCandidates));
  const shown = rows.slice(from, from + mostCandidates).map((row) => row.flat());
  const missing = rows.length - shown.length;
  return missing > 0 ? [...shown, lineOf(`… ${candidates.length} in all`, dim)] : shown;
}
