const digits = Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0));
const idBytes = 12;
// One call for many ids: asking for random bytes costs more than the bytes.
const pool = new Uint8Array(idBytes * 64);
let used = pool.length;

/**
 * A fresh id of 96 random bits.
 *
 * @example
 * newId("msg"); // "msg_5f2b0c…"
 */
export function newId(prefix: string): string {
  if (used === pool.length) {
    globalThis.crypto.getRandomValues(pool);
    used = 0;
  }
  const units: number[] = [];
  for (const end = used + idBytes; used < end; used += 1) units.push(digits[pool[used]! >> 4]!, digits[pool[used]! & 15]!);
  // All at once: a string that is put together digit by digit is kept as a chain of its pieces.
  return `${prefix}_${String.fromCharCode(...units)}`;
}
