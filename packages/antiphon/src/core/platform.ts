// What the platform offers everywhere; `node/platform.ts` is its better half.
import { AntiphonError } from "./error.ts";

const noFiles = (what: string): AntiphonError => new AntiphonError("UNSUPPORTED", `This runtime has no file system ${what}.`);

/** Where there is no file system, nothing can be saved. */
export const saveFile = async (path: string, _bytes: ReadableStream<Uint8Array>): Promise<void> => {
  throw noFiles(`to save "${path}" to: use \`bytes()\` or \`stream()\``);
};

/** Where there is no file system, nothing can be read. */
export const readFile = async (place: string, _maxBytes: number): Promise<{ bytes: Uint8Array<ArrayBuffer>; name: string }> => {
  throw noFiles(`to read "${place}" from: pass its bytes`);
};

/** The bytes that base64 text spells, in either alphabet, or `undefined` where it is no base64. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  let units: string;
  try {
    // Faster than a loop of our own over the characters.
    units = atob(/[-_]/.test(text) ? text.replaceAll("-", "+").replaceAll("_", "/") : text);
  } catch {
    return undefined;
  }
  const bytes = new Uint8Array(units.length);
  for (let at = 0; at < units.length; at += 1) bytes[at] = units.charCodeAt(at);
  return bytes;
}
