import { user, type AgentInput, type InputContent } from "antiphon";
import { sniffMime } from "antiphon/media";
import { open } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, resolve } from "node:path";
import { partOf } from "../attachments.ts";
import { bytes as sizeOf } from "./text/amounts.ts";

/** A message with its attachments. */
export interface Message {
  input: AgentInput;
  /** One line for each file that goes with it: name, kind and size. */
  attached: string[];
  /** Sentences about files that could not be attached. */
  problems: string[];
}

const largest = 50 * 1024 * 1024;

// `@name` and `@"a name with spaces"` at the start of a word: `ada@example.org` is not a file.
const mention = /(?<=^|[\s("'[])@(?:"([^"\n]+)"|(\S+))/g;

/** Reads the files that a message mentions with `@`. The text of the message is unchanged. */
export async function readMessage(text: string, folder: string): Promise<Message> {
  const names = new Set(Array.from(text.matchAll(mention), ([, quoted, bare]) => quoted ?? bare ?? ""));
  const parts: InputContent[] = [];
  const message: Message = { input: text, attached: [], problems: [] };
  for (const name of names) {
    const read = await readNamed(name, folder);
    if (typeof read === "string") message.problems.push(read);
    else if (read) {
      parts.push(await partOf(read.bytes, read.name));
      message.attached.push(`${read.name} (${read.mimeType}, ${sizeOf(read.bytes.length)})`);
    }
  }
  return parts.length === 0 ? message : { ...message, input: user([{ type: "input_text", text }, ...parts]) };
}

/** Resolves a path in a message. */
export const placeOf = (path: string, folder: string): string =>
  resolve(folder, path.startsWith("~/") ? `${homedir()}${path.slice(1)}` : path);

interface NamedFile {
  name: string;
  mimeType: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Returns the file, a sentence about the problem, or `undefined` if the text is probably not a file name. */
async function readNamed(mentioned: string, folder: string): Promise<NamedFile | string | undefined> {
  // Punctuation after a name belongs to the sentence, unless such a file exists.
  const names = [mentioned, mentioned.replace(/[.,;:!?)\]}'"]+$/, "")];
  for (const path of new Set(names)) {
    const read = await readFile(path, folder);
    if (read !== undefined) return read;
  }
  return /[/.]/.test(names[1]!) ? `No such file: ${names[1]!}. The name was sent as text.` : undefined;
}

/** Returns the file, a sentence about the problem, or `undefined` if it does not exist. */
async function readFile(path: string, folder: string): Promise<NamedFile | string | undefined> {
  try {
    const handle = await open(placeOf(path, folder));
    try {
      const about = await handle.stat();
      if (about.isDirectory()) return `${path} is a folder and was not sent.`;
      if (about.size > largest) return `${path} is larger than ${sizeOf(largest)} and was not sent.`;
      const bytes = new Uint8Array(await handle.readFile());
      if (bytes.length === 0) return `${path} is empty and was not sent.`;
      return { name: basename(path), mimeType: sniffMime(bytes, path), bytes };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG") return undefined;
    return `Cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`;
  }
}
