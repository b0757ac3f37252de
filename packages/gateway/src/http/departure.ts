/** Tells that a client is gone. As much of an `AbortSignal` as is needed: a real one is dear, and every request has one. */
export interface Departure {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** A real signal, for those who want one. */
export function signalOf(departure: Departure): AbortSignal {
  const controller = new AbortController();
  if (departure.aborted) controller.abort();
  else departure.addEventListener("abort", () => controller.abort());
  return controller.signal;
}
