import { RawPieces } from "../../core/raw-pieces.ts";
import { textEnd } from "../shared/text-end.ts";
import { Words } from "../shared/words.ts";

/** Frames that tell pieces of the text of one block, one behind the other. */
export interface TextFrames {
  /** The block's. */
  index: number;
  pieces: RawPieces;
  /** Where the last of them ends. */
  end: number;
}

const encoder = new TextEncoder();
const before = new Words(encoder.encode('event: content_block_delta\ndata: {"type":"content_block_delta","index":'));
const between = new Words(encoder.encode(',"delta":{"type":"text_delta","text":"'));

const [lf, space, quote, zero, nine, brace] = [10, 32, 34, 48, 57, 125];
/** No answer has more blocks. */
const mostBlocks = 1_000_000;

/**
 * Finds the frames at a position that tell text and nothing else, written as the wire's own servers write them, blanks at their end
 * included. One alone is none: it is read as quickly in the usual way. `view` is of `bytes`.
 */
export function findTextFrames(bytes: Uint8Array, view: DataView, from: number): TextFrames | undefined {
  if (!before.isAt(view, from)) return undefined;
  let at = from + before.length;
  let index = 0;
  for (let code = bytes[at]!; code >= zero && code <= nine; code = bytes[++at]!) index = index * 10 + code - zero;
  if (index > mostBlocks || !between.isAt(view, at)) return undefined;
  const head = new Words(bytes.subarray(from, at + between.length));
  const places: number[] = [];
  let end = from;
  while (head.isAt(view, end)) {
    const start = end + head.length;
    const close = textEnd(bytes, start);
    const next = frameEnd(bytes, close);
    // An empty piece says nothing.
    if (next === -1 || close === start) break;
    places.push(start, close);
    end = next;
  }
  return places.length > 2 ? { index, pieces: new RawPieces(bytes, places), end } : undefined;
}

/** Where the frame ends whose text ends at a position; -1 where more stands behind the text than belongs there. */
function frameEnd(bytes: Uint8Array, close: number): number {
  if (bytes[close] !== quote || bytes[close + 1] !== brace) return -1;
  let at = close + 2;
  while (bytes[at] === space) at += 1;
  return bytes[at] === brace && bytes[at + 1] === lf && bytes[at + 2] === lf ? at + 3 : -1;
}
