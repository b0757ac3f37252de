import { reduce } from "../../core/reduce.ts";
import type { ResponseResource } from "../../model/index.ts";
import type { Ctx } from "../codec.ts";
import { createBlockDecoder } from "./decode-stream.ts";

/** Decodes a whole block stream into a response. A stream that was cut off fails as `truncated`. */
export function decodeBlocks(ctx: Ctx, blocks: Iterable<unknown>): ResponseResource {
  const decoder = createBlockDecoder(ctx);
  return reduce([...[...blocks].flatMap((block) => decoder.push(block)), ...decoder.end()]);
}
