import { AntiphonError } from "antiphon";
import { withOwnKeys } from "../failures.ts";

/** Describes a failure during a chat: what happened and, if known, what the user can do. */
export function failureText(error: unknown): string {
  if (error instanceof AntiphonError) return [withOwnKeys(error.message), error.advice ?? []].flat().join("\n");
  return error instanceof Error ? error.message : String(error);
}
