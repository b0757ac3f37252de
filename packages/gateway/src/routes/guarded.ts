import type { Context } from "../context.ts";
import type { Exchange, Handler, Reply } from "../http/exchange.ts";
import { refuse, type Face } from "../http/faces.ts";
import { refuseOwnCalls } from "../http/own-calls.ts";
import type { Caller } from "../keys/gatekeeper.ts";
import { limitsTold } from "../keys/rate-headers.ts";
import { noteRefusal } from "../telemetry/note-refusal.ts";

/** What answers somebody who is known. */
export type CallerHandler = (exchange: Exchange, params: Readonly<Record<string, string>>, caller: Caller) => Promise<Reply>;

/** Lets in who has a key, and tells what goes wrong in the words of a face. */
export const guarded =
  (context: Context, face: Face, handler: CallerHandler): Handler =>
  async (exchange, params) => {
    try {
      refuseOwnCalls(exchange, context.worker);
      const caller = await context.gatekeeper.authenticate(exchange.headers);
      exchange.owner = caller.owner;
      return named(face, exchange, await handler(exchange, params, caller));
    } catch (thrown) {
      noteRefusal(context.telemetry, exchange.requestId, thrown);
      const reply = refuse(face, thrown);
      return named(face, exchange, { ...reply, headers: { ...limitsTold(thrown), ...reply.headers } });
    }
  };

/** Clients of Messages look for the id of a request under another name than those of OpenAI. */
const named = ({ wire }: Face, { requestId }: Exchange, reply: Reply): Reply =>
  wire === "messages" ? { ...reply, headers: { ...reply.headers, "request-id": requestId } } : reply;
