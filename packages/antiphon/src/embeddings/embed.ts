import { fromCaller } from "../core/caller-stack.ts";
import { AntiphonError } from "../core/error.ts";
import { anyText, checkArgument, checkOptions, func, limit, object, signal, whole, type Rules } from "../core/options.ts";
import { isObject } from "../model/guards.ts";
import type { Usage } from "../model/index.ts";
import { modelKind } from "../providers/catalogue.ts";
import { provider, type Provider, type ProviderOptions } from "../providers/registry.ts";
import { fetchJsonRules } from "../transport/connect-rules.ts";
import type { FetchJsonOptions } from "../transport/fetch-json.ts";
import type { EmbeddingTask } from "./embedding-wires.ts";

/** How texts are embedded. */
export interface EmbedderOptions extends Omit<FetchJsonOptions, "method" | "body" | "signal"> {
  /** The model; the provider's own choice where left out. */
  model?: string;
  /** The length of the vectors, where the model lets one choose. */
  dimensions?: number;
  /** Texts in a request; 512 where neither this nor the provider says otherwise. */
  batchSize?: number;
  /** Requests at the same time; 4 where nothing is said. */
  concurrency?: number;
  /** The end user, for the provider's abuse checks. */
  user?: string;
  /** For a provider that is given by name. */
  provider?: ProviderOptions;
}

const embedderRules: Rules<EmbedderOptions> = {
  fetch: fetchJsonRules.fetch,
  transport: fetchJsonRules.transport,
  headers: fetchJsonRules.headers,
  timeouts: fetchJsonRules.timeouts,
  retry: fetchJsonRules.retry,
  model: anyText,
  dimensions: whole(1),
  batchSize: limit(1),
  concurrency: limit(1),
  user: anyText,
  provider: object,
};

/** How far the work is. */
export interface EmbedProgress {
  done: number;
  total: number;
}

/** What one call may say. */
export interface EmbedCall {
  signal?: AbortSignal;
  onProgress?(progress: EmbedProgress): void;
}

const embedCallRules: Rules<EmbedCall> = { signal, onProgress: func };

const areTexts = (texts: unknown): boolean => Array.isArray(texts) && texts.every((text) => typeof text === "string");

/** A vector for each text, in their order, and what it took. */
export interface Embeddings {
  vectors: Float32Array[];
  usage: Usage;
  model: string;
}

/** Turns texts into vectors. */
export interface Embedder {
  readonly model: string;
  /** Embeds a question, as some models do differently from documents. */
  query(text: string, call?: EmbedCall): Promise<{ vector: Float32Array; usage: Usage; model: string }>;
  /** Embeds any number of texts, in batches. */
  documents(texts: readonly string[], call?: EmbedCall): Promise<Embeddings>;
}

/**
 * Creates an embedder from a provider.
 *
 * @example
 * const embed = embedder("offline");
 * const { vectors } = await embed.documents(["The cat sat on the mat.", "Stocks fell today."]);
 * const { vector } = await embed.query("Where is the cat?");
 * const [best] = topK(vector, vectors, 1);
 */
export function embedder(which: string | Provider, options: EmbedderOptions = {}): Embedder {
  checkOptions("embedder", options, embedderRules);
  checkArgument("embedder", "a provider or its name", typeof which === "string" || isObject(which), which);
  const source = typeof which === "string" ? provider(which, options.provider) : which;
  const model = options.model ?? chosenModel(which, source);
  const embed = async (texts: readonly string[], task: EmbeddingTask, call: EmbedCall = {}): Promise<Embeddings> => {
    checkArgument("embedder", "a text, or a list of texts", areTexts(texts), texts);
    checkOptions("embedder", call, embedCallRules);
    // Loaded on first use: few programs embed anything.
    const { embedAll } = await import("./embed-all.ts");
    return embedAll({ source, model, options }, texts, task, call);
  };
  return {
    model,
    documents: (texts, call) => fromCaller(() => embed(texts, "document", call)),
    query: (text, call) =>
      fromCaller(async () => {
        const { vectors, ...rest } = await embed([text], "query", call);
        return { vector: vectors[0]!, ...rest };
      }),
  };
}

/** `openai:text-embedding-3-large` names an embedding model where a model string usually names one to talk to. */
function chosenModel(which: string | Provider, { name, models }: Provider): string {
  const { chat, embeddings } = models;
  const named = typeof which === "string" && /^[^?]*[:/]/.test(which) ? chat : undefined;
  const model = named && (modelKind(named) === "embeddings" || !embeddings) ? named : (embeddings ?? named);
  if (model) return model;
  throw new AntiphonError("BAD_REQUEST", `The provider ${name} has no default embedding model. Pass \`model\`.`, {
    provider: name,
    param: "model",
  });
}
