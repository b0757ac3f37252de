// C0 but the newline, DEL, C1, and what reorders or ends lines unseen: a terminal obeys all of these, and none is text.
const unsafe = /[^\P{Cc}\n]|[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/gu;
const spelt: Readonly<Record<string, string>> = { "\t": "    ", "\u2028": "\n", "\u2029": "\n" };

/**
 * Text of a model, a tool or a file as a terminal may be given it: it can neither move the cursor, nor colour, nor ring, nor reach the
 * clipboard. Each sign is judged alone, so text may come in any pieces; what is left of a sequence is seen as the letters that it is.
 */
export const safeText = (text: string): string => text.replaceAll(unsafe, (sign) => spelt[sign] ?? "");

/** The same on one line, with every stretch of blanks as one. */
export const oneLine = (text: string): string => safeText(text).replaceAll(/\s+/g, " ").trim();

/** Text that somebody is to judge: whatever cannot be seen is written as its number. */
export const evident = (text: string): string =>
  text.replaceAll(/[^\P{C}\n]|[\u2028\u2029]/gu, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`);
