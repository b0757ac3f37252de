const longest = 64;

/** A short mark of a text, the same in every process: names must not change from one day to the next. */
function mark(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash.toString(36);
}

/**
 * The name under which a model is told of a server's tool: letters, digits, `_` and `-`, at most 64. One that had to be changed
 * carries a mark of the original, lest two become one; it depends on nothing else, so it stays the same.
 *
 * @example
 * toolName("files/read", "disk"); // "disk_files_read_1ae98x5"
 */
export function toolName(original: string, prefix = ""): string {
  const name = prefix ? `${prefix}_${original}` : original;
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return name;
  const tail = `_${mark(name)}`;
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, longest - tail.length) + tail;
}
