import { expect, vi } from "vitest";
import { batchesOf, fromBatches, type EventStream, type Respond } from "../../src/core/respond.ts";
import type { ResponseEvent } from "../../src/model/index.ts";

/** All events of a stream. */
export async function eventsOf(stream: EventStream): Promise<ResponseEvent[]> {
  const events: ResponseEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** The events of one type. */
export const ofType = (events: readonly ResponseEvent[], type: string): { [field: string]: unknown }[] =>
  events.filter((event) => event.type === type).map((event) => ({ ...event }));

/** A model whose streams say whether they were begun and closed. */
export interface Watched {
  respond: Respond;
  opened: number;
  closed: number;
}

/** A model that counts how often it is asked and left. */
export function watched(model: Respond): Watched {
  const counts: Watched = { respond: model, opened: 0, closed: 0 };
  counts.respond = (request, call) =>
    fromBatches(() => {
      counts.opened += 1;
      const inner = batchesOf(model(request, call));
      let over = false;
      const close = (): void => {
        if (!over) counts.closed += 1;
        over = true;
      };
      return {
        next: async () => {
          const result = await inner.next();
          if (result.done) close();
          return result;
        },
        return: async () => {
          close();
          await inner.return?.();
          return { done: true, value: undefined };
        },
      };
    });
  return counts;
}

/** A model that answers only when told to, and never by itself. */
export function held(model: Respond): { respond: Respond; release(): void; waiting(): number; reached(): Promise<void> } {
  let gates: (() => void)[] = [];
  return {
    respond: (request, call) =>
      fromBatches(() => {
        const inner = batchesOf(model(request, call));
        let passed = false;
        return {
          next: async () => {
            if (!passed) await new Promise<void>((resolve) => gates.push(resolve));
            passed = true;
            return inner.next();
          },
          return: async () => (await inner.return?.()) ?? { done: true, value: undefined },
        };
      }),
    reached: () => vi.waitFor(() => expect(gates.length).toBeGreaterThan(0)).then(settled),
    release: () => {
      gates.forEach((open) => open());
      gates = [];
    },
    waiting: () => gates.length,
  };
}

/** A clock that stands still until it is moved; whoever sleeps wakes when it has passed. */
export function clock(): {
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  pass(ms: number): Promise<void>;
} {
  let time = 0;
  const sleepers = new Set<{ at: number; wake(): void }>();
  return {
    now: () => time,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const sleeper = {
          at: time + ms,
          wake: () => {
            sleepers.delete(sleeper);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", sleeper.wake, { once: true });
      }),
    pass: async (ms) => {
      const end = time + ms;
      for (;;) {
        const next = [...sleepers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
        if (!next) break;
        time = next.at;
        next.wake();
        await settled();
      }
      time = end;
      await settled();
    },
  };
}

/** Resolves when everything that could go on has gone on. */
export const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
