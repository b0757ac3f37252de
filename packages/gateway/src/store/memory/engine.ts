import type { ResponseResource } from "antiphon";
import type { BatchText, StoreLimits } from "../limits.ts";
import type { ConversationRow, ResponseRow } from "../texts.ts";
import type { Watchers } from "../watchers.ts";
import type { Kept, Shelf } from "./shelf.ts";

/** A run that somebody works on, or should: it is due when it was queued, or when its lease ends. */
export interface MemoryRun {
  worker: string | undefined;
  due: number;
  attempts: number;
}

/** A response as memory holds it: as text, so that nobody's later change to an item reaches what is kept. */
export interface MemoryResponse extends ResponseRow {
  status: ResponseResource["status"];
  created_at: number;
  log: BatchText[];
  logBytes: number;
  run: MemoryRun | undefined;
  kept: Kept;
}

export interface MemoryConversation extends ConversationRow {
  used_at: number;
  /** How many it ever took. */
  taken: number;
  bytes: number;
  /** Texts by id, in order. */
  items: Map<string, string>;
  kept: Kept;
}

/** What the parts of the store share. */
export interface MemoryEngine {
  responses: Map<string, MemoryResponse>;
  conversations: Map<string, MemoryConversation>;
  shelf: Shelf;
  watchers: Watchers;
  limits: StoreLimits;
  now(): number;
}
