import { graphemes } from "../text/width.ts";
import { written, type Candidate, type EditorState, type Menu } from "./state.ts";

/** What candidates there are for the word before the cursor. */
export interface Completion {
  /** Where the word begins. */
  from: number;
  candidates: readonly Candidate[];
}

/** Completes as far as all candidates agree; more than one are listed. */
export function completed(state: EditorState, { from, candidates }: Completion): EditorState {
  if (candidates.length === 0) return state;
  const common = commonStart(candidates.map(({ text }) => text));
  const word = state.text.slice(from, state.cursor);
  const shown = common.length > word.length ? common : word;
  const next = replaced(state, from, shown);
  return candidates.length === 1 ? next : { ...next, menu: { from, shown, candidates } };
}

/** Chooses the next candidate, or the one before. */
export function cycled(state: EditorState, menu: Menu, direction: -1 | 1): EditorState {
  const { candidates, from } = menu;
  const at = ((menu.at ?? (direction === 1 ? -1 : 0)) + direction + candidates.length) % candidates.length;
  const shown = candidates[at]!.text;
  return { ...replaced(state, from, shown), menu: { ...menu, at, shown } };
}

function replaced(state: EditorState, from: number, word: string): EditorState {
  const { text, cursor } = state;
  return written(state, text.slice(0, from) + word + text.slice(cursor), from + word.length);
}

function commonStart(texts: readonly string[]): string {
  const [first = "", ...rest] = texts;
  let common = "";
  for (const sign of graphemes(first)) {
    if (!rest.every((text) => text.startsWith(common + sign))) break;
    common += sign;
  }
  return common;
}
