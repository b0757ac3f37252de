import { AntiphonError } from "../core/error.ts";
import { addUsage, noUsage } from "../core/usage.ts";
import type { LocalPreset, ServerPreset } from "../providers/preset.ts";
import type { Provider } from "../providers/registry.ts";
import { fetchJson } from "../transport/fetch-json.ts";
import type { EmbedCall, EmbedderOptions, Embeddings } from "./embed.ts";
import { checkVectors, embeddingWires, type Batch, type EmbeddedBatch, type EmbeddingTask } from "./embedding-wires.ts";

const defaultBatch = 512;
const defaultConcurrency = 4;
/** Providers bound the tokens of a request too (OpenAI: 300,000), and hardly any script takes more than a token a character. */
const batchCharacters = 280_000;

type EmbedBatch = (batch: Batch, signal: AbortSignal) => Promise<EmbeddedBatch>;

function wireBatches(source: Provider, preset: ServerPreset, options: EmbedderOptions): EmbedBatch {
  const { name } = source;
  const wire = embeddingWires[preset.wire];
  if (!wire || "respond" in source)
    return () =>
      Promise.reject(new AntiphonError("UNSUPPORTED", `The provider ${name} does not support embeddings.`, { provider: name }));
  const dialect = preset.embeddings ?? {};
  const { headers, timeouts, retry, fetch, transport } = options;
  return async (batch, signal) => {
    const { path, body } = wire.encode(batch, dialect);
    const answer = await fetchJson(source, path, { headers, timeouts, retry, fetch, transport, body, signal });
    const embedded = wire.decode(answer, batch, dialect);
    checkVectors(embedded.vectors, batch.texts.length);
    return embedded;
  };
}

function localBatches({ name }: Provider, { embed }: LocalPreset): EmbedBatch {
  if (!embed)
    return () =>
      Promise.reject(new AntiphonError("UNSUPPORTED", `The provider ${name} does not support embeddings.`, { provider: name }));
  return async ({ texts, dimensions }) => embed(texts, dimensions);
}

/** What an embedder works with. */
export interface EmbedWork {
  source: Provider;
  model: string;
  options: EmbedderOptions;
}

const batchesOf = ({ source, options }: EmbedWork): EmbedBatch =>
  source.preset.wire === "local" ? localBatches(source, source.preset) : wireBatches(source, source.preset, options);

/** Embeds any number of texts, in batches. */
export async function embedAll(
  work: EmbedWork,
  texts: readonly string[],
  task: EmbeddingTask,
  call: EmbedCall,
): Promise<Embeddings> {
  const { source, model, options } = work;
  checkTexts(texts);
  const { dimensions, user, concurrency = defaultConcurrency } = options;
  const fixed = { model, task, ...(dimensions === undefined ? {} : { dimensions }), ...(user === undefined ? {} : { user }) };
  const preset = source.preset.wire === "local" ? {} : (source.preset.embeddings ?? {});
  const spans = cutBatches(texts, Math.min(options.batchSize ?? defaultBatch, preset.single ? 1 : (preset.batch ?? Infinity)));
  const embedBatch = batchesOf(work);
  const vectors: Float32Array[] = [];
  const result: Embeddings = { vectors, usage: noUsage, model };
  let done = 0;
  await inParallel(spans, concurrency, call.signal, async ({ from, to }, signal) => {
    const embedded = await embedBatch({ ...fixed, texts: texts.slice(from, to) }, signal);
    for (const [at, vector] of embedded.vectors.entries()) vectors[from + at] = vector;
    const { inputTokens } = embedded;
    result.usage = addUsage(result.usage, { ...noUsage, input_tokens: inputTokens, total_tokens: inputTokens });
    result.model = embedded.model ?? result.model;
    done += to - from;
    call.onProgress?.({ done, total: texts.length });
  });
  checkVectors(vectors, texts.length);
  return result;
}

function checkTexts(texts: readonly string[]): void {
  const bad = texts.findIndex((text) => typeof text !== "string" || text === "");
  if (bad === -1) return;
  throw new AntiphonError("BAD_REQUEST", `Text ${bad + 1} of ${texts.length} is empty. Remove it from the list.`, {
    param: `texts[${bad}]`,
  });
}

interface Span {
  from: number;
  to: number;
}

/** Cuts by number and by length; a text longer than a batch may be makes one of its own. */
function cutBatches(texts: readonly string[], size: number): Span[] {
  const spans: Span[] = [];
  let from = 0;
  let characters = 0;
  for (const [at, text] of texts.entries()) {
    if (at > from && (at - from >= size || characters + text.length > batchCharacters)) {
      spans.push({ from, to: at });
      from = at;
      characters = 0;
    }
    characters += text.length;
  }
  return texts.length > from ? [...spans, { from, to: texts.length }] : spans;
}

/** Works through a list with so many hands; the first failure stops the others and is thrown. */
async function inParallel<T>(
  list: readonly T[],
  hands: number,
  signal: AbortSignal | undefined,
  work: (one: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const all = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  let next = 0;
  const hand = async (): Promise<void> => {
    while (next < list.length && !all.aborted) await work(list[next++]!, all);
  };
  try {
    signal?.throwIfAborted();
    await Promise.all(Array.from({ length: Math.max(1, Math.min(hands || 1, list.length)) }, hand));
    signal?.throwIfAborted();
  } catch (thrown) {
    stop.abort(thrown);
    if (signal?.aborted && !(thrown instanceof AntiphonError))
      throw new AntiphonError("ABORTED", "The embedding was cancelled.", { cause: thrown });
    throw thrown;
  }
}
