import { createHash, randomBytes } from "node:crypto";
import { AntiphonError } from "../core/error.ts";
import type { LogRecord } from "../conversation/log-records.ts";

/** One append, as a line of a session's file holds it. */
interface Append {
  /** Tells this append from an equal one of another writer. */
  by: string;
  at: number;
  records: LogRecord[];
}

const sumLength = 16;
const sumOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, sumLength);
const sumEnd = /,"sum":"([0-9a-f]{16})"\}$/;
const sumEndLength = sumLength + ',"sum":""}'.length;

/** A name for an append that nobody else has. */
export const newWriter = (): string => randomBytes(8).toString("hex");

/** An append as a line of JSON that ends in its own checksum. */
export function toLine(append: Append): string {
  const body = JSON.stringify(append).slice(0, -1);
  return `${body},"sum":"${sumOf(body)}"}\n`;
}

/** The append that a line holds, or nothing where the line is torn. */
function fromLine(line: string): Append | undefined {
  const sum = sumEnd.exec(line.slice(-sumEndLength))?.[1];
  if (sum === undefined || sum !== sumOf(line.slice(0, -sumEndLength))) return undefined;
  // The checksum says that `toLine` wrote it.
  return JSON.parse(line) as Append;
}

/** How far a session's file was read, and what it came to. */
export interface Progress {
  /** Bytes up to the end of the last whole line. */
  offset: number;
  /** Records in the appends that count. */
  count: number;
}

/** The file before anything of it was read. */
export const start: Progress = { offset: 0, count: 0 };

/**
 * Reads on. An append counts if its line is whole and it continues the session as the lines before it left it: of two writers that
 * append at the same place, the order of the file decides for everybody alike. What follows the last newline is not read: it may
 * be torn, or still being written.
 */
export function readLines(progress: Progress, bytes: Buffer): { progress: Progress; appends: Append[] } {
  const end = bytes.lastIndexOf(0x0a) + 1;
  const appends: Append[] = [];
  let { count } = progress;
  for (const line of bytes.subarray(0, end).toString("utf8").split("\n")) {
    const append = line ? fromLine(line) : undefined;
    if (append && append.at > count) throw damaged(count);
    if (append?.at !== count) continue;
    count += append.records.length;
    appends.push(append);
  }
  return { progress: { offset: progress.offset + end, count }, appends };
}

/** No writer leaves a gap, so what is missing was there once. */
function damaged(count: number): AntiphonError {
  const sentence = `The session file is damaged: the record after record ${count} cannot be read, but later records can.`;
  return new AntiphonError("PROTOCOL", sentence, { vendorCode: "session_damaged" });
}

const fileEnd = ".jsonl";
const longestName = 255;

/**
 * The file of a session. Letters are kept where they are lower case, since not every file system tells `A` from `a`; all else is
 * written as its bytes, so an id can neither leave the directory nor name a device.
 */
export function fileOf(id: string): string | undefined {
  const safe = Array.from(new TextEncoder().encode(id), (byte) => {
    const sign = String.fromCharCode(byte);
    return /[a-z0-9_-]/.test(sign) ? sign : `%${byte.toString(16).padStart(2, "0")}`;
  }).join("");
  const name = `session-${safe}${fileEnd}`;
  return id === "" || name.length > longestName ? undefined : name;
}

/** The session that a file is of, or nothing where it is something else. */
export function idOf(name: string): string | undefined {
  const safe = /^session-((?:[a-z0-9_-]|%[0-9a-f]{2})+)\.jsonl$/.exec(name)?.[1];
  if (safe === undefined) return undefined;
  try {
    return decodeURIComponent(safe);
  } catch {
    return undefined;
  }
}
