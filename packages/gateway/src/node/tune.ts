import { setFlagsFromString } from "node:v8";

/**
 * Tunes V8 for a process that only serves. Call it before anything else.
 *
 * @example
 * tuneProcess();
 * const { url } = await startGateway();
 */
export function tuneProcess(): void {
  // V8 makes objects in old memory where those that were made in the same place before have lived long. Here that is decided by chance,
  // at the first collections, when all streams are under way: from then on each leaves behind what only a full collection clears away,
  // and that holds on to its bytes.
  setFlagsFromString("--no-allocation-site-pretenuring");
}
