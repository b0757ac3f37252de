import { batchesOf, fromBatches, type Middleware, type ResponseEvent } from "antiphon";

/** How every log of a background run begins: with the run's own events, before the model is asked. */
const openings: ReadonlySet<string> = new Set(["response.created", "response.queued", "response.in_progress"]);

/** Whether an event tells no more than that the run has begun: while only these were shown, it may begin again. */
export const isOpening = ({ type }: ResponseEvent): boolean => openings.has(type);

// They are for whoever watches the call itself, and have no number of their own.
const isOurs = ({ type }: ResponseEvent): boolean => type.startsWith("antiphon:");

/** Lets a model's answer go on where a log ends: without a second beginning, and numbered after what is there. */
export const continued =
  (from: number): Middleware =>
  (next) =>
  (request, call) =>
    fromBatches(() => {
      const batches = batchesOf(next(request, call));
      let number = from;
      const numbered = (event: ResponseEvent): ResponseEvent => ({ ...event, sequence_number: number++ });
      return {
        next: async () => {
          for (;;) {
            const { done, value } = await batches.next();
            if (done) return { done, value };
            const events = value.filter((event) => !isOpening(event) && !isOurs(event));
            if (events.length > 0) return { done: false, value: events.map(numbered) };
          }
        },
        return: async () => {
          await batches.return?.();
          return { done: true, value: undefined };
        },
      };
    });
