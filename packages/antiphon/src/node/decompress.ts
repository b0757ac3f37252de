import type { Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { AntiphonError } from "../core/error.ts";

const decoders: ReadonlyMap<string, () => Transform> = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/** The plain bytes of a body that its server compressed although nobody asked for it. */
export function decompress(body: Readable, encoding: string): Readable {
  const create = decoders.get(encoding.trim().toLowerCase());
  if (!create)
    throw new AntiphonError("PROTOCOL", `The server sent a body with the encoding "${encoding}", which is not supported.`);
  return body.pipe(create());
}
