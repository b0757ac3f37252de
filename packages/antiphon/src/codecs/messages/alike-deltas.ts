import { isObject } from "../../model/guards.ts";
import type { Likeness } from "../shared/alike.ts";

const fields: ReadonlyMap<unknown, string> = new Map([
  ["text_delta", "text"],
  ["thinking_delta", "thinking"],
  ["input_json_delta", "partial_json"],
]);

/** Deltas that tell nothing but a piece of text, of a thought or of a call. */
export const alikeDeltas: Likeness = {
  varying({ type, delta, index: _, ...rest }) {
    if (type !== "content_block_delta" || !isObject(delta) || Object.keys(rest).length > 0) return undefined;
    const field = fields.get(delta["type"]);
    const text = field === undefined ? undefined : delta[field];
    return field !== undefined && typeof text === "string" && Object.keys(delta).length === 2 ? { [field]: text } : undefined;
  },
  like: ({ type, index, delta }, [text], [field = ""]) => ({
    type,
    index,
    delta: { type: isObject(delta) ? delta["type"] : undefined, [field]: text },
  }),
};
