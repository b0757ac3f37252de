/** Room for one text at a time. */
const room = Buffer.allocUnsafeSlow(256 * 1024);
/** The most bytes that a character of a text may take. */
const widest = 3;

/**
 * A text as bytes. The text of a batch is put together from thousands of pieces, and to count its bytes before it is written, as
 * `Buffer.from` does, takes longer than to write it and copy it.
 */
export function bytesOf(text: string): Uint8Array {
  if (text.length * widest > room.length) return Buffer.from(text);
  return Buffer.from(room.subarray(0, room.write(text)));
}
