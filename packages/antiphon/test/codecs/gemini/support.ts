import type { Ctx } from "../../../src/codecs/codec.ts";
import type { CreateResponse } from "../../../src/model/index.ts";
import { testCtx } from "../../support/ctx.ts";

/** A context of a request to a model that thinks by levels. */
export const ctxFor = (request: CreateResponse): Ctx => testCtx({ model: "gemini-3-flash-preview", input: "Hello", ...request });
