import { written, type EditorState } from "./state.ts";

/** Shows an older or a newer entry; what was being written is the newest of all. */
export function recalled(state: EditorState, direction: -1 | 1): EditorState {
  const { history, recalled: now = { at: history.length, draft: state.text } } = state;
  const at = now.at + direction;
  if (at < 0 || at > history.length) return state;
  const { recalled: _, ...rest } = state;
  return at === history.length ? written(rest, now.draft) : written({ ...rest, recalled: { ...now, at } }, history[at]!);
}

/** Begins to look for an entry, or looks for an older one. */
export function searched(state: EditorState): EditorState {
  const { search, history, text } = state;
  return search
    ? found(state, search.query, search.at - 1)
    : { ...state, search: { query: "", at: history.length, draft: text } };
}

/** Looks for the newest entry, from one on back, that holds this; stays where there is none. */
export function found(state: EditorState, query: string, from: number): EditorState {
  const { history, search } = state;
  if (!search) return state;
  if (query === "") return { ...state, search: { ...search, query } };
  for (let at = Math.min(from, history.length - 1); at >= 0; at -= 1) {
    const place = history[at]!.toLowerCase().indexOf(query.toLowerCase());
    if (place !== -1) return { ...written(state, history[at]!, place), search: { ...search, query, at } };
  }
  return { ...state, search: { ...search, query } };
}

/** Ends the search: with what was found, or with what was there before. */
export function searchEnded({ search, ...state }: EditorState, isKept: boolean): EditorState {
  return search && !isKept ? written(state, search.draft) : state;
}

/** The history with one entry more; what is said twice in a row is there once. */
export const remembered = (history: readonly string[], entry: string): readonly string[] =>
  history.at(-1) === entry ? history : [...history, entry];
