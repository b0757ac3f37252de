import { randomBytes } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { resolveId } from "../nearest.ts";
import { CommandError } from "../options.ts";

/** Returns a new id that starts with the current time. */
export function newSessionId(now: Date): string {
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString();
  return `${local.slice(0, 10)}-${local.slice(11, 19).replaceAll(":", "")}-${randomBytes(2).toString("hex")}`;
}

interface SavedSession {
  id: string;
  /** The time of the last change. */
  used: number;
}

/** The sessions in a directory of `fileSessions`, last used first, without tool journals. */
async function savedSessions(directory: string): Promise<SavedSession[]> {
  const names = await readdir(directory).catch(() => []);
  const found = await Promise.all(
    names.map(async (name): Promise<SavedSession | undefined> => {
      const id = idIn(name);
      const file = id === undefined ? undefined : await stat(join(directory, name)).catch(() => undefined);
      return id !== undefined && file && file.size > 0 ? { id, used: file.mtimeMs } : undefined;
    }),
  );
  return found.filter((one) => one !== undefined).toSorted((a, b) => b.used - a.used);
}

function idIn(file: string): string | undefined {
  const written = /^session-(.+)\.jsonl$/.exec(file)?.[1];
  if (written === undefined || written.endsWith("%3acalls")) return undefined;
  try {
    return decodeURIComponent(written);
  } catch {
    return undefined;
  }
}

/** Finds a session by its id or a unique prefix; `true` is the last used one. */
export async function findSession(directory: string, wanted: string | true): Promise<string> {
  const saved = await savedSessions(directory);
  if (wanted !== true)
    return resolveId(
      wanted,
      saved.map(({ id }) => id),
      "conversation",
    );
  if (!saved[0]) throw new CommandError("there is no saved conversation to resume");
  return saved[0].id;
}
