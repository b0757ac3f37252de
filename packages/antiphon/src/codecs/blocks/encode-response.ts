import { expand } from "../../core/expand.ts";
import type { ResponseResource } from "../../model/index.ts";
import type { BlockEvent } from "./block-events.ts";
import { createBlockEncoder } from "./encode-stream.ts";

/** The block stream that tells a finished response. */
export function encodeBlocks(response: ResponseResource): BlockEvent[] {
  const encoder = createBlockEncoder();
  return [...expand(response).flatMap((event) => encoder.push(event)), ...encoder.end()];
}
