import type { InputContent } from "antiphon";
import { attachment, isFile, partOf } from "./attachments.ts";
import { UsageError } from "./options.ts";
import { isPiped, readInput } from "./standard-input.ts";

/**
 * Builds the prompt from the arguments and standard input. An argument that starts with `@` is a file. Inside a longer text, `@name`
 * is a file only if it exists. Piped input is never searched for file names, because it may come from others.
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
    throw new UsageError(process.stdin.isTTY ? "specify a prompt, or pipe one to standard input" : "the prompt is empty");
  return [...(typed === "" ? [] : [{ type: "input_text" as const, text: typed }]), ...parts, ...(input ? [input] : [])];
}

function readWord(word: string): { text: string; paths: string[] } {
  if (word === "-") return { text: "", paths: [] };
  const isOnlyAFile = /^@[^\s@]\S*$/.test(word) || (word.startsWith("@") && isFile(word.slice(1)));
  if (isOnlyAFile) return { text: "", paths: [word.slice(1)] };
  const named = [...word.matchAll(/(?<=^|\s)@(?:"([^"]+)"|([^\s"@][^\s"]*))/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
  return { text: word.replace(/^@@/, "@"), paths: [...new Set(named)].filter(isFile) };
}

/** Standard input: the prompt, or an addition to a typed one. */
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
