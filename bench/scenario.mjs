/**
 * A scenario is one kind of stream under one kind of load. Its name is the whole of it, so that it can stand in a URL and on the
 * command line: `text-20000-16k-1` is 20,000 text deltas in 16 KiB writes, one stream at a time.
 *
 * @typedef {"text" | "arguments" | "image" | "object" | "loop"} Kind
 * @typedef {{ id: string, kind: Kind, count: number, write: "1k" | "16k" | "paced", atOnce: number }} Scenario
 */

const pattern = /^(text|arguments|image|object|loop)-(\d+)-(1k|16k|paced)-(\d+)$/;

/** @returns {Scenario} */
export function parseScenario(id) {
  const match = pattern.exec(id);
  if (!match)
    throw new Error(`Unknown scenario "${id}": want <text|arguments|image|object|loop>-<count>-<1k|16k|paced>-<at once>.`);
  const [, kind, count, write, atOnce] = match;
  return { id, kind, count: Number(count), write, atOnce: Number(atOnce) };
}

const warmUpCounts = { text: 200, arguments: 200, image: 1, object: 200, loop: 20 };

/** Short streams of the same kind: enough of them compile the hot path before anything is measured. */
export const warmUpOf = ({ kind, atOnce }) => parseScenario(`${kind}-${warmUpCounts[kind]}-16k-${atOnce}`);
