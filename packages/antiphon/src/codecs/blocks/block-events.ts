import type { Annotation, Item, LogProb, ReasoningText, StreamError, SummaryText } from "../../model/index.ts";

/** What a block holds. `item` carries whole whatever the other four have no word for: hosted tools, compactions, extensions. */
export type BlockKind = "text" | "tool_use" | "thinking" | "refusal" | "item";

/** Which side of the reasoning a piece of thinking belongs to: the model's own words, or the summary made of them. */
export type ThinkingSource = "reasoning" | "summary";

/** Fields of an item that its blocks do not speak of, kept as they came: `phase`, `namespace`, a vendor's own. */
interface Extra {
  extra?: Record<string, unknown>;
}

/** Blocks of one message share its `item_id`. */
interface OfMessage extends Extra {
  item_id: string;
}

/** What each kind tells when it starts. */
export interface BlockStartFields {
  text: OfMessage;
  refusal: OfMessage;
  tool_use: Extra & {
    /** The call's id, which its result answers: `call_id` in Open Responses. */
    id: string;
    name: string;
    /** JSON arguments of a function, or the free text of a custom tool. */
    input_type: "json" | "text";
    item_id: string;
  };
  thinking: Extra & { item_id: string };
  item: { item: Item };
}

/** What each kind tells while it grows. The deltas of a block add up to what its end tells. */
export interface BlockDeltaFields {
  text: {
    delta: string;
    /** Something that the text so far refers to; `delta` is then empty. */
    annotation?: Annotation;
  };
  refusal: { delta: string };
  tool_use: { delta: string };
  thinking: {
    /** Empty where a paragraph begins. */
    delta: string;
    source: ThinkingSource;
    /** The paragraph, counted from 0 within its source. */
    part: number;
  };
  /** More of a hosted tool's arguments or code. */
  item: { delta: string };
}

/** An end that is not the last of its message: another block with the same `item_id` follows. */
interface Continued extends Extra {
  more?: true;
}

/** What each kind tells when it ends: the whole of it. */
export interface BlockEndFields {
  text: Continued & { text: string; annotations: Annotation[]; logprobs?: LogProb[] };
  refusal: Continued & { refusal: string };
  tool_use: Extra & { input: string };
  thinking: Extra & {
    summary: SummaryText[];
    content?: ReasoningText[] | null;
    /** The blob by which the provider recognises its own thoughts; send it back with them. */
    encrypted_content?: string | null;
  };
  item: { item: Item };
}

type Block<T extends string, Fields extends Record<BlockKind, object>> = {
  [K in BlockKind]: { type: T; index: number; block: K } & Fields[K];
}[BlockKind];

/** A block begins. Several may be open at once; `index` tells them apart. */
export type BlockStart = Block<"block_start", BlockStartFields>;
/** A block grows. */
export type BlockDelta = Block<"block_delta", BlockDeltaFields>;
/** A block is whole. */
export type BlockStop = Block<"block_stop", BlockEndFields>;
/** A block breaks off: its item is incomplete, and a call in it must not be run. */
export type BlockAbort = Block<"block_abort", BlockEndFields>;

/**
 * Why the model stopped. The last one is beyond the block model's own five; any other word is the reason of an incomplete
 * response, passed on as it is.
 */
export type StopReason = "end_turn" | "max_tokens" | "stop_sequence" | "tool_use" | "refusal" | "content_filter" | (string & {});

/** Where the response is in its life. All but `started` are final. */
export type BlockStatus =
  | { type: "status"; status: "started"; response_id: string; model: string }
  | {
      type: "status";
      status: "completed";
      stop_reason: StopReason;
      /** The sequence that stopped it, where the provider tells. */
      stop_sequence?: string;
    }
  | { type: "status"; status: "failed" }
  | { type: "status"; status: "cancelled" };

/** What the response cost. Of several, the newest value of each field counts; what is `null` or left out says nothing. */
export interface BlockUsage {
  type: "usage";
  input_tokens?: number | null;
  output_tokens?: number | null;
  total_tokens?: number | null;
  /** The part of `input_tokens` that was read from a cache. */
  cached_tokens?: number | null;
  /** The part of `input_tokens` that was written to a cache. */
  cache_write_tokens?: number | null;
  /** The part of `output_tokens` that was spent on thinking. */
  reasoning_tokens?: number | null;
  /** The figures are a guess from lengths. */
  estimated?: true;
}

/** Something went wrong; the status `failed` follows. */
export interface BlockError {
  type: "error";
  error: StreamError & { request_id?: string };
}

/** Nothing happened, and the line is still open. */
export interface BlockPing {
  type: "ping";
}

/** Anything that a block stream carries. */
export type BlockEvent = BlockStatus | BlockUsage | BlockError | BlockPing | BlockStart | BlockDelta | BlockStop | BlockAbort;
