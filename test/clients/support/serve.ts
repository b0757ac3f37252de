import type { CreateResponse, Respond } from "antiphon";
import { offline } from "antiphon/testing";
import { createHandler, type Handler } from "../handler.ts";

/** A server without a socket, and what its model saw. */
export interface Served {
  fetch: typeof fetch;
  handler: Handler;
  /** What the model was asked, oldest first. */
  asked: CreateResponse[];
  /** Resolves when a call of the model is stopped. */
  stopped: Promise<void>;
}

/** Puts a model, by default the offline one, behind a `fetch`. */
export function serve(model: Respond = offline()): Served {
  const asked: CreateResponse[] = [];
  let stop = (): void => undefined;
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  const handler = createHandler((request, options) => {
    asked.push(request);
    options?.signal?.addEventListener("abort", () => stop());
    return model(request, options);
  });
  return { fetch: fetchFrom(handler), handler, asked, stopped };
}

/** A `fetch` whose signal acts as the web's does: before the answer it rejects, after it the body breaks. */
const fetchFrom =
  (handler: Handler): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init);
    const { signal } = request;
    const left = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    signal.throwIfAborted();
    const response = await Promise.race([handler(request), left]);
    left.catch(() => undefined);
    return new Response(response.body?.pipeThrough(new TransformStream(), { signal }) ?? null, response);
  };

/** Everything that a stream gives. */
export async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of stream) values.push(value);
  return values;
}
