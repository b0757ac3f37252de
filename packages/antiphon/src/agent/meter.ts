import { batchesOf, fromBatches, type EventStream, type Middleware } from "../core/respond.ts";
import { addUsage, cost, noUsage } from "../core/usage.ts";
import { isTerminal } from "../model/guards.ts";
import type { ResponseEvent, ResponseResource, Usage } from "../model/index.ts";
import type { PriceLookup } from "../providers/prices.ts";

/** Counts what requests took. */
export class Meter {
  /** Requests that were sent. */
  requests = 0;
  /** Responses that came to an end. */
  steps = 0;
  usage: Usage = noUsage;
  /** What it cost, as long as the price of all of it is known. */
  cost: number | undefined = 0;

  add(usage: Usage | null, price: number | undefined): void {
    this.steps += 1;
    if (usage) this.usage = addUsage(this.usage, usage);
    this.cost = this.cost === undefined || price === undefined ? undefined : this.cost + price;
  }
}

/** What a meter's reader wants to know about the model. */
interface Priced {
  provider?: string;
  prices?: PriceLookup;
}

/** Counts every request that passes. It belongs next to the model, so that what a cache answers costs nothing. */
export const metered =
  (meters: readonly Meter[], priced: Priced): Middleware =>
  (next) =>
  (request, call) => {
    for (const meter of meters) meter.requests += 1;
    return tap(next(request, call), (batch) => {
      const last = batch.at(-1);
      if (!last || !isTerminal(last)) return;
      const price = priceOf(last.response, priced);
      for (const meter of meters) meter.add(last.response.usage, price);
    });
  };

function priceOf({ model, usage }: ResponseResource, { provider, prices }: Priced): number | undefined {
  const price = provider === undefined || !usage ? undefined : prices?.(provider, model, usage.input_tokens);
  return price && usage ? cost(usage, price) : undefined;
}

/** The same stream; each batch is shown on its way. What `see` throws ends it. */
export const tap = (stream: EventStream, see: (batch: readonly ResponseEvent[]) => void): EventStream =>
  fromBatches(() => {
    const inner = batchesOf(stream);
    return {
      next: async () => {
        const result = await inner.next();
        try {
          if (!result.done) see(result.value);
          return result;
        } catch (thrown) {
          await inner.return?.();
          throw thrown;
        }
      },
      return: async () => {
        await inner.return?.();
        return { done: true, value: undefined };
      },
    };
  });
