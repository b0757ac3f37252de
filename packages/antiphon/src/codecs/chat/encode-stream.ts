import { finishReason, type FinishReason } from "../../core/views.ts";
import type { Machine } from "../../core/machine.ts";
import { piecesOf } from "../../core/runs.ts";
import type {
  Annotation,
  CreateResponse,
  EventOf,
  Item,
  KnownEventType,
  LogProb,
  ResponseEvent,
  ResponseResource,
  RunEvent,
  Usage,
} from "../../model/index.ts";
import { isRun } from "../../model/guards.ts";
import { toDataUrl } from "../shared/media.ts";
import { includeUsage, type UsageAsked } from "./decode-request.ts";
import { encodeFailure } from "./encode-error.ts";
import { audioItem, blobFormat } from "./own-words.ts";
import { TextChunk, TextChunks, textFrame, type Head, type TextFrame } from "./text-chunk.ts";

/** What a chunk adds to the one message. */
export type Delta = { [field: string]: unknown };

const finishes: Readonly<Record<Exclude<FinishReason, "error" | "cancelled">, string>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
  refusal: "stop",
};

/** Our id under the wire's prefix; an id that was the wire's own gets its first form back. */
export const completionId = (id: string): string => {
  const bare = id.replace(/^resp_/, "");
  return bare.startsWith("chatcmpl-") ? bare : `chatcmpl-${bare}`;
};

/** A usage report in the wire's words. */
export const encodeUsage = (usage: Usage): object => {
  const { cached_tokens, cache_write_tokens } = usage.input_tokens_details;
  return {
    prompt_tokens: usage.input_tokens,
    completion_tokens: usage.output_tokens,
    total_tokens: usage.total_tokens,
    prompt_tokens_details: { cached_tokens, ...(cache_write_tokens === undefined ? {} : { cache_write_tokens }) },
    completion_tokens_details: { reasoning_tokens: usage.output_tokens_details.reasoning_tokens },
  };
};

/** An annotation as the wire nests it. */
const encodeAnnotation = ({ type, ...fields }: Annotation): object => ({ type, [type]: fields });

type Arms = { [K in KnownEventType]?: (event: EventOf<K>) => Delta | undefined };

/** Turns events into chunks. One message is all that the wire has: what server-side tools did is not told. */
export class StreamEncoder implements Machine<ResponseEvent, unknown> {
  readonly #asked: boolean;
  readonly #calls = new Map<number, { index: number; custom: boolean }>();
  /** The thought that was told last, so that the next one begins with a new paragraph. */
  #thought = "";
  #head: Head | undefined;
  #frame: TextFrame | undefined;

  constructor(request: CreateResponse) {
    this.#asked = (request as UsageAsked)[includeUsage] === true;
  }

