import { constants } from "node:fs";
import { mkdir, open, readdir, unlink, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { sessionConflict } from "../conversation/memory-sessions.ts";
import type { LogRecord, SessionStore } from "../conversation/log-records.ts";
import { AntiphonError } from "../core/error.ts";
import { checkArgument } from "../core/options.ts";
import { fileOf, idOf, newWriter, readLines, start, toLine, type Progress } from "./session-file.ts";

/**
 * Creates a session store in a directory: one append-only file of JSON lines for each session. An append is on the
 * disk when it resolves; one that a crash cut short is as if it had never been. Any number of processes may share the
 * directory, on a local file system: they need no lock, since the order in which lines stand in the file decides.
 *
 * @example
 * const chat = agent.chat({ store: fileSessions("sessions"), id: "support-17" });
 */
export function fileSessions(directory: string): SessionStore {
  checkArgument("fileSessions", "the path of a directory", typeof directory === "string" && directory !== "", directory);
  const pathOf = (id: string): string => {
    const name = fileOf(id);
    if (name) return join(directory, name);
    const message = id === "" ? "The session id must not be empty." : `The session id is too long for a file name: "${id}".`;
    throw new AntiphonError("BAD_REQUEST", message, { param: "id" });
  };
  const known = new Map<string, Known>();
  return {
    load: async (id) => {
      const records = await readRecords(pathOf(id));
      return records && { version: 1, id, records };
    },
    append: async (id, at, records) => {
      const path = pathOf(id);
      const isFirst = at === 0 && records.length > 0;
      if (isFirst) await mkdir(directory, { recursive: true });
      await withFile(path, isFirst ? writing | constants.O_CREAT : writing, async (file) => {
        if (!file && at === 0) return;
        if (!file) throw sessionConflict(id, at, 0);
        const before = known.get(id);
        const { progress, won } = await write(file, before, at, records);
        if (!won) throw sessionConflict(id, at, progress.count);
        // A session that was deleted meanwhile took the line with it.
        if ((await file.stat()).nlink === 0) throw sessionConflict(id, at, undefined);
        // Whoever made the file may have died before its name was on the disk, too.
        if (!before) await syncDirectory(directory);
        known.set(id, progress);
      });
    },
    delete: async (id) => {
      known.delete(id);
      await unlink(pathOf(id)).catch(ignore("ENOENT"));
    },
    list: async () => {
      const names = (await readdir(directory).catch(ignore("ENOENT"))) ?? [];
      const ids = names.flatMap((name) => idOf(name) ?? []).toSorted();
      const begun = await Promise.all(ids.map((id) => isBegun(pathOf(id))));
      return ids.filter((_, index) => begun[index]);
    },
  };
}

/** What was last seen of a session's file, so that an append costs what is new and not what is old. */
interface Known extends Progress {
  /** The beginning of the file, which holds a random name: a session that was deleted and begun anew is another file. */
  head: string;
}

const headLength = 32;
const writing = constants.O_RDWR | constants.O_APPEND;

/** Appends once the session is seen to have `at` records, and finds out whether this or another writer's line came first. */
async function write(
  file: FileHandle,
  known: Known | undefined,
  at: number,
  records: readonly LogRecord[],
): Promise<{ progress: Known; won: boolean }> {
  const by = newWriter();
  const line = toLine({ by, at, records: [...records] });
  let seen = await look(file, await trusted(file, known));
  while (seen.count === at && records.length > 0) {
    // A torn line is spoilt for good first: it may lack no more than its end. If the disk took but a part of ours, or another line
    // was torn right before it, nobody won: again.
    await file.write(Buffer.from(seen.torn ? `#\n${line}` : line));
    await file.datasync();
    seen = await look(file, seen);
    if (seen.writers.includes(by)) return { progress: await headed(file, seen), won: true };
  }
  return { progress: await headed(file, seen), won: records.length === 0 && seen.count === at };
}

const headed = async (file: FileHandle, { offset, count }: Progress): Promise<Known> => ({
  offset,
  count,
  head: (await readFrom(file, 0, headLength)).toString("latin1"),
});

async function trusted(file: FileHandle, known: Known | undefined): Promise<Progress> {
  if (!known || known.offset < headLength || (await file.stat()).size < known.offset) return start;
  return (await readFrom(file, 0, headLength)).toString("latin1") === known.head ? known : start;
}

/** Reads what was appended since. */
async function look(file: FileHandle, from: Progress): Promise<Progress & { torn: boolean; writers: string[] }> {
  const bytes = await readFrom(file, from.offset);
  const { progress, appends } = readLines(from, bytes);
  return { ...progress, torn: from.offset + bytes.length > progress.offset, writers: appends.map(({ by }) => by) };
}

async function readFrom(file: FileHandle, offset: number, length?: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length ?? Math.max(0, (await file.stat()).size - offset));
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

const readRecords = (path: string): Promise<LogRecord[] | undefined> =>
  withFile(path, constants.O_RDONLY, async (file) => {
    if (!file) return undefined;
    const { appends } = readLines(start, await readFrom(file, 0));
    return appends.length > 0 ? appends.flatMap(({ records }) => records) : undefined;
  });

/** Whether a file holds a whole append; one that ends in a newline does, so only a torn one is read. */
const isBegun = (path: string): Promise<boolean> =>
  withFile(path, constants.O_RDONLY, async (file) => {
    const size = file ? (await file.stat()).size : 0;
    if (!file || size === 0) return false;
    const [last] = await readFrom(file, size - 1, 1);
    return last === 0x0a || readLines(start, await readFrom(file, 0)).appends.length > 0;
  });

async function withFile<T>(path: string, flags: number, use: (file: FileHandle | undefined) => Promise<T>): Promise<T> {
  const file = await open(path, flags, 0o600).catch(ignore("ENOENT"));
  try {
    return await use(file);
  } finally {
    await file?.close();
  }
}

/** Makes a new file's name as durable as its content; Windows does that by itself, and refuses to be asked. */
async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(directory, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const ignore =
  (code: string) =>
  (error: unknown): undefined => {
    if (error instanceof Error && "code" in error && error.code === code) return undefined;
    throw error;
  };
