import { LateBatches } from "../core/late-batches.ts";
import { batchesOf, fromBatches, type CallOptions, type Middleware, type Respond } from "../core/respond.ts";
import type { Loss } from "../core/loss.ts";
import type { CreateResponse, ResponseEvent } from "../model/index.ts";
import { modelInfo } from "../providers/catalogue.ts";
import { ReadAhead } from "./read-ahead.ts";
import { lossesIn, telling } from "./tell-losses.ts";

const path = "text.format";

/**
 * Asks in words for an answer that fits a schema where the model or its wire cannot be bound to one. A wire says so before anything
 * is sent, so this costs no request; what was left out is still told.
 */
export const formatFallback =
  (words: string, model: string | undefined): Middleware =>
  (next) =>
  (request, call) => {
    const name = request.model ?? model;
    if (name && modelInfo(name)?.schema === false) {
      const losses: Loss[] = [
        { path, reason: `The provider ${name} does not support JSON schemas; the schema was sent in the instructions.` },
      ];
      return telling(losses, next(inWords(request, words), call));
    }
    return fromBatches(() => new LateBatches(() => attempt(next, request, words, call)));
  };

const inWords = (request: CreateResponse, words: string): CreateResponse => ({
  ...request,
  instructions: request.instructions ? `${request.instructions}\n\n${words}` : words,
  text: { ...request.text, format: { type: "json_object" } },
});

/** The model's stream, or, where its first words are that it loses the form, that of one who was asked in words. */
async function attempt(
  next: Respond,
  request: CreateResponse,
  words: string,
  call: CallOptions | undefined,
): Promise<AsyncIterator<ResponseEvent[]>> {
  const batches = batchesOf(next(request, call));
  const first = await batches.next();
  if (first.done || !isUnsent(first.value) || !first.value.some(losesFormat)) return new ReadAhead([first], batches);
  await batches.return?.();
  return new ReadAhead([first], batchesOf(next(inWords(request, words), call)));
}

/** Nothing has been said yet but what is out of band. */
const isUnsent = (batch: readonly ResponseEvent[]): boolean => batch.every(({ type }) => type.includes(":"));

const losesFormat = (event: ResponseEvent): boolean => lossesIn(event).some((loss) => loss.path === path);
