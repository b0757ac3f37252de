import type { Ctx } from "../../src/codecs/codec.ts";
import type { CreateResponse } from "../../src/model/index.ts";

/** A context whose ids count up and whose clock stands still. */
export function testCtx(request: CreateResponse = { model: "test-model", input: "Hello" }): Ctx {
  let ids = 0;
  return { request, newId: (prefix) => `${prefix}_${++ids}`, now: () => 1_700_000_000 };
}
