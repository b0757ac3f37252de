import type { JsonObject } from "../../model/guards.ts";
import type { Ctx, Relay } from "../codec.ts";
import { TailRelay } from "../shared/tail-relay.ts";
import { isRenamed } from "../shared/tool-names.ts";
import { errorIn } from "./decode-error.ts";
import { StreamDecoder } from "./decode-stream.ts";
import type { MessagesDialect } from "./dialect.ts";
import { toolNames } from "./tool-names.ts";
import { answerTool } from "./typed-output.ts";

/** Passes events on as they came, unless the server was told of other tools than the client has. */
export function createRelay(ctx: Ctx, dialect: MessagesDialect): Relay | undefined {
  if (answerTool(ctx.request, dialect) || toolNames(ctx.request).declared.some(isRenamed)) return undefined;
  return new TailRelay({
    decoder: new StreamDecoder(ctx, dialect),
    errorIn,
    tells: (frame) => !frame.startsWith("event: content_block_"),
    bare: withoutContent,
    last: "event: message_stop",
    hidden: ["event: error"],
  });
}

const content: ReadonlySet<unknown> = new Set(["content_block_start", "content_block_delta", "content_block_stop"]);

const withoutContent = (event: JsonObject): JsonObject | undefined => (content.has(event["type"]) ? undefined : event);
