import { decodeBase64 } from "#platform";
import { encodeBase64 } from "../../core/base64.ts";

/** The text that base64 bytes spell, or nothing where they are no base64. */
export function fromBase64(data: string): string | undefined {
  const bytes = decodeBase64(data);
  return bytes && new TextDecoder().decode(bytes);
}

/** A text's UTF-8 bytes in base64. */
export const toBase64 = (text: string): string => encodeBase64(new TextEncoder().encode(text));
