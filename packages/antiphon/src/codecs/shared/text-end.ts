const [space, quote, backslash] = [32, 34, 92];
/** What may follow a backslash; whatever has a number there is read as any other text. */
const escapes: ReadonlySet<number> = new Set([...'"\\/bfnrt'].map((letter) => letter.charCodeAt(0)));

/** Where the text of a JSON string ends that begins at a position: at its quote, or where something stands that has to be looked at more closely. */
export function textEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let code = bytes[at]!; code !== quote && code >= space; code = bytes[++at]!)
    if (code === backslash && !escapes.has(bytes[++at]!)) return at;
  return at;
}
