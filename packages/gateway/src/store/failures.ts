import { AntiphonError } from "antiphon";

/** The id of something new is in use. */
export const taken = (what: string, id: string): AntiphonError =>
  new AntiphonError("BAD_REQUEST", `A ${what} with the id ${id} already exists.`, { vendorCode: "id_taken" });

/** A chain is longer or larger than may be read at once. */
export const chainTooLong = (id: string): AntiphonError =>
  new AntiphonError(
    "BAD_REQUEST",
    `The chain of responses that ends with ${id} is too long. Start a new one with a summary of it.`,
    {
      status: 400,
      param: "previous_response_id",
      vendorCode: "chain_too_long",
    },
  );

/** A conversation takes no more items. */
export const conversationFull = (id: string): AntiphonError =>
  new AntiphonError("BAD_REQUEST", `Conversation ${id} is full. Start a new one with a summary of it.`, {
    status: 400,
    param: "conversation",
    vendorCode: "conversation_full",
  });

/** The event log of a response takes no more. */
export const logFull = (id: string): AntiphonError =>
  new AntiphonError("SERVER_ERROR", `Response ${id} has more events than the store accepts.`, { vendorCode: "event_log_full" });

/** A page was to begin after an item that is not there. */
export const noSuchItem = (after: string): AntiphonError =>
  new AntiphonError("BAD_REQUEST", `\`after\` must be the id of an item in this list, not ${after.slice(0, 100)}.`, {
    status: 400,
    param: "after",
  });

/** The database itself failed. */
export function storeFailed(thrown: unknown): AntiphonError {
  if (thrown instanceof AntiphonError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new AntiphonError("SERVER_ERROR", `The store failed: ${message}`, { cause: thrown, vendorCode: "store_failed" });
}

/** The store was closed. */
export const storeClosed = (): AntiphonError =>
  new AntiphonError("SERVER_ERROR", "The store is closed.", { vendorCode: "store_closed" });

/** The database was written by a newer version. */
export const tooNew = (what: string, found: number, known: number): AntiphonError =>
  new AntiphonError(
    "UNSUPPORTED",
    `${what} has the schema version ${found}, but this gateway only supports versions up to ${known}. Use a newer version of the gateway.`,
    { vendorCode: "store_too_new" },
  );
