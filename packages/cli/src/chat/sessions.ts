import { randomBytes } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../options.ts";

/** An id that says when the conversation began. */
export function newSessionId(now: Date): string {
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString();
  return `${local.slice(0, 10)}-${local.slice(11, 19).replaceAll(":", "")}-${randomBytes(2).toString("hex")}`;
}

interface KeptSession {
  id: string;
  /** When something was last said in it. */
  used: number;
}

/** The sessions in a directory of `fileSessions`, the one that was used last first; notebooks of tools are none. */
async function keptSessions(directory: string): Promise<KeptSession[]> {
  const names = await readdir(directory).catch(() => []);
  const found = await Promise.all(
    names.map(async (name): Promise<KeptSession | undefined> => {
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

/** The session that is meant: the last one, one by its id, or by as much of its beginning as tells it from all others. */
export async function findSession(directory: string, wanted: string | true): Promise<string> {
  const kept = await keptSessions(directory);
  if (wanted === true) {
    if (!kept[0]) throw new UsageError("there is no session to resume yet");
    return kept[0].id;
  }
  const fitting = kept.filter(({ id }) => id.startsWith(wanted));
  const exact = fitting.find(({ id }) => id === wanted) ?? (fitting.length === 1 ? fitting[0] : undefined);
  if (exact) return exact.id;
  if (fitting.length === 0) throw new UsageError(`there is no session "${wanted}"`);
  const some = fitting.slice(0, 3).map(({ id }) => id);
  throw new UsageError(`${fitting.length} sessions begin with "${wanted}": ${some.join(", ")}${fitting.length > 3 ? " …" : ""}`);
}