  push(event: ResponseEvent): unknown[] {
    if (isRun(event)) return this.#run(event);
    if (event.type === "response.output_text.delta" && this.#frame && !event.logprobs?.length)
      return [new TextChunk(this.#frame, event.delta)];
    if ("response" in event) return this.#lifecycle(event as Extract<ResponseEvent, { response: ResponseResource }>);
    // The table pairs each name with an arm for that event, which is more than the type system can follow.
    const arm = this.#arms[event.type as KnownEventType] as ((event: ResponseEvent) => Delta | undefined) | undefined;
    const delta = arm?.(event);
    if (!delta) return [];
    const { logprobs, ...fields } = delta;
    return [this.#chunk(fields, null, logprobs)];
  }

  #run(run: RunEvent): unknown[] {
    if (run.first.type === "response.output_text.delta" && this.#frame) return [new TextChunks(this.#frame, run)];
    return piecesOf(run).flatMap((piece) => this.push(piece));
  }

  end(): unknown[] {
    return [];
  }

  readonly #arms: Arms = {
    "response.output_text.delta": ({ delta, logprobs }) => ({ content: delta, ...(logprobs?.length ? { logprobs } : {}) }),
    "response.refusal.delta": ({ delta }) => ({ refusal: delta }),
    "response.reasoning.delta": (event) => this.#think(`${event.output_index}:c${event.content_index}`, event.delta),
    "response.reasoning_summary_text.delta": (event) => this.#think(`${event.output_index}:s${event.summary_index}`, event.delta),
    "response.output_text.annotation.added": ({ annotation }) =>
      // The wire has one kind, and clients that check what they are sent throw at any other.
      annotation.type === "url_citation" ? { annotations: [encodeAnnotation(annotation)] } : undefined,
    "response.output_item.added": ({ output_index, item }) => this.#open(output_index, item),
    "response.function_call_arguments.delta": ({ output_index, delta }) => this.#argue(output_index, delta),
    "response.custom_tool_call_input.delta": ({ output_index, delta }) => this.#argue(output_index, delta),
    "response.output_item.done": ({ item }) => encodeWhole(item),
  };

  #lifecycle(event: Extract<ResponseEvent, { response: ResponseResource }>): unknown[] {
    const { response } = event;
    if (event.type === "response.created") {
      this.#head = headOf(response);
      this.#frame = textFrame(this.#head, this.#asked);
      return [this.#chunk({ role: "assistant", content: "" }, null)];
    }
    const reason = finishReason(response);
    if (reason === null) return [];
    // Some servers know their tier only in the end.
    this.#head = headOf(response);
    if (reason === "error" || reason === "cancelled") return [encodeFailure(response)];
    const last = this.#chunk({}, finishes[reason]);
    if (!this.#asked) return [last];
    return [last, { ...this.#head, choices: [], usage: response.usage && encodeUsage(response.usage) }];
  }

  #chunk(delta: Delta, finish_reason: string | null, logprobs?: unknown): object {
    const content = logprobs ? { content: logprobs as LogProb[], refusal: null } : null;
    const choices = [{ index: 0, delta, logprobs: content, finish_reason }];
    return this.#asked ? { ...this.#head, choices, usage: null } : { ...this.#head, choices };
  }

  /** Raw thoughts and summaries share one field; the paragraphs of either are told apart by an empty line. */
  #think(place: string, delta: string): Delta {
    const begun = this.#thought !== "" && this.#thought !== place;
    this.#thought = place;
    return { reasoning_content: begun ? `\n\n${delta}` : delta };
  }

  #open(output_index: number, item: Item): Delta | undefined {
    if (item.type !== "function_call" && item.type !== "custom_tool_call") return undefined;
    const custom = item.type === "custom_tool_call";
    const index = this.#calls.size;
    this.#calls.set(output_index, { index, custom });
    const { call_id: id, name } = item;
    const call = custom
      ? { index, id, type: "custom", custom: { name, input: item.input } }
      : { index, id, type: "function", function: { name, arguments: item.arguments } };
    return { tool_calls: [call] };
  }

  #argue(output_index: number, delta: string): Delta | undefined {
    const call = this.#calls.get(output_index);
    if (!call) return undefined;
    const { index, custom } = call;
    return { tool_calls: [custom ? { index, custom: { input: delta } } : { index, function: { arguments: delta } }] };
  }
}

const headOf = ({ id, created_at, model, service_tier }: ResponseResource): Head => ({
  id: completionId(id),
  object: "chat.completion.chunk",
  created: created_at,
  model,
  service_tier,
  system_fingerprint: null,
});

/** What only a finished item tells: a thought's blob, a picture, speech. */
function encodeWhole(item: Item): Delta | undefined {
  if (item.type === "reasoning" && item.encrypted_content)
    return {
      reasoning_details: [{ type: "reasoning.encrypted", id: item.id, format: blobFormat, data: item.encrypted_content }],
    };
  if (item.type === "image_generation_call" && item.result) {
    const format = Reflect.get(item, "output_format");
    const url = toDataUrl({ mediaType: `image/${typeof format === "string" ? format : "png"}`, data: item.result });
    return { images: [{ type: "image_url", image_url: { url } }] };
  }
  if (item.type === audioItem) {
    const { type: _, status: __, ...audio } = item;
    return { audio };
  }
  return undefined;
}
