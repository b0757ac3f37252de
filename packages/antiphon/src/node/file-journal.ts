import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Journal } from "../agent/loop/run-options.ts";
import { checkArgument } from "../core/options.ts";
import type { InputItem } from "../model/index.ts";

/**
 * Creates a journal in a directory, for one run and whatever resumes it, in any number of processes. A claim is a
 * file that only one of them can create, a result a file that appears whole or not at all; both are on the disk
 * before anything is said of them.
 *
 * @example
 * const stream = resume(respond, paused, { tools, decisions, journal: fileJournal("runs/42") });
 */
export function fileJournal(directory: string): Journal {
  checkArgument("fileJournal", "the path of a directory", typeof directory === "string" && directory !== "", directory);
  const pathOf = (call_id: string, ending: string): string => join(directory, `${fileName(call_id)}.${ending}`);
  return {
    claim: async (call_id) => {
      await mkdir(directory, { recursive: true });
      if (await create(pathOf(call_id, "claim"), call_id)) {
        await syncDirectory(directory);
        return "run";
      }
      const output = await read(pathOf(call_id, "json"));
      return output ? { output } : "taken";
    },
    settle: async (call_id, output) => {
      const draft = join(directory, `.draft-${randomUUID()}`);
      await write(draft, "wx", JSON.stringify(output));
      await rename(draft, pathOf(call_id, "json"));
      await syncDirectory(directory);
    },
  };
}

const longestName = 40;

/** A name that any file system takes. The hash tells ids apart that differ in what a file name cannot show. */
function fileName(call_id: string): string {
  const hash = createHash("sha256").update(call_id).digest("hex").slice(0, 32);
  return `${call_id.replace(/[^a-z0-9_-]/gi, "_").slice(0, longestName)}-${hash}`;
}

const hasCode = (error: unknown, code: string): boolean => error instanceof Error && "code" in error && error.code === code;

/** Whether this caller is the one who made the file. */
async function create(path: string, content: string): Promise<boolean> {
  try {
    await write(path, "wx", content);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

async function write(path: string, flags: string, content: string): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A name is on the disk when its directory is. Windows has no such call, and keeps names by itself. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

async function read(path: string): Promise<InputItem | undefined> {
  try {
    // Only `settle` writes such files, and whole.
    return JSON.parse(await readFile(path, "utf8")) as InputItem;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}
