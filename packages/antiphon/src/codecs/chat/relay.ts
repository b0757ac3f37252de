import type { JsonObject } from "../../model/guards.ts";
import { isObject } from "../../model/guards.ts";
import type { Ctx, Relay } from "../codec.ts";
import { TailRelay } from "../shared/tail-relay.ts";
import { isRenamed, type DeclaredTool } from "../shared/tool-names.ts";
import { errorIn } from "./decode-error.ts";
import { includeUsage, type UsageAsked } from "./decode-request.ts";
import { StreamDecoder } from "./decode-stream.ts";
import type { ChatDialect } from "./dialect.ts";
import { toolSet } from "./tools.ts";

/** Passes chunks on as they came, unless the server was told of other tools than the client has. */
export function createRelay(ctx: Ctx, dialect: ChatDialect): Relay | undefined {
  const { names, answer } = toolSet(ctx.request, dialect);
  if (answer !== undefined || names.declared.some((tool) => isRenamed(tool) || (isCustom(tool) && !dialect.customTools)))
    return undefined;
  const asked = (ctx.request as UsageAsked)[includeUsage] === true;
  return new TailRelay({
    decoder: new StreamDecoder(ctx, dialect),
    errorIn,
    tells: (frame) => !(frame.includes('"finish_reason":null') && frame.includes('"usage":null') && !frame.includes('"error"')),
    bare: withoutContent,
    last: "data: [DONE]",
    hidden: ["data: [DONE]", 'data: {"error"', 'data: {"object":"error"', "event: error"],
    ...(asked ? {} : { unasked: isUsage }),
  });
}

const isCustom = ({ kind }: DeclaredTool): boolean => kind === "custom";

/** A chunk without what its choice says; a stream begins with its first chunk, also where that has no choice yet. */
function withoutContent(chunk: JsonObject): JsonObject {
  const choices = Array.isArray(chunk["choices"]) ? chunk["choices"].filter(isObject) : [];
  return { ...chunk, choices: choices.length > 0 ? choices.map(({ delta: _, ...choice }) => choice) : [{ index: 0 }] };
}

const empty = /"choices": ?\[\]/;
const counted = /"usage": ?\{/;

/** We always ask for the usage, for our own books; to clients that did not, a chunk without a choice comes as a surprise. */
const isUsage = (frame: string): boolean => empty.test(frame) && counted.test(frame);
