import { fstatSync } from "node:fs";
import { UsageError } from "./options.ts";

/** More text than any model takes. */
const mostBytes = 32 * 1024 * 1024;
const patience = 3_000;

/**
 * Whether something was piped or redirected here on purpose, as a shell does it. Programs that start other programs often leave them
 * a socket for standard input that nobody ever closes; waiting for that would be waiting for ever.
 */
export function isPiped(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isFile();
  } catch {
    return false;
  }
}

/** All that comes on standard input; one that does not end is not read to its end. */
export async function readInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const waiting = setTimeout(() => process.stderr.write("antiphon: waiting for standard input (end it with Ctrl-D)\n"), patience);
  try {
    for await (const chunk of process.stdin) {
      clearTimeout(waiting);
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > mostBytes) throw new UsageError(`standard input is larger than ${mostBytes / 1024 / 1024} MiB`);
    }
  } finally {
    clearTimeout(waiting);
  }
  return Buffer.concat(chunks);
}
