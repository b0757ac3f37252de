/** Base64 pieces as one: pieces that end in the middle of a group of three bytes are taken apart first. */
export function joinBase64(pieces: readonly string[]): string {
  const inner = pieces.slice(0, -1);
  if (inner.every((piece) => piece.length % 4 === 0 && !piece.endsWith("="))) return pieces.join("");
  try {
    return btoa(pieces.map((piece) => atob(piece)).join(""));
  } catch {
    return pieces.join("");
  }
}
