import { AntiphonError, type StopSignal } from "antiphon";

const firstPause = 100;
const longestPause = 5_000;

/** Whether the database itself failed, which may be over in a moment; what it refuses, it refuses the next time too. */
const isPassing = (thrown: unknown): boolean => thrown instanceof AntiphonError && thrown.vendorCode === "store_failed";

/** Does something with the store until it answers, or the signal fires; says whether an attempt failed of which nobody knows how far it came. */
export async function insist<T>(work: () => Promise<T>, signal: StopSignal): Promise<{ result: T; again: boolean }> {
  for (let pause = firstPause, again = false; ; pause = Math.min(2 * pause, longestPause), again = true) {
    try {
      return { result: await work(), again };
    } catch (thrown) {
      if (!isPassing(thrown) || signal.aborted) throw thrown;
      await wait(pause, signal);
    }
  }
}

const wait = (milliseconds: number, signal: StopSignal): Promise<void> =>
  new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, milliseconds);
    signal.addEventListener("abort", over);
  });
