import { graphemes } from "../text/width.ts";
import type { EditorState } from "./state.ts";

/** Where a motion leads to. */
export type Motion = (state: EditorState) => number;

export const left: Motion = ({ text, cursor }) =>
  cursor - (graphemes(text.slice(startOf(text, cursor), cursor)).at(-1)?.length ?? Math.min(cursor, 1));

export const right: Motion = ({ text, cursor }) => cursor + (graphemes(text.slice(cursor, cursor + 64))[0]?.length ?? 0);

export const lineStart: Motion = ({ text, cursor }) => startOf(text, cursor);

export const lineEnd: Motion = ({ text, cursor }) => {
  const end = text.indexOf("\n", cursor);
  return end === -1 ? text.length : end;
};

export const wordLeft: Motion = ({ text, cursor }) =>
  cursor - /(?:[\p{L}\p{N}_]*[^\p{L}\p{N}_]*)$/u.exec(text.slice(0, cursor))![0].length;

export const wordRight: Motion = ({ text, cursor }) =>
  cursor + /^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text.slice(cursor))![0].length;

/** The start of what stands between blanks, as Ctrl-W cuts it. */
export const blankLeft: Motion = ({ text, cursor }) => cursor - /\S*\s*$/.exec(text.slice(0, cursor))![0].length;

/** The same place in the line above or below; nothing where there is none. */
export function otherLine(state: EditorState, direction: -1 | 1): number | undefined {
  const { text, cursor } = state;
  const start = lineStart(state);
  const column = graphemes(text.slice(start, cursor)).length;
  const end = lineEnd(state);
  if (direction === -1 ? start === 0 : end === text.length) return undefined;
  const to = direction === -1 ? startOf(text, start - 1) : end + 1;
  const line = text.slice(to, lineEnd({ ...state, cursor: to }));
  return to + graphemes(line).slice(0, column).join("").length;
}

/** Where the line begins that a place is in. */
const startOf = (text: string, at: number): number => (at > 0 ? text.lastIndexOf("\n", at - 1) + 1 : 0);
