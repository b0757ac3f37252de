import { AntiphonError } from "antiphon";

/** What is said of a failure in the middle of a chat: what happened, and what can be done. */
export function failureText(error: unknown): string {
  if (error instanceof AntiphonError) return `${error.message}\n${error.advice}`;
  return error instanceof Error ? error.message : String(error);
}
