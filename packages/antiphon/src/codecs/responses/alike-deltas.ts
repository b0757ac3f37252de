import type { Likeness } from "../shared/alike.ts";

const isPlain = (value: unknown): boolean => typeof value !== "object" || value === null;

/** Events that tell nothing but a piece of text, or of arguments. */
export const alikeDeltas: Likeness = {
  varying({ delta, sequence_number, obfuscation, logprobs = [], ...rest }) {
    const isBare = Array.isArray(logprobs) && logprobs.length === 0 && Object.values(rest).every(isPlain);
    if (!isBare || typeof delta !== "string" || typeof sequence_number !== "number") return undefined;
    // Some servers pad each event with letters of no meaning.
    return { delta, sequence_number, ...(typeof obfuscation === "string" ? { obfuscation } : {}) };
  },
  like(event, [delta, sequence_number, obfuscation]) {
    const told = { ...event };
    told["delta"] = delta;
    told["sequence_number"] = sequence_number;
    if (obfuscation !== undefined) told["obfuscation"] = obfuscation;
    if (told["logprobs"] !== undefined) told["logprobs"] = [];
    return told;
  },
};
