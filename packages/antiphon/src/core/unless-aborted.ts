import { AntiphonError } from "./error.ts";
import type { StopSignal } from "./stop.ts";

/** Settles as the promise does, or fails at once when the signal fires: what is waited for may not hear it. */
export async function unlessAborted<T>(waited: T | Promise<T>, signal: StopSignal | undefined): Promise<T> {
  if (!signal) return waited;
  let stop!: () => void;
  const aborted = new Promise<never>((_, reject) => (stop = () => reject(stopped(signal))));
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  return Promise.race([waited, aborted]).finally(() => signal.removeEventListener("abort", stop));
}

const stopped = ({ reason }: StopSignal): AntiphonError =>
  reason instanceof AntiphonError ? reason : new AntiphonError("ABORTED", "The caller cancelled the request.", { cause: reason });
