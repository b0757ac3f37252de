/** What is being written, and where in it one is. All of it is a value: every key makes a new one. */
export interface EditorState {
  text: string;
  /** A place between two signs, counted as strings are. */
  cursor: number;
  /** What was cut last, for pasting it back. */
  cut: string;
  /** What was sent before, oldest first. */
  history: readonly string[];
  /** The entry of the history that is shown, and what was being written before. */
  recalled?: { at: number; draft: string };
  /** Looking for something in the history: what for, and where it was found. */
  search?: { query: string; at: number; draft: string };
  /** What a word could be completed to. */
  menu?: Menu;
  /** Ctrl-C was pressed on an empty line: the next one quits. */
  isLeaving?: boolean;
}

/** Candidates for a stretch of the text. */
export interface Menu {
  from: number;
  /** What stands in the text from there on, now. */
  shown: string;
  candidates: readonly Candidate[];
  /** The one that is chosen; none before Tab is pressed again. */
  at?: number;
}

/** Something that a word could be. */
export interface Candidate {
  /** What takes the place of the word. */
  text: string;
  /** What the list says. */
  label: string;
}

/** What a key asks for beside a new state. */
export type EditorEffect = "submit" | "quit" | "complete" | "suspend";

export interface EditorStep {
  state: EditorState;
  effect?: EditorEffect;
}

export const emptyEditor = (history: readonly string[]): EditorState => ({ text: "", cursor: 0, cut: "", history });

/** The same with another text, the cursor behind it where nothing else is said. */
export const written = (state: EditorState, text: string, cursor = text.length): EditorState => ({ ...state, text, cursor });

/** Puts text where the cursor is. */
export function inserted(state: EditorState, text: string): EditorState {
  const { text: before, cursor } = state;
  return written(state, before.slice(0, cursor) + text + before.slice(cursor), cursor + text.length);
}
