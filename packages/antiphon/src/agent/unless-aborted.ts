import { abortError } from "../transport/connection-error.ts";

/** Settles as the promise does, or at once when the signal fires: what is waited for may ignore it. */
export async function unlessAborted<T>(promise: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  let stop!: () => void;
  const aborted = new Promise<never>((_, reject) => (stop = () => reject(abortError(signal.reason))));
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", stop));
}
