import { open, rm } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { AntiphonError } from "../core/error.ts";

/** Writes a stream of bytes to a file that must not exist yet. */
export async function saveFile(path: string, bytes: ReadableStream<Uint8Array>): Promise<void> {
  const file = await open(path, "wx");
  try {
    for await (const chunk of bytes) await file.writeFile(chunk);
  } catch (thrown) {
    // Half a file would pass for a whole one, and keep the whole one from being saved.
    await rm(path, { force: true });
    throw thrown;
  } finally {
    await file.close();
  }
}

/** A local file, by path or `file:` URL; no more than a byte over the limit is read of one that is too large. */
export async function readFile(place: string, maxBytes: number): Promise<{ bytes: Uint8Array<ArrayBuffer>; name: string }> {
  const path = place.startsWith("file:") ? fileURLToPath(place) : place;
  try {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const buffer = new Uint8Array(Math.min(size, maxBytes + 1));
      let length = 0;
      while (length < buffer.length) {
        const { bytesRead } = await file.read(buffer, length, buffer.length - length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return { bytes: buffer.subarray(0, length), name: basename(path) };
    } finally {
      await file.close();
    }
  } catch (thrown) {
    const missing = thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT";
    throw new AntiphonError(
      "BAD_REQUEST",
      missing ? `The file "${path}" does not exist.` : `The file "${path}" cannot be read.`,
      {
        cause: thrown,
      },
    );
  }
}
