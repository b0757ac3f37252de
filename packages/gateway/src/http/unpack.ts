import { AntiphonError } from "antiphon";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { checkFrames } from "./zstd-frames.ts";

type Unpack = (bytes: Uint8Array, maxBytes: number) => Promise<Uint8Array>;

const zlib =
  (method: typeof gunzip): Unpack =>
  (bytes, maxOutputLength) =>
    promisify<Uint8Array, { maxOutputLength: number }, Uint8Array>(method as never)(bytes, { maxOutputLength });

/** Codex packs its bodies with zstd, which Node 20 cannot read. The decoder gives its output in pieces, so that a bomb is found out early. */
const zstd: Unpack = async (bytes, maxBytes) => {
  checkFrames(bytes);
  const { Decompress } = await import("fzstd");
  const pieces: Uint8Array[] = [];
  let length = 0;
  const stream = new Decompress((piece) => {
    length += piece.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    pieces.push(piece);
  });
  stream.push(bytes, true);
  return Buffer.concat(pieces);
};

const unpackers: Readonly<Record<string, Unpack>> = {
  gzip: zlib(gunzip),
  "x-gzip": zlib(gunzip),
  deflate: zlib(inflate),
  br: zlib(brotliDecompress),
  zstd,
};

/** What is said of a body that is larger than allowed. */
export const tooLarge = (maxBytes: number): AntiphonError =>
  new AntiphonError("BAD_REQUEST", `The body is larger than ${maxBytes} bytes.`, { status: 413 });

/** A body as it was before it was packed. */
export async function unpack(bytes: Uint8Array, encoding: string | null, maxBytes: number): Promise<Uint8Array> {
  const name = encoding?.trim().toLowerCase() ?? "identity";
  if (name === "identity" || name === "") return bytes;
  const unpacker = Object.hasOwn(unpackers, name) ? unpackers[name] : undefined;
  if (!unpacker)
    throw new AntiphonError("UNSUPPORTED", "Unsupported `content-encoding`. Use gzip, deflate, br, zstd or none.", {
      status: 415,
    });
  try {
    return await unpacker(bytes, maxBytes);
  } catch (cause) {
    if (cause instanceof AntiphonError) throw cause;
    if ((cause as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(maxBytes);
    throw new AntiphonError("BAD_REQUEST", `The body is not valid ${name}.`, { cause });
  }
}
