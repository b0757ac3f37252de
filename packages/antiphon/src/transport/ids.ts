const digits = Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0));
const idBytes = 10;
// One call for many ids: asking for random bytes costs more than the bytes.
const pool = new Uint8Array(idBytes * 64);
let used = pool.length;

const timeDigits = 12;
let time = -1;
let stamp = "";

/**
 * Returns a new id: the time in milliseconds and 80 random bits. Those that are made one after the other sort so, and lie together in the
 * index of a database; ids of chance alone would be all over it.
 *
 * @example
 * newId("msg"); // "msg_019a8d3f0c2e5f2b0c…"
 */
export function newId(prefix: string): string {
  const now = Date.now();
  if (now !== time) {
    time = now;
    stamp = now.toString(16).padStart(timeDigits, "0");
  }
  if (used === pool.length) {
    globalThis.crypto.getRandomValues(pool);
    used = 0;
  }
  const units: number[] = [];
  for (const end = used + idBytes; used < end; used += 1) units.push(digits[pool[used]! >> 4]!, digits[pool[used]! & 15]!);
  // All at once: a string that is put together digit by digit is kept as a chain of its pieces.
  return `${prefix}_${stamp}${String.fromCharCode(...units)}`;
}
