import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const most = 1_000;

/** What was sent before, oldest first: each line of the file is a message as JSON. What cannot be read is not there. */
export function loadHistory(path: string | undefined): readonly string[] {
  if (path === undefined) return [];
  const lines = contentOf(path).split("\n").filter(Boolean);
  const entries = lines.slice(-most).flatMap((line) => entryIn(line) ?? []);
  // The file only grows while one types; it is made short again now and then.
  if (lines.length > 2 * most) save(path, entries, "w");
  return entries;
}

/** Adds a message. A history that cannot be written is no reason to stop a chat. */
export const addToHistory = (path: string | undefined, entry: string): void => {
  if (path !== undefined) save(path, [entry], "a");
};

function save(path: string, entries: readonly string[], flag: "a" | "w"): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""), { mode: 0o600, flag });
  } catch {
    // As said above.
  }
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function entryIn(line: string): string | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === "string" ? entry : undefined;
  } catch {
    return undefined;
  }
}
