/** Whether a model is one of those that patterns name, `*` standing for any characters; an empty list names all. */
export const isAmong = (model: string, patterns: readonly string[]): boolean =>
  patterns.length === 0 || patterns.some((pattern) => fits(model, pattern));

// No regular expression: patterns with many stars would let it try for ever.
function fits(model: string, pattern: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  const tail = rest.pop();
  if (tail === undefined) return model === pattern;
  if (!model.startsWith(head)) return false;
  let at = head.length;
  for (const piece of rest) {
    const found = model.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return model.length - tail.length >= at && model.endsWith(tail);
}
