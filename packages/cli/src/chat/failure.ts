import { AntiphonError } from "antiphon";
import { adviceFor, messageOf } from "../failures.ts";

/** Describes an error in a chat: what happened and what the user can do. */
export function failureText(error: unknown): string {
  if (error instanceof AntiphonError) {
    if (error.code === "ABORTED") return "Cancelled.";
    return [messageOf(error), adviceFor(error)?.replaceAll(/ ?with --model\b/g, " with /model") ?? []].flat().join("\n");
  }
  return error instanceof Error ? error.message : String(error);
}

/** The same for a message that was not answered, with the command that sends it again. */
export const answerFailure = (error: unknown): string =>
  error instanceof AntiphonError && error.code !== "ABORTED"
    ? `${failureText(error).replace(/\nTry again\.$/, "")}\n/retry sends the message again.`
    : failureText(error);
