import { AntiphonError } from "antiphon";

/** Describes a failure during a chat: what happened and, if known, what the user can do. */
export function failureText(error: unknown): string {
  if (error instanceof AntiphonError) return error.advice ? `${error.message}\n${error.advice}` : error.message;
  return error instanceof Error ? error.message : String(error);
}
