/** The text that base64 bytes spell, or nothing where they are no base64. */
export function fromBase64(data: string): string | undefined {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(data), (unit) => unit.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

/** A text's UTF-8 bytes in base64. */
export function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let units = "";
  for (const byte of bytes) units += String.fromCharCode(byte);
  return btoa(units);
}
