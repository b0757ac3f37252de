import type { Loss } from "antiphon";

/** Says in a response what of the request had no effect. */
export const lossesHeader = "antiphon-losses";

// Some proxies accept no more than 4 KiB for all headers of a response.
const maxHeaderLength = 2_000;
const maxPathLength = 100;
const maxReasonLength = 200;

const clip = (text: string, maxLength: number): string => (text.length > maxLength ? `${text.slice(0, maxLength)}…` : text);

/** Escapes everything that a header may not contain. The result is still JSON. */
const ascii = (json: string): string =>
  json.replaceAll(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

/**
 * Returns the header that reports losses, as a JSON list of `{ path, reason }`. The last entry of a list that was cut
 * says how many are missing. Returns `undefined` if there are none.
 *
 * @example
 * lossHeaders([{ path: "seed", reason: "The API has no such field." }]);
 */
export function lossHeaders(losses: readonly Loss[]): Record<string, string> | undefined {
  if (losses.length === 0) return undefined;
  const entries: string[] = [];
  let length = 0;
  for (const { path, reason } of losses) {
    const entry = ascii(JSON.stringify({ path: clip(path, maxPathLength), reason: clip(reason, maxReasonLength) }));
    if (length + entry.length > maxHeaderLength) break;
    length += entry.length;
    entries.push(entry);
  }
  const missing = losses.length - entries.length;
  if (missing > 0) entries.push(JSON.stringify({ path: "*", reason: `${missing} more` }));
  return { [lossesHeader]: `[${entries.join(",")}]` };
}

/** The names that a client API has for paths of the common vocabulary; the first that fits is used. */
export type FieldNames = readonly (readonly [path: string, name: string])[];

// Several fields and messages of these APIs become one path of the common vocabulary, so positions are left out.
export const chatFields: FieldNames = [
  ["input", "messages"],
  ["instructions", "messages"],
  ["max_output_tokens", "max_completion_tokens"],
  ["text.verbosity", "verbosity"],
  ["text", "response_format"],
  ["reasoning", "reasoning_effort"],
  ["include", "logprobs"],
];

export const messagesFields: FieldNames = [
  ["input", "messages"],
  ["instructions", "system"],
  ["max_output_tokens", "max_tokens"],
  ["text", "output_config.format"],
  ["reasoning", "thinking"],
  ["stop", "stop_sequences"],
  ["safety_identifier", "metadata.user_id"],
  ["parallel_tool_calls", "tool_choice.disable_parallel_tool_use"],
];

const isWithin = (path: string, outer: string): boolean =>
  path.startsWith(outer) && (path.length === outer.length || path[outer.length] === "." || path[outer.length] === "[");

function nameOf(path: string, names: FieldNames): string {
  const found = names.find(([outer]) => isWithin(path, outer));
  // Fields that only Anthropic's servers know have this prefix in the common vocabulary.
  return found ? found[1] : path.replace(/^anthropic:/, "");
}

/** Returns losses under the names of a client API, each once. */
export function namedLosses(losses: readonly Loss[], names: FieldNames): Loss[] {
  const found = new Map<string, Loss>();
  for (const { path, reason } of losses) {
    const name = nameOf(path, names);
    found.set(`${name}\n${reason}`, { path: name, reason });
  }
  return [...found.values()];
}
