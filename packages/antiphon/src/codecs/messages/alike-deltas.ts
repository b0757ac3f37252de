import { isObject, type JsonObject } from "../../model/guards.ts";
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
  like: ({ type, index }, values, fields) => ({ type, index, delta: deltas[fields[0]!]!(values[0]) }),
};

/** By their fields. Names that are known beforehand make an object in a tenth of the time. */
const deltas: Readonly<Record<string, (text: unknown) => JsonObject>> = {
  text: (text) => ({ type: "text_delta", text }),
  thinking: (thinking) => ({ type: "thinking_delta", thinking }),
  partial_json: (partial_json) => ({ type: "input_json_delta", partial_json }),
};
