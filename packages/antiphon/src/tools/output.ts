import { isObject, type JsonObject } from "../model/guards.ts";
import type { InputContent } from "../model/index.ts";

const longest = 1_000_000;

/** What tells each kind of content part from some JSON that happens to have a `type`. */
const partMarks: Readonly<Record<InputContent["type"], (part: JsonObject) => boolean>> = {
  input_text: ({ text }) => typeof text === "string",
  input_image: ({ image_url, file_id }) => typeof (image_url ?? file_id) === "string",
  input_file: ({ file_data, file_url, file_id }) => typeof (file_data ?? file_url ?? file_id) === "string",
  input_video: ({ video_url }) => typeof video_url === "string",
  input_audio: ({ input_audio }) => isObject(input_audio) && typeof input_audio["data"] === "string",
};

function isContent(value: unknown): value is InputContent {
  if (!isObject(value) || typeof value["type"] !== "string" || !Object.hasOwn(partMarks, value["type"])) return false;
  // The table has the type as its own key.
  return partMarks[value["type"] as InputContent["type"]](value);
}

/** What JSON has no words for, in words that it has. */
function asJson(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  if (value instanceof Error) return { error: value.message };
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `(${value.byteLength} bytes)`;
  return value;
}

const bounded = (text: string): string =>
  text.length > longest ? `${text.slice(0, longest)}\n(truncated: the result has ${text.length} characters)` : text;

/**
 * Converts a tool's return value to what the model receives: text, content parts, or JSON. Never throws.
 *
 * @example
 * toolOutput({ celsius: 4 }); // '{"celsius":4}'
 * toolOutput([{ type: "input_image", image_url: "data:image/png;base64,…" }]); // the part itself
 */
export function toolOutput(value: unknown): string | InputContent[] {
  if (typeof value === "string") return bounded(value);
  if (isContent(value)) return [value];
  if (Array.isArray(value) && value.length > 0 && value.every(isContent)) return value;
  try {
    return bounded(JSON.stringify(value, asJson) ?? "");
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    return `The tool ran, but its result cannot be converted to JSON: ${reason}`;
  }
}
