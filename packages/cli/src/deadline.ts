import { AntiphonError } from "antiphon";

// A longer timer would fire at once.
const longestTimer = 2 ** 31 - 1;

/** A signal that also fires when the time is up: for the whole of a run, tools and servers included. */
export function deadline(seconds: number | undefined, signal: AbortSignal): AbortSignal {
  if (!seconds) return signal;
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const expire = (): void =>
    controller.abort(new AntiphonError("TIMEOUT", `The answer took longer than ${seconds} s (\`timeout\`).`));
  setTimeout(expire, Math.min(seconds * 1000, longestTimer)).unref();
  return controller.signal;
}
