import { statSync } from "node:fs";
import { homedir } from "node:os";
import { basename } from "node:path";
import { readFile } from "node:fs/promises";
import type { InputContent } from "antiphon";
import { UsageError } from "./options.ts";

const mostBytes = 50 * 1024 * 1024;

const readable = /^(text\/|application\/(json|xml|yaml|javascript)|image\/svg\+xml)/;

/** A file as a model can take it: pictures, sound and film as such, text as text, anything else as a document. */
export async function attachment(path: string): Promise<InputContent> {
  const place = homely(path);
  let size: number;
  try {
    const stat = statSync(place);
    if (!stat.isFile()) throw new UsageError(`${path} is no file`);
    ({ size } = stat);
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`there is no file ${path} to attach`);
  }
  if (size > mostBytes) throw new UsageError(`${path} is larger than ${mostBytes / 1024 / 1024} MiB`);
  return partOf(await readFile(place), basename(place));
}

/** Bytes as a model can take them. */
export async function partOf(bytes: Uint8Array, name: string): Promise<InputContent> {
  // Most questions come without.
  const { audio, file, image, sniffMime, video } = await import("antiphon/media");
  const mimeType = sniffMime(bytes, name);
  if (readable.test(mimeType)) return { type: "input_text", text: `${name}:\n\n${new TextDecoder().decode(bytes)}` };
  if (mimeType.startsWith("image/")) return image(bytes, { mimeType });
  if (mimeType.startsWith("audio/")) return audio(bytes, { mimeType });
  if (mimeType.startsWith("video/")) return video(bytes, { mimeType });
  return file(bytes, { name, mimeType });
}

/** `~/notes.md` in quotes is not seen by the shell. */
const homely = (path: string): string => path.replace(/^~(?=\/|$)/, homedir());

export const isFile = (path: string): boolean => statSync(homely(path), { throwIfNoEntry: false })?.isFile() ?? false;
