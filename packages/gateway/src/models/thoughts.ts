import type { CreateResponse, InputItem, Middleware, Respond } from "antiphon";
import { lintItems } from "antiphon/conversation";
import { fallback } from "antiphon/middleware";

const isSealed = (item: InputItem): boolean => item.type === "reasoning" && Boolean(item.encrypted_content);

/**
 * Asks once more without sealed thoughts where a model refuses them: any turn of a history may have been another provider's, or another
 * account's, and only the maker can read what it sealed. Who the maker was, nobody knows of items that clients keep.
 */
export const withoutForeignThoughts: Middleware = (next) => {
  const again = fallback({
    models: [(request, call) => next(opened(request), call)],
    when: ({ code }) => code === "INVALID_ENCRYPTED_CONTENT",
  })(next);
  return (request, call) => (Array.isArray(request.input) && request.input.some(isSealed) ? again : next)(request, call);
};

/** What can be read of thoughts stays. A sealed compaction does too: without it the model would not know what was said. */
function opened(request: CreateResponse): CreateResponse {
  const items = Array.isArray(request.input) ? request.input : [];
  return { ...request, input: lintItems(items, { trust: (item) => (isSealed(item) ? "no-blobs" : "all") }).items };
}

const sealedThoughts = "reasoning.encrypted_content";

/** Whether somebody asks for sealed thoughts already. */
export const asksForThoughts = ({ include }: CreateResponse): boolean => include?.includes(sealedThoughts) ?? false;

/**
 * Has a model seal its thoughts: the gateway asks it to keep nothing, and without them a later turn would have to think anew. One that
 * refuses is asked again without.
 */
export const withSealedThoughts: Middleware = (next) => {
  const sealing: Respond = (request, call) => next({ ...request, include: [...(request.include ?? []), sealedThoughts] }, call);
  return fallback({ models: [next], when: ({ code, param }) => code === "BAD_REQUEST" && param === "include" })(sealing);
};
