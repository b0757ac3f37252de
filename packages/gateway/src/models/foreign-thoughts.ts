import { fallback, lintItems, type CreateResponse, type InputItem, type Middleware } from "antiphon";

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
