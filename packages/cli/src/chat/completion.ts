import { readdirSync } from "node:fs";
import type { Conversation } from "./conversation.ts";
import { commandWords } from "./commands/table.ts";
import { placeOf } from "./attachments.ts";
import type { Completion } from "./editor/menu.ts";
import type { Candidate } from "./editor/state.ts";

/** What the word before the cursor could become: a command, what a command takes, or a file behind an `@`. */
export function completionOf(text: string, cursor: number, conversation: Conversation, folder: string): Completion {
  const before = text.slice(0, cursor);
  const file = /(?<=^|[\s("'[])@(?:"[^"\n]*|[^\s"]*)$/.exec(before);
  if (file) return { from: file.index, candidates: files(file[0].slice(1), folder) };
  const word = /\S*$/.exec(before)!;
  if (!before.startsWith("/") || before.includes("\n")) return { from: cursor, candidates: [] };
  const words = commandWords(before, conversation).filter((one) => one.startsWith(word[0]));
  return { from: word.index, candidates: ended(words.map((one) => ({ text: one, label: one }))) };
}

/** The only candidate there is needs no more letters. */
const ended = (candidates: readonly Candidate[]): readonly Candidate[] =>
  candidates.length === 1 ? candidates.map(({ text, label }) => ({ text: `${text} `, label })) : candidates;

function files(written: string, folder: string): readonly Candidate[] {
  const path = written.replace(/^"/, "");
  const parent = path.slice(0, path.lastIndexOf("/") + 1);
  const start = path.slice(parent.length);
  const found = entriesOf(placeOf(parent || ".", folder))
    .filter(({ name }) => name.startsWith(start) && (start !== "" || !name.startsWith(".")))
    .map(({ name, isFolder }) => ({ path: parent + name, label: isFolder ? `${name}/` : name, isFolder }));
  const [only] = found;
  if (found.length === 1 && only && !only.isFolder) return [{ text: `${quoted(only.path, true)} `, label: only.label }];
  return found.map(({ path: whole, label, isFolder }) => ({ text: quoted(isFolder ? `${whole}/` : whole, !isFolder), label }));
}

const quoted = (path: string, isWhole: boolean): string => (/[\s"]/.test(path) ? `@"${path}${isWhole ? '"' : ""}` : `@${path}`);

function entriesOf(folder: string): { name: string; isFolder: boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
      .toSorted((a, b) => a.name.localeCompare(b.name));
  } catch {
    return [];
  }
}
