import { AntiphonError, type ResponseResource } from "antiphon";
import type { StoredResponse } from "../store/store.ts";
import { isFinal } from "../store/texts.ts";
import { LogFold } from "./log-fold.ts";
import type { RunContext } from "./run-context.ts";

/** How often the log may have moved on before one gives up: its writer takes a pause after every batch. */
const mostTries = 100;

type Reader = Pick<RunContext, "store" | "newId" | "now">;

/**
 * Ends a response from outside of its run, with all that its log holds; where `worker` is named, only while that one holds it. Gives what
 * stands then, which is not final where somebody else is at work on it. The reason `ABORTED` makes it `cancelled`, any other `failed`.
 */
export async function conclude(
  context: Reader,
  stored: StoredResponse,
  reason: AntiphonError,
  worker?: string,
): Promise<ResponseResource | undefined> {
  const { store } = context;
  const held = worker === undefined ? {} : { worker };
  if (!stored.background) return store.updateResponse(stored.id, failed(stored.response, reason), held);
  let stands: ResponseResource | undefined;
  const log = new LogFold(context, stored);
  for (let tries = 0; tries < mostTries; tries += 1) {
    const isNew = await log.read();
    if (tries > 0 && !isNew) break;
    const { events, response } = log.ending(reason);
    stands = await store.updateResponse(stored.id, response, { ...held, events });
    if (!stands || isFinal(stands.status)) break;
  }
  return stands;
}

const failed = (response: ResponseResource, { code, vendorCode, message }: AntiphonError): ResponseResource => ({
  ...response,
  status: "failed",
  error: { code: vendorCode ?? code.toLowerCase(), message },
});

/** Whoever worked on a run is gone, and what it has shown cannot be taken back. */
export const interrupted = (): AntiphonError =>
  new AntiphonError(
    "SERVER_ERROR",
    "The run was interrupted after output had started, so it cannot be resumed. Send the request again.",
    {
      vendorCode: "interrupted",
    },
  );

export const cancelled = (): AntiphonError => new AntiphonError("ABORTED", "The response was cancelled.");
