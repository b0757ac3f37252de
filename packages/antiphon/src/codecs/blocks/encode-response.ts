import { expand } from "../../core/expand.ts";
import type { ResponseResource } from "../../model/index.ts";
import type { BlockEvent } from "./block-events.ts";
import { createBlockEncoder } from "./encode-stream.ts";

/** Encodes a finished response as a block stream. */
export function encodeBlocks(response: ResponseResource): BlockEvent[] {
  const encoder = createBlockEncoder();
  return [...expand(response).flatMap((event) => encoder.push(event)), ...encoder.end()];
}
