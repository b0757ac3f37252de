import { isObject, type JsonObject } from "../../model/guards.ts";
import type { Likeness } from "../shared/alike.ts";

/** Fields that every chunk repeats; what else one holds is looked at each time. */
const repeated: ReadonlySet<string> = new Set([
  "id",
  "object",
  "created",
  "model",
  "service_tier",
  "system_fingerprint",
  "provider",
]);

/** Chunks that tell nothing but a piece of text or of a thought. */
export const alikeChunks: Likeness = {
  varying({ choices, obfuscation, ...rest }) {
    const [choice, ...others] = Array.isArray(choices) ? choices.filter(isObject) : [];
    if (!choice || others.length > 0 || !hasOnly(rest, repeated)) return undefined;
    const { delta, index = 0, ...ending } = choice;
    if (!isObject(delta) || index !== 0 || !hasOnly(ending)) return undefined;
    const { role: __, ...told } = delta;
    const fields = Object.keys(told).filter((field) => told[field] !== null);
    const [field = ""] = fields;
    const text = told[field];
    if (fields.length !== 1 || typeof text !== "string") return undefined;
    // Some servers pad each event with letters of no meaning.
    return { [field]: text, ...(typeof obfuscation === "string" ? { obfuscation } : {}) };
  },
  like: (_, values, fields) => ({ choices: [{ index: 0, delta: deltaOf(fields[0]!, values[0]) }] }),
};

/** A name that is known beforehand makes an object in a tenth of the time. */
const deltaOf = (field: string, text: unknown): JsonObject => (field === "content" ? { content: text } : { [field]: text });

const none: ReadonlySet<string> = new Set();
const hasOnly = (value: JsonObject, names = none): boolean =>
  Object.keys(value).every((name) => value[name] === null || names.has(name));
