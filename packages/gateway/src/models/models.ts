import type { ModelInfo, Respond, Usage } from "antiphon";
import type { Embeddings } from "antiphon/embeddings";

/** What a usage costs, in dollars; `undefined` where no price is known. */
export type CostOf = (usage: Usage) => number | undefined;

/** A wire on which an answer may pass through unread. */
export type RelayWire = "responses" | "chat" | "messages";

/**
 * A model that the gateway offers, and how it is reached. It is for one run: what it says of model, provider and cost is of the first
 * choice until it is asked, and then of the choice that answers.
 */
export interface ModelRoute {
  /** As clients call it. */
  readonly name: string;
  /** As its provider calls it, and who that is. */
  readonly model: string;
  readonly provider: string;
  /** Asks it: with its fallbacks, its weights and its parameters. The request's own `model` is not looked at. */
  readonly respond: Respond;
  /**
   * The same for a client that uses the provider's wire format: parts that only pass through arrive unparsed, as `antiphon:wire`
   * events. Undefined if the answer must be parsed, or if the model has several choices.
   */
  readonly relay?: { readonly wire: RelayWire; readonly respond: Respond };
  /** Whether it seals its thoughts when it is asked to, so that a later turn can go on from them. */
  readonly seals?: boolean;
  readonly cost: CostOf;
}

/** What may be said about one request for vectors. */
export interface EmbedRequest {
  dimensions?: number;
  user?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** A model for embeddings, for one request, as a `ModelRoute` is. */
export interface EmbeddingsRoute {
  readonly name: string;
  readonly model: string;
  readonly provider: string;
  embed(texts: readonly string[], request?: EmbedRequest): Promise<Embeddings>;
  readonly cost: CostOf;
}

/** Whether a model may be named to whoever asks. */
export type Visible = (model: string) => boolean;

/** All models that the gateway offers. */
export interface Models {
  /**
   * The route of a name; throws `INVALID_MODEL` (404, `model_not_found`) where there is none. Without a name, the default.
   *
   * @param visible Which names an error may tell of; all, where left out.
   */
  resolve(name: string | null | undefined, visible?: Visible): ModelRoute;
  /** The same for embeddings. */
  resolveEmbeddings(name: string | null | undefined, visible?: Visible): EmbeddingsRoute;
  list(): Promise<ModelInfo[]>;
}
