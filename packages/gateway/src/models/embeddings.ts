import { AntiphonError, errorCodes } from "antiphon";
import { embedder, type Embeddings } from "antiphon/embeddings";
import type { Choice, Drawn } from "./choices.ts";
import { costOf, type Prices } from "./costs.ts";
import type { EmbedRequest, EmbeddingsRoute } from "./models.ts";

/** How embeddings are asked for. */
export interface EmbedOptions extends Pick<Parameters<typeof embedder>[1] & object, "fetch" | "transport"> {
  prices: Prices;
}

/**
 * The route of a choice for embeddings. Only the same model elsewhere stands in for one that fails: the vectors of two models have
 * nothing to do with each other.
 */
export function embeddingsRoute(name: string, choice: Choice, { prices, fetch, transport }: EmbedOptions): EmbeddingsRoute {
  const [first, ...rest] = choice.draw({}).filter(({ target }) => target.embeddingModel !== undefined);
  if (!first)
    throw new AntiphonError("INVALID_MODEL", `The model ${name} cannot create embeddings.`, { status: 404, param: "model" });
  const model = first.target.embeddingModel ?? "";
  const choices = [first, ...rest.filter(({ target }) => target.embeddingModel === model)];
  let answering = first;
  return {
    name,
    model,
    get provider() {
      return answering.target.source.name;
    },
    async embed(texts, request = {}) {
      for (const drawn of choices) {
        answering = drawn;
        try {
          return await embedAt(drawn, model, texts, request, { fetch, transport });
        } catch (thrown) {
          if (drawn === choices.at(-1) || request.signal?.aborted || !isElsewhereBetter(thrown))
            throw drawn.target.source.discretion.error(thrown);
        }
      }
      throw new AntiphonError("SERVER_ERROR", "No provider was called.");
    },
    cost: (usage) => costOf(answering, model, usage, prices),
  };
}

function embedAt(
  { target, timeouts, retries, hasty }: Drawn,
  model: string,
  texts: readonly string[],
  { signal, ...request }: EmbedRequest,
  options: Omit<EmbedOptions, "prices">,
): Promise<Embeddings> {
  const tries = retries ?? (hasty ? 0 : undefined);
  const embed = embedder(target.source.provider, { ...options, ...request, model, timeouts, retry: { retries: tries } });
  return embed.documents(texts, { signal });
}

/** Whether another server may do better with the same request. */
const isElsewhereBetter = (thrown: unknown): boolean =>
  thrown instanceof AntiphonError &&
  (errorCodes[thrown.code].retry ||
    ["AUTH_ERROR", "PERMISSION", "QUOTA_EXCEEDED", "TIMEOUT", "INVALID_MODEL", "NOT_FOUND"].includes(thrown.code));
