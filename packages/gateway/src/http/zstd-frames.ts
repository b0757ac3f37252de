import { AntiphonError } from "antiphon";

const frameMagic = 0xfd2fb528;
const skippedMagic = 0x184d2a50;
/** The decoder goes one step deeper with every frame. */
const mostFrames = 100;
/** What RFC 9659 lets a sender on the web ask of whoever reads. */
const largestWindow = 8 * 1024 * 1024;
/** The decoder moves its whole window with every block: so many bytes in all take it less than a second. */
const mostMoved = 4 * 1024 ** 3;

/**
 * Refuses what would take the decoder much memory or time for few bytes: a frame says at its start how large a window it wants, and may
 * hold millions of blocks that give nothing. The blocks need not be unpacked to be counted.
 */
export function checkFrames(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let moved = 0;
  let frames = 0;
  for (let at = 0; at < view.byteLength; frames += 1) {
    if (frames === mostFrames) throw refused("has too many zstd frames");
    const magic = view.getUint32(at, true);
    if ((magic & ~0xf) >>> 0 === skippedMagic) {
      at += 8 + view.getUint32(at + 4, true);
      continue;
    }
    if (magic !== frameMagic) throw refused("is not valid zstd");
    const header = headerAt(view, at + 4);
    if (header.window > largestWindow) throw refused("requires a zstd window that is too large");
    const { blocks, end } = blocksAt(view, header.end);
    moved += blocks * header.window;
    if (moved > mostMoved) throw refused("has too many zstd blocks");
    at = end + (header.hasChecksum ? 4 : 0);
  }
}

interface Header {
  window: number;
  hasChecksum: boolean;
  end: number;
}

const dictionaryBytes = [0, 1, 2, 4];

function headerAt(view: DataView, start: number): Header {
  const flags = view.getUint8(start);
  // Where the window is the whole content, it is not named apart.
  const isWhole = (flags & 0x20) !== 0;
  const sizeFlag = flags >> 6;
  const sizeBytes = sizeFlag === 0 ? (isWhole ? 1 : 0) : 2 ** sizeFlag;
  const size = start + (isWhole ? 1 : 2) + dictionaryBytes[flags & 3]!;
  const window = isWhole ? sizeAt(view, size, sizeBytes) : windowOf(view.getUint8(start + 1));
  return { window, hasChecksum: (flags & 4) !== 0, end: size + sizeBytes };
}

const windowOf = (descriptor: number): number => 2 ** (10 + (descriptor >> 3)) * (1 + (descriptor & 7) / 8);

function sizeAt(view: DataView, at: number, bytes: number): number {
  if (bytes === 1) return view.getUint8(at);
  if (bytes === 2) return view.getUint16(at, true) + 256;
  return bytes === 4 ? view.getUint32(at, true) : Number(view.getBigUint64(at, true));
}

const repeated = 1;

function blocksAt(view: DataView, start: number): { blocks: number; end: number } {
  let at = start;
  for (let blocks = 1; ; blocks += 1) {
    const head = view.getUint8(at) | (view.getUint16(at + 1, true) << 8);
    at += 3 + (((head >> 1) & 3) === repeated ? 1 : head >> 3);
    if ((head & 1) === 1) return { blocks, end: at };
  }
}

const refused = (why: string): AntiphonError => new AntiphonError("BAD_REQUEST", `The body ${why}.`);
