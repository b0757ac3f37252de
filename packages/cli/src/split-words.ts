import { UsageError } from "./options.ts";

const word = /(?:[^\s"'\\]|\\[^]|"(?:\\[^]|[^"\\])*"|'[^']*')+/y;

/** Splits a command like a shell: at spaces outside quotes. Supports no other shell syntax. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  const trimmed = text.trim();
  for (let at = 0; at < trimmed.length;) {
    word.lastIndex = at;
    const [found] = word.exec(trimmed) ?? [];
    if (found === undefined) throw new UsageError(`missing closing quote in: ${text}`);
    words.push(found.replaceAll(/"((?:\\[^]|[^"\\])*)"|'([^']*)'|\\([^])/g, unquoted));
    at += found.length;
    while (/\s/.test(trimmed[at] ?? "")) at += 1;
  }
  return words;
}

const unquoted = (_: string, double?: string, single?: string, escaped?: string): string =>
  double?.replaceAll(/\\(["\\])/g, "$1") ?? single ?? escaped ?? "";
