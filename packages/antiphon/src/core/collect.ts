import { isTerminal } from "../model/guards.ts";
import type { ResponseResource } from "../model/index.ts";
import { fromCaller } from "./caller-stack.ts";
import { AntiphonError } from "./error.ts";
import { Reducer } from "./reduce.ts";
import { batchesOf, checkStream, type EventStream } from "./respond.ts";

/**
 * Reads a stream to its end and returns the response. Check `status` or `outcome(response)` for its ending.
 *
 * @example
 * const response = await collect(respond({ model: "gpt-5.2", input: "Hello" }));
 */
export function collect(stream: EventStream): Promise<ResponseResource> {
  return fromCaller(() => fold(stream));
}

async function fold(stream: EventStream): Promise<ResponseResource> {
  checkStream("collect", stream);
  const batches = batchesOf(stream);
  const reducer = new Reducer();
  for (;;) {
    const { done, value } = await batches.next();
    if (done) break;
    for (const event of value) {
      // A lawful terminal event carries the whole fold, so deltas need not be folded a second time.
      if (isTerminal(event)) return finish(batches, event.response);
      if (event.type === "response.created" || event.type === "response.queued" || event.type === "response.in_progress")
        reducer.push(event);
    }
  }
  if (reducer.base) return reducer.base;
  throw new AntiphonError("TRUNCATED", "The stream ended without any event.");
}

async function finish(batches: AsyncIterator<unknown>, response: ResponseResource): Promise<ResponseResource> {
  await batches.return?.();
  return response;
}
