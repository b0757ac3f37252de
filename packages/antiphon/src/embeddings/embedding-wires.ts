import { AntiphonError } from "../core/error.ts";
import { isObject, type JsonObject } from "../model/guards.ts";
import type { EmbeddingsDialect, Wire } from "../providers/preset.ts";
import { readVector } from "./vectors.ts";

/** What a batch of texts is for; some models embed questions and documents differently. */
export type EmbeddingTask = "query" | "document";

/** One request's worth of texts. */
export interface Batch {
  texts: readonly string[];
  model: string;
  dimensions?: number;
  user?: string;
  task: EmbeddingTask;
}

/** What came of a batch, in the order of its texts. */
export interface EmbeddedBatch {
  vectors: Float32Array[];
  inputTokens: number;
  model?: string;
}

/** How a wire says it. */
interface EmbeddingWire {
  encode(batch: Batch, dialect: EmbeddingsDialect): { path: string; body: unknown };
  decode(answer: unknown, batch: Batch, dialect: EmbeddingsDialect): EmbeddedBatch;
}

const encodings = { base64: "base64", int8: "base64_int8", float: "float" } as const;

const openai: EmbeddingWire = {
  encode: ({ texts, model, dimensions, user }, { encoding = "base64", dimensionsField = "dimensions" }) => ({
    path: "/embeddings",
    body: {
      model,
      input: texts,
      encoding_format: encodings[encoding],
      ...(dimensions === undefined ? {} : { [dimensionsField]: dimensions }),
      ...(user === undefined ? {} : { user }),
    },
  }),
  decode(answer, { texts }, { encoding = "base64" }) {
    const rows = isObject(answer) && Array.isArray(answer["data"]) ? answer["data"].filter(isObject) : [];
    const vectors: Float32Array[] = [];
    // Servers may answer out of order; one that gives no index answers in order.
    for (const [at, row] of rows.entries()) {
      const index = typeof row["index"] === "number" ? row["index"] : at;
      if (index in texts) vectors[index] = readVector(row["embedding"], encoding);
    }
    const usage = fieldOf(answer, "usage");
    const model = isObject(answer) && typeof answer["model"] === "string" ? { model: answer["model"] } : {};
    return { vectors, inputTokens: numberIn(usage, "prompt_tokens") ?? numberIn(usage, "total_tokens") ?? 0, ...model };
  },
};

const tasks: Readonly<Record<EmbeddingTask, string>> = { query: "RETRIEVAL_QUERY", document: "RETRIEVAL_DOCUMENT" };

const gemini: EmbeddingWire = {
  encode({ texts, model, dimensions, task }, { single }) {
    const name = model.replace(/^models\//, "");
    const requests = texts.map((text) => ({
      model: `models/${name}`,
      content: { parts: [{ text }] },
      taskType: tasks[task],
      ...(dimensions === undefined ? {} : { outputDimensionality: dimensions }),
    }));
    const path = (single ?? "/models/{model}").replace("{model}", () => encodeURIComponent(name));
    if (!single) return { path: `${path}:batchEmbedContents`, body: { requests } };
    const { model: _, ...request } = requests[0]!;
    return { path: `${path}:embedContent`, body: request };
  },
  decode(answer, { texts }) {
    const one = fieldOf(answer, "embedding");
    const listed = isObject(answer) && Array.isArray(answer["embeddings"]) ? answer["embeddings"].filter(isObject) : [];
    const rows = one ? [one] : listed;
    const inputTokens = numberIn(fieldOf(answer, "usageMetadata"), "promptTokenCount") ?? 0;
    return { vectors: rows.slice(0, texts.length).map((row) => readVector(row["values"], "float")), inputTokens };
  },
};

/** By the wire of the preset; a wire that is not here has no embeddings. */
export const embeddingWires: Readonly<Partial<Record<Wire, EmbeddingWire>>> = { responses: openai, chat: openai, gemini };

/** Throws where a text got no vector, or vectors differ in length. */
export function checkVectors(vectors: readonly Float32Array[], texts: number): void {
  for (let at = 0; at < texts; at += 1)
    if (!vectors[at]?.length)
      throw new AntiphonError("PROTOCOL", `The server returned no vector for text ${at + 1} of ${texts}.`);
  const odd = vectors.find((vector) => vector.length !== vectors[0]?.length);
  if (odd)
    throw new AntiphonError("PROTOCOL", `The server returned vectors of ${vectors[0]?.length} and of ${odd.length} dimensions.`);
}

const fieldOf = (value: unknown, key: string): JsonObject | undefined => {
  const field = isObject(value) ? value[key] : undefined;
  return isObject(field) ? field : undefined;
};

const numberIn = (object: JsonObject | undefined, key: string): number | undefined => {
  const value = object?.[key];
  return typeof value === "number" ? value : undefined;
};
