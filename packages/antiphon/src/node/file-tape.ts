import { link, mkdir, readdir, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkArgument } from "../core/options.ts";
import type { Exchange, Tape } from "../testing/tape.ts";

/**
 * Creates a tape in a directory: one JSON file for each exchange, in the order of their names. A file appears whole
 * or not at all, also when several processes write.
 *
 * @example
 * const transport = record(createHttpTransport(), fileTape("test/tapes/weather"));
 */
export function fileTape(directory: string): Tape {
  checkArgument("fileTape", "the path of a directory", typeof directory === "string" && directory !== "", directory);
  let last: Promise<unknown> = Promise.resolve();
  return {
    load: async () => Promise.all((await namesIn(directory)).map((name) => readExchange(join(directory, name)))),
    append: (exchange) => {
      // One after the other, so that numbers follow the order of the calls.
      const done = last.then(() => write(directory, exchange));
      last = done.catch(() => {});
      return done;
    },
  };
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter((name) => /^\d+.*\.json$/.test(name)).toSorted(byNumber);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

const byNumber = (a: string, b: string): number => Number.parseInt(a, 10) - Number.parseInt(b, 10) || (a < b ? -1 : 1);

/** The exchange as a file shows it: a body of several lines as a list of them. */
const toFile = (exchange: Exchange): string =>
  `${JSON.stringify(exchange, (key, value: unknown) => (key === "body" && typeof value === "string" && value.includes("\n") ? value.split("\n") : value), 2)}\n`;

async function readExchange(path: string): Promise<Exchange> {
  const parsed: unknown = JSON.parse(await readFile(path, "utf8"), (key, value: unknown) =>
    key === "body" && Array.isArray(value) ? value.join("\n") : value,
  );
  // The file is one that `append` wrote, or one that somebody edited and answers for.
  return parsed as Exchange;
}

async function write(directory: string, exchange: Exchange): Promise<void> {
  await mkdir(directory, { recursive: true });
  const draft = join(directory, `.draft-${process.pid}-${Math.random().toString(36).slice(2)}`);
  await writeFile(draft, toFile(exchange));
  try {
    await publish(draft, directory, exchange);
  } finally {
    await unlink(draft);
  }
}

/** Gives the draft the next free number; `link` fails where another process was faster. */
async function publish(draft: string, directory: string, { request }: Exchange): Promise<void> {
  const highest = Number.parseInt((await namesIn(directory)).at(-1) ?? "0", 10);
  const about = `${request.method} ${new URL(request.url, "http://localhost").pathname}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/-$/, "");
  for (let number = highest + 1; ; number += 1) {
    try {
      return await link(draft, join(directory, `${String(number).padStart(4, "0")}-${about.slice(0, 60)}.json`));
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
  }
}
