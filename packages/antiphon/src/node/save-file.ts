import { createReadStream, createWriteStream } from "node:fs";
import { basename } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { AntiphonError } from "../core/error.ts";

/** Writes a stream of bytes to a file that must not exist yet. */
export const saveFile = async (path: string, bytes: ReadableStream<Uint8Array>): Promise<void> =>
  pipeline(Readable.fromWeb(bytes as Parameters<typeof Readable.fromWeb>[0]), createWriteStream(path, { flags: "wx" }));

/** A local file, by path or `file:` URL; no more than a byte over the limit is read of one that is too large. */
export async function readFile(place: string, maxBytes: number): Promise<{ bytes: Uint8Array<ArrayBuffer>; name: string }> {
  const path = place.startsWith("file:") ? fileURLToPath(place) : place;
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of createReadStream(path, { end: maxBytes })) chunks.push(chunk as Uint8Array);
  } catch (thrown) {
    const why =
      thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT" ? "There is no such file" : "It cannot be read";
    throw new AntiphonError("BAD_REQUEST", `${why}: ${path}`, { cause: thrown });
  }
  return { bytes: new Uint8Array(Buffer.concat(chunks)), name: basename(path) };
}
