import { mkdir } from "node:fs/promises";
import { extname, join } from "node:path";
import type { ResultFile } from "antiphon/hosted";

/** A file that was kept. */
export interface SavedFile {
  path: string;
  mimeType: string;
}

/** Keeps files in a folder, under names of their own: nothing that is there is written over. */
export async function saveFiles(files: readonly ResultFile[], folder: string): Promise<SavedFile[]> {
  await mkdir(folder, { recursive: true });
  const saved: SavedFile[] = [];
  for (const file of files) saved.push({ path: await saveOne(file, folder), mimeType: file.mimeType });
  return saved;
}

const mostTries = 1_000;

async function saveOne(file: ResultFile, folder: string): Promise<string> {
  // Most answers bring no files.
  const { extensionOf } = await import("antiphon/media");
  const name = safeName(file.name, extensionOf(file.mimeType));
  const ending = extname(name);
  for (let number = 1; ; number += 1) {
    const path = join(folder, number === 1 ? name : `${name.slice(0, -ending.length || undefined)}-${number}${ending}`);
    try {
      await file.save(path);
      return path;
    } catch (error) {
      const isTaken = error instanceof Error && "code" in error && error.code === "EEXIST";
      if (!isTaken || number === mostTries) throw error;
    }
  }
}

/** The name is the model's: it must stay in the folder, and be one that a shell and a screen can bear. */
function safeName(name: string, extension: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? "";
  const plain = last
    .replaceAll(/[^\p{Letter}\p{Number} ._()-]/gu, "_")
    .replace(/^[.\s-]+/, "")
    .slice(-100)
    .trim();
  if (plain === "") return `file.${extension}`;
  return extname(plain) === "" ? `${plain}.${extension}` : plain;
}
