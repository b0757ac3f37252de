import type { InputContent } from "antiphon";
import { attachment, isFile, partOf } from "./attachments.ts";
import { UsageError } from "./options.ts";
import { isPiped, readInput } from "./standard-input.ts";

/**
 * The message that the words of a command line and standard input make. A word of its own that begins with `@` is a file; within a
 * longer text it is one where there is such a file. What is piped in is never searched for names of files: it is somebody else's text.
 */
export async function promptOf(words: readonly string[]): Promise<InputContent[]> {
  const texts: string[] = [];
  const parts: InputContent[] = [];
  for (const word of words) {
    const { text, paths } = readWord(word);
    if (text !== "") texts.push(text);
    for (const path of paths) parts.push(await attachment(path));
  }
  const input = await inputFor(words);
  const typed = texts.join(" ").trim();
  if (typed === "" && input === undefined && parts.length === 0)
    throw new UsageError(process.stdin.isTTY ? "there is no prompt: type one, or pipe it in" : "the prompt is empty");
  return [...(typed === "" ? [] : [{ type: "input_text" as const, text: typed }]), ...parts, ...(input ? [input] : [])];
}

function readWord(word: string): { text: string; paths: string[] } {
  if (word === "-") return { text: "", paths: [] };
  const isOnlyAFile = /^@[^\s@]\S*$/.test(word) || (word.startsWith("@") && isFile(word.slice(1)));
  if (isOnlyAFile) return { text: "", paths: [word.slice(1)] };
  const named = [...word.matchAll(/(?<=^|\s)@(?:"([^"]+)"|([^\s"@][^\s"]*))/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
  return { text: word.replace(/^@@/, "@"), paths: [...new Set(named)].filter(isFile) };
}

/** Standard input: the prompt where nothing was typed, what it is about where something was. */
async function inputFor(words: readonly string[]): Promise<InputContent | undefined> {
  const isWanted = words.includes("-") || (words.length === 0 ? !process.stdin.isTTY : isPiped());
  const bytes = isWanted ? await readInput() : Buffer.alloc(0);
  if (bytes.length === 0) return undefined;
  if (!isText(bytes)) return partOf(bytes, "standard-input");
  const text = bytes.toString("utf8").trim();
  return text === "" ? undefined : { type: "input_text", text };
}

const isText = (bytes: Buffer): boolean => {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return !bytes.includes(0);
  } catch {
    return false;
  }
};
