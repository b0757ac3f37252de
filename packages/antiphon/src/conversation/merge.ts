import { inputType } from "../model/guards.ts";
import type { InputItem } from "../model/index.ts";
import { closes, opens, stringIn } from "./call-pairs.ts";
import type { Entry } from "./log-records.ts";

/** What `theirs` adds to `ours`: without what both have, under ids that are free, and not to be chained to. */
export function mergedEntries(ours: readonly Entry[], theirs: readonly Entry[]): Entry[] {
  const rest = theirs.slice(commonHead(ours, theirs));
  const objects = new Set(ours.map(({ item }) => item));
  const known = new Map(ours.flatMap((entry) => named(entry)));
  const rename = freshCallIds(ours, rest);
  return rest.flatMap(({ item, origin }) => {
    if (objects.has(item)) return [];
    const same = known.get(idOf(item) ?? "");
    const isSameItem = same && (same.origin?.response_id === origin?.response_id || inputType(item) === "item_reference");
    if (isSameItem) return [];
    const renamed = rename(same ? withoutId(item) : item);
    // The other's chain does not hold what was said here.
    return [origin ? { item: renamed, origin: { ...origin, stored: false } } : { item: renamed }];
  });
}

const idOf = (item: InputItem): string | undefined => {
  const id = stringIn(item, "id");
  return id === undefined ? undefined : `${inputType(item)} ${id}`;
};

const named = (entry: Entry): [string, Entry][] => {
  const id = idOf(entry.item);
  return id === undefined ? [] : [[id, entry]];
};

/** How many entries both begin with: a conversation and its fork share their past, also when each was written to JSON and read. */
function commonHead(ours: readonly Entry[], theirs: readonly Entry[]): number {
  const end = Math.min(ours.length, theirs.length);
  for (let at = 0; at < end; at += 1) if (!isSame(ours[at]!.item, theirs[at]!.item)) return at;
  return end;
}

const isSame = (a: InputItem, b: InputItem): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

function withoutId(item: InputItem): InputItem {
  const { id: _, ...rest } = item;
  // Every item that may stand in an input may do so without its id, but for references, which never come here.
  return rest as InputItem;
}

/** Gives calls that both sides numbered alike another id, the same to the call and to its output. */
function freshCallIds(ours: readonly Entry[], theirs: readonly Entry[]): (item: InputItem) => InputItem {
  const taken = new Set(ours.flatMap(({ item }) => opens(item) ?? []));
  const clashes = new Set(theirs.flatMap(({ item }) => opens(item) ?? []).filter((pair) => taken.has(pair)));
  const fresh = (pair: string): string => {
    const call_id = pair.slice(pair.indexOf(" ") + 1);
    for (let count = 2; ; count += 1) {
      const candidate = `${call_id}_${count}`;
      if (!taken.has(pair.replace(call_id, candidate))) return candidate;
    }
  };
  return (item) => {
    const pair = opens(item) ?? closes(item);
    if (pair === undefined || !clashes.has(pair)) return item;
    const field = inputType(item) === "local_shell_call_output" ? "id" : "call_id";
    return { ...item, [field]: fresh(pair) };
  };
}
