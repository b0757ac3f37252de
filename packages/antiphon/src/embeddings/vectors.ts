import { decodeBase64 } from "#platform";
import { AntiphonError } from "../core/error.ts";

/** How a server writes a vector: base64 of 32-bit floats, base64 of signed bytes, or a list of numbers. */
export type VectorEncoding = "base64" | "int8" | "float";

/** A vector as a server wrote it; lists are taken whatever was asked for, since many servers know nothing else. */
export function readVector(written: unknown, encoding: VectorEncoding): Float32Array {
  if (isNumbers(written)) return Float32Array.from(written);
  const bytes = typeof written === "string" ? decodeBase64(written) : undefined;
  if (!bytes) throw new AntiphonError("PROTOCOL", "The server sent a vector that is neither a list of numbers nor base64.");
  if (encoding === "int8") return Float32Array.from(new Int8Array(bytes.buffer));
  if (bytes.length % 4 !== 0)
    throw new AntiphonError("PROTOCOL", `The server sent a vector of ${bytes.length} bytes, which is not a multiple of 4.`);
  return looksDouble(bytes) ? Float32Array.from(new Float64Array(bytes.buffer)) : new Float32Array(bytes.buffer);
}

const isNumbers = (value: unknown): value is number[] => Array.isArray(value) && value.every((one) => typeof one === "number");

/**
 * Some servers write 64-bit floats where 32 bits are the rule. Widened numbers of half precision have nothing in their lower halves, and
 * next to no zeroes among the upper ones; a vector of 32-bit floats that is zero in every other place is zero nearly everywhere.
 */
function looksDouble(bytes: Uint8Array<ArrayBuffer>): boolean {
  if (bytes.length % 8 !== 0 || bytes.length < 64) return false;
  const words = new Uint32Array(bytes.buffer);
  if (!words.every((word, at) => at % 2 === 1 || word === 0)) return false;
  const told = words.reduce((sum, word) => (word === 0 ? sum : sum + 1), 0);
  return told > words.length / 4;
}
