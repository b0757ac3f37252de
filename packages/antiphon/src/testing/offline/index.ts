import { AntiphonError } from "../../core/error.ts";
import { fromBatches, type Respond } from "../../core/respond.ts";
import type { StopSignal } from "../../core/stop.ts";
import { unknownFields } from "../../core/unknown-fields.ts";
import { Writer, type WriterContext } from "../../core/writer.ts";
import { isTerminal } from "../../model/guards.ts";
import type { CreateResponse, ResponseEvent } from "../../model/index.ts";
import { checkInput } from "./check-input.ts";
import { decide, orderedError } from "./decide.ts";
import { hash } from "../../core/hash.ts";
import { checkOptions, func, limit, milliseconds, object, text, type Rules } from "../../core/options.ts";
import { createMemory, type Memory, type OfflineStore } from "./memory.ts";
import { readPrompt } from "./read-prompt.ts";
import { pause, speak, stopped } from "./speak.ts";
import { inputTokens } from "./tokens.ts";

export type { OfflineStore } from "./memory.ts";

/** How the offline model behaves. */
export interface OfflineOptions {
  /** Its name where a request gives none; `offline` by default. */
  model?: string;
  /** Milliseconds between two deltas; none by default. */
  delay?: number;
  /** Tokens in a delta, a token being about a word; 1 by default. */
  chunk?: number;
  /** Longer inputs fail as they would at a provider: in tokens, without bound by default. */
  contextWindow?: number;
  /** Where responses are kept for `previous_response_id`; by default in memory, the last 1,000. */
  store?: OfflineStore;
  /** Makes ids; by default they are a hash of the request, so that a request always gives the same events. */
  newId?(prefix: string): string;
  /** Seconds since 1970; the clock's by default. */
  now?(): number;
}

const offlineRules: Rules<OfflineOptions> = {
  model: text,
  delay: milliseconds,
  chunk: limit(1),
  contextWindow: limit(0),
  store: object,
  newId: func,
  now: func,
};

/**
 * A deterministic model without key or network. It answers, reasons, calls tools, fills schemas and, on request,
 * refuses or fails.
 *
 * @example
 * const respond = offline();
 * console.log(text(await collect(respond({ input: "What is 2 + 3?" })))); // 2 + 3 = 5
 */
export function offline(options: OfflineOptions = {}): Respond {
  checkOptions("offline", options, offlineRules);
  const memory = createMemory(options.store);
  return (request, call) => fromBatches(() => play(request, call?.signal, options, memory));
}

// Without pauses, several deltas travel together, as they would in one network read.
const deltasInBatch = 8;

async function* play(
  asked: CreateResponse,
  signal: StopSignal | undefined,
  options: OfflineOptions,
  memory: Memory,
): AsyncGenerator<ResponseEvent[]> {
  if (signal?.aborted) throw stopped(signal);
  const request = { ...asked, model: asked.model ?? options.model ?? "offline" };
  const items = memory.recall(request);
  checkInput(items);
  const tokens = inputTokens(request, items);
  checkWindow(request, tokens, options.contextWindow);
  const prompt = readPrompt(request, items);
  if (prompt.orders.error !== undefined) throw orderedError(prompt.orders.error);
  const plan = decide(request, prompt);
  const losses = unknownFields(asked, "The offline model does not support this field.");
  if (losses.length > 0) yield [{ type: "antiphon:loss", sequence_number: 0, losses }];
  const ctx = contextOf(request, options);
  const delay = prompt.orders.slow ?? options.delay ?? 0;
  const pace = { chunk: Math.max(1, options.chunk ?? 1), batch: delay > 0 ? 1 : deltasInBatch, signal };
  for (const batch of speak({ plan, writer: new Writer(ctx), newId: ctx.newId, inputTokens: tokens, ...pace })) {
    const last = batch.at(-1);
    // Kept before it is shown: whoever reads the last event may leave at once.
    if (last && isTerminal(last)) memory.keep(request, items, last.response);
    yield batch;
    if (delay > 0 && last?.type.endsWith(".delta")) await pause(delay, signal);
  }
}

function contextOf(request: CreateResponse, { newId, now }: OfflineOptions): WriterContext {
  // Plain and streamed, a request is the same request.
  const { stream: _, stream_options: __, ...rest } = request;
  const seed = newId ? "" : hash(JSON.stringify(rest));
  let count = 0;
  return {
    request,
    newId: newId ?? ((prefix) => `${prefix}_${seed}${(count++).toString(16).padStart(4, "0")}`),
    now: now ?? (() => Math.floor(Date.now() / 1000)),
  };
}

function checkWindow({ truncation }: CreateResponse, tokens: number, window: number | undefined): void {
  if (window === undefined || tokens <= window || truncation === "auto") return;
  throw new AntiphonError(
    "CONTEXT_LENGTH_EXCEEDED",
    `The input has ${tokens} tokens; the context window of this model has ${window}.`,
    {
      provider: "offline",
      status: 400,
      param: "input",
      vendorCode: "context_length_exceeded",
    },
  );
}
