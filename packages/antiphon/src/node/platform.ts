// Node's file system takes a while to load, and most programs neither save nor attach files.
const files = () => import("./files.ts");

/** Writes a stream of bytes to a file that must not exist yet. */
export const saveFile = async (path: string, bytes: ReadableStream<Uint8Array>): Promise<void> =>
  (await files()).saveFile(path, bytes);

/** A local file, by path or `file:` URL; no more than a byte over the limit is read of one that is too large. */
export const readFile = async (place: string, maxBytes: number): Promise<{ bytes: Uint8Array<ArrayBuffer>; name: string }> =>
  (await files()).readFile(place, maxBytes);

const base64 = /^[\w+/-]*={0,2}$/;

/** The bytes that base64 text spells, in either alphabet, or `undefined` where it is no base64. */
export function decodeBase64(written: string): Uint8Array<ArrayBuffer> | undefined {
  const text = /\s/.test(written) ? written.replaceAll(/\s+/g, "") : written;
  const length = text.endsWith("==") ? text.length - 2 : text.endsWith("=") ? text.length - 1 : text.length;
  if (length % 4 === 1 || (length < text.length && text.length % 4 !== 0) || !base64.test(text)) return undefined;
  // A copy of its own: small buffers share their memory, and callers look at it in words.
  return new Uint8Array(Buffer.from(text, "base64"));
}
