import { fstatSync } from "node:fs";
import { CommandError } from "./options.ts";

/** Larger than the context window of any model. */
const mostBytes = 32 * 1024 * 1024;
const patience = 3_000;

/**
 * Whether a shell piped or redirected standard input. Programs often start others with a socket as standard input that is never
 * closed; reading it would block forever.
 */
export function isPiped(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isFile();
  } catch {
    return false;
  }
}

/** Reads standard input up to the size limit. */
export async function readInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const waiting = setTimeout(
    () => process.stderr.write("antiphon: waiting for standard input; press Ctrl-D to end it\n"),
    patience,
  );
  try {
    for await (const chunk of process.stdin) {
      clearTimeout(waiting);
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > mostBytes) throw new CommandError(`standard input is larger than ${mostBytes / 1024 / 1024} MiB`);
    }
  } finally {
    clearTimeout(waiting);
  }
  return Buffer.concat(chunks);
}
