/** The words of a text or an identifier in lower case: `getWeather_v2` gives `get`, `weather`, `v2`. */
export const words = (text: string): string[] =>
  text
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** A text in quotation marks, cut where it is long. */
export const quote = (text: string, longest = 160): string => {
  const plain = text.replace(/\s+/g, " ").trim();
  const letters = Array.from(plain);
  return letters.length > longest ? `“${letters.slice(0, longest).join("")}…”` : `“${plain}”`;
};

/** A quotation that ends a sentence. */
export const quoteLast = (text: string, longest?: number): string => {
  const quoted = quote(text, longest);
  return /[.!?…]”$/.test(quoted) ? quoted : `${quoted}.`;
};

/** `a`, `a and b`, `a, b and c`. */
export const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;

/** `1 word`, `2 words`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
