import { statSync } from "node:fs";
import { homedir } from "node:os";
import { basename } from "node:path";
import { readFile } from "node:fs/promises";
import type { InputContent } from "antiphon";
import { CommandError } from "./options.ts";

const mostBytes = 50 * 1024 * 1024;

const readable = /^(text\/|application\/(json|xml|yaml|javascript)|image\/svg\+xml)/;

/** Reads a file as model input: images, audio and video by type, text as text, anything else as a document. */
export async function attachment(path: string): Promise<InputContent> {
  const place = homely(path);
  let size: number;
  try {
    const stat = statSync(place);
    if (!stat.isFile()) throw new CommandError(`${path} is not a file`);
    ({ size } = stat);
  } catch (error) {
    throw error instanceof CommandError ? error : new CommandError(`no such file: ${path}`);
  }
  if (size > mostBytes) throw new CommandError(`${path} is larger than ${mostBytes / 1024 / 1024} MiB`);
  return partOf(await readFile(place), basename(place));
}

/** Converts bytes to model input. */
export async function partOf(bytes: Uint8Array, name: string): Promise<InputContent> {
  // Most prompts have no attachments.
  const { audio, file, image, sniffMime, video } = await import("antiphon/media");
  const mimeType = sniffMime(bytes, name);
  if (readable.test(mimeType)) return { type: "input_text", text: `${name}:\n\n${new TextDecoder().decode(bytes)}` };
  if (mimeType.startsWith("image/")) return image(bytes, { mimeType });
  if (mimeType.startsWith("audio/")) return audio(bytes, { mimeType });
  if (mimeType.startsWith("video/")) return video(bytes, { mimeType });
  return file(bytes, { name, mimeType });
}

/** Expands `~`, which the shell does not expand in quotes. */
const homely = (path: string): string => path.replace(/^~(?=\/|$)/, homedir());

export const isFile = (path: string): boolean => statSync(homely(path), { throwIfNoEntry: false })?.isFile() ?? false;
