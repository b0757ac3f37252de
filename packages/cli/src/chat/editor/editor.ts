import type { Key } from "../keys/keys.ts";
import { safeText } from "../text/safe-text.ts";
import { found, recalled, searched, searchEnded } from "./history.ts";
import { cycled } from "./menu.ts";
import { blankLeft, left, lineEnd, lineStart, otherLine, right, wordLeft, wordRight, type Motion } from "./motions.ts";
import { inserted, written, type EditorEffect, type EditorState, type EditorStep } from "./state.ts";

type Action = (state: EditorState) => EditorStep;

const only =
  (change: (state: EditorState) => EditorState): Action =>
  (state) => ({ state: change(state) });

const effect =
  (asked: EditorEffect): Action =>
  (state) => ({ state, effect: asked });

const move = (motion: Motion): Action => only((state) => ({ ...state, cursor: motion(state) }));

/** Takes away what lies between the cursor and where a motion leads; what is cut can be put back. */
const remove = (motion: Motion, isCut: boolean): Action =>
  only((state) => {
    const { text, cursor } = state;
    const to = motion(state);
    const [from, end] = to < cursor ? [to, cursor] : [cursor, to];
    const next = written(state, text.slice(0, from) + text.slice(end), from);
    return isCut && end > from ? { ...next, cut: text.slice(from, end) } : next;
  });

const vertical = (direction: -1 | 1): Action =>
  only((state) => {
    const to = otherLine(state, direction);
    return to === undefined ? recalled(state, direction) : { ...state, cursor: to };
  });

const newline = only((state) => inserted(state, "\n"));

const swapped = only((state) => {
  const { text, cursor } = state;
  const middle = left(state);
  const start = left({ ...state, cursor: middle });
  if (start === middle) return state;
  return written(
    state,
    text.slice(0, start) + text.slice(middle, cursor) + text.slice(start, middle) + text.slice(cursor),
    cursor,
  );
});

/** A backslash at the end of the text asks for another line. */
const enter: Action = (state) => {
  const { text, cursor } = state;
  if (cursor === text.length && text.endsWith("\\")) return { state: written(state, `${text.slice(0, -1)}\n`) };
  return text.trim() === "" ? { state } : { state, effect: "submit" };
};

const interrupt: Action = (state) => {
  if (state.text !== "") return { state: written(withoutRecall(state), "") };
  return state.isLeaving ? { state, effect: "quit" } : { state: { ...state, isLeaving: true } };
};

const withoutRecall = ({ recalled: _, ...state }: EditorState): EditorState => state;

const deleteOrQuit: Action = (state) => (state.text === "" ? { state, effect: "quit" } : remove(right, false)(state));

const tab: Action = (state) => (state.menu ? { state: cycled(state, state.menu, 1) } : { state, effect: "complete" });

/** What each key does. */
const actions: Readonly<Record<string, Action>> = {
  enter,
  "alt-enter": newline,
  "shift-enter": newline,
  "ctrl-j": newline,
  tab,
  "shift-tab": only((state) => (state.menu ? cycled(state, state.menu, -1) : state)),
  left: move(left),
  "ctrl-b": move(left),
  right: move(right),
  "ctrl-f": move(right),
  "alt-b": move(wordLeft),
  "alt-left": move(wordLeft),
  "ctrl-left": move(wordLeft),
  "alt-f": move(wordRight),
  "alt-right": move(wordRight),
  "ctrl-right": move(wordRight),
  home: move(lineStart),
  "ctrl-a": move(lineStart),
  end: move(lineEnd),
  "ctrl-e": move(lineEnd),
  up: vertical(-1),
  "ctrl-p": vertical(-1),
  down: vertical(1),
  "ctrl-n": vertical(1),
  backspace: remove(left, false),
  delete: remove(right, false),
  "ctrl-d": deleteOrQuit,
  "ctrl-k": remove((state) => (lineEnd(state) === state.cursor ? right(state) : lineEnd(state)), true),
  "ctrl-u": remove((state) => (lineStart(state) === state.cursor ? left(state) : lineStart(state)), true),
  "ctrl-w": remove(blankLeft, true),
  "alt-backspace": remove(wordLeft, true),
  "ctrl-backspace": remove(wordLeft, true),
  "alt-d": remove(wordRight, true),
  "ctrl-y": only((state) => inserted(state, state.cut)),
  "ctrl-t": swapped,
  "ctrl-r": only(searched),
  "ctrl-c": interrupt,
  "ctrl-z": effect("suspend"),
};

/** What each key does while the history is searched; all others end the search first. */
const searchActions: Readonly<Record<string, Action>> = {
  "ctrl-r": only(searched),
  backspace: only((state) => found(state, state.search!.query.slice(0, -1), state.history.length - 1)),
  escape: only((state) => searchEnded(state, true)),
  "ctrl-g": only((state) => searchEnded(state, false)),
  "ctrl-c": only((state) => searchEnded(state, false)),
};

/** What a key makes of what is being written. */
export function edited(state: EditorState, key: Key): EditorStep {
  if (state.search) return editedInSearch(state, key);
  const { menu, isLeaving, ...rest } = state;
  if (key.type !== "key") return { state: inserted(rest, safeText(key.text)) };
  const action = actions[key.name];
  if (!action) return { state: rest };
  // A list stays while Tab goes through it, and a warning until the next key.
  const before = {
    ...rest,
    ...(key.name.endsWith("tab") && menu && { menu }),
    ...(key.name === "ctrl-c" && isLeaving && { isLeaving }),
  };
  return action(before);
}

function editedInSearch(state: EditorState, key: Key): EditorStep {
  if (key.type !== "key") {
    const query = state.search!.query + safeText(key.text).replaceAll("\n", " ");
    return { state: found(state, query, state.search!.at) };
  }
  const action = searchActions[key.name];
  return action ? action(state) : edited(searchEnded(state, true), key);
}
