/**
 * What a piece of work tells on the way, and then what came of it. The signal fires when the one outside does, and when the
 * generator is left.
 */
export async function* withProgress<Progress, Result>(
  outer: AbortSignal,
  start: (tell: (progress: Progress) => void, signal: AbortSignal) => Promise<Result>,
): AsyncGenerator<Progress, Result> {
  const controller = new AbortController();
  const stop = (): void => controller.abort(outer.reason);
  outer.addEventListener("abort", stop);
  if (outer.aborted) stop();
  const told: Progress[] = [];
  const state = { running: true, wake: (): void => {} };
  const tell = (progress: Progress): void => {
    told.push(progress);
    state.wake();
  };
  const result = start(tell, controller.signal).finally(() => {
    state.running = false;
    state.wake();
  });
  // It is awaited below; until then a failure is nobody's oversight.
  result.catch(() => {});
  try {
    while (state.running || told.length > 0) {
      if (told.length === 0) await new Promise<void>((resolve) => (state.wake = resolve));
      yield* told.splice(0);
    }
    return await result;
  } finally {
    outer.removeEventListener("abort", stop);
    controller.abort();
  }
}
