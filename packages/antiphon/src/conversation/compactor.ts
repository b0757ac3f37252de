import type { Respond } from "../core/respond.ts";
import type { CreateResponse } from "../model/index.ts";
import type { Compacted, Target } from "./log-records.ts";
import type { Log } from "./log.ts";

/** What a compactor is told, beside the conversation. */
export interface CompactionContext {
  /** What the model is about to be asked. */
  request: CreateResponse;
  target: Target;
  /** Asks the model something of its own, apart from the conversation. */
  ask: Respond;
  /** The provider has said that the conversation is too long. */
  force: boolean;
  /** The caller wants it now, however short the conversation is. */
  wanted?: boolean;
  signal?: AbortSignal;
}

/**
 * Says what should stand in for the head of a conversation, or nothing while it may stay as it is. It changes nothing itself, and
 * throws where it ought to compact and cannot: the conversation is then sent as it is.
 */
export type Compactor = (log: Log, about: CompactionContext) => Promise<Compacted | undefined>;
