import { AntiphonError, messageOf } from "../../core/error.ts";

const longest = 2_000;

/** An error as the model is told of it: its message, bounded; a stack is nobody else's business. */
export function wordsOf(thrown: unknown): string {
  const message = messageOf(thrown) || (thrown instanceof Error ? thrown.name : "The tool failed without an error message.");
  return `Error: ${message.length > longest ? `${message.slice(0, longest)}…` : message}`;
}

/** What a hook of the caller's gives; what it throws ends the run. */
export async function hook<T>(name: string, ask: () => T | Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (thrown) {
    throw hookFailure(name, thrown);
  }
}

const hookFailure = (name: string, thrown: unknown): AntiphonError =>
  thrown instanceof AntiphonError
    ? thrown
    : new AntiphonError("SERVER_ERROR", `\`${name}\` failed: ${messageOf(thrown)}`, {
        vendorCode: "hook_failed",
        cause: thrown,
      });
