import { AntiphonError } from "antiphon";
import { withOwnKeys } from "../failures.ts";

/** What is said of a failure in the middle of a chat: what happened, and what can be done. */
export function failureText(error: unknown): string {
  if (error instanceof AntiphonError) return `${withOwnKeys(error.message)}\n${error.advice}`;
  return error instanceof Error ? error.message : String(error);
}
