const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
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
  let id = `${prefix}_`;
  for (const end = used + idBytes; used < end; used += 1) id += hex[pool[used]!];
  return id;
}
