import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** Writes a stream of bytes to a file that must not exist yet. */
export const saveFile = async (path: string, bytes: ReadableStream<Uint8Array>): Promise<void> =>
  pipeline(Readable.fromWeb(bytes as Parameters<typeof Readable.fromWeb>[0]), createWriteStream(path, { flags: "wx" }));
