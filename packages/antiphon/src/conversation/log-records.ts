import type { InputItem } from "../model/index.ts";

/** Where an item came from: who made it, in which response, and whether the maker kept it. */
export interface Origin {
  provider: string;
  /** The base URL: the same provider elsewhere has other state. */
  endpoint: string;
  model: string;
  response_id: string;
  /** Whether the maker keeps the response, and all of it is here, so that it can be chained to. */
  stored: boolean;
  /** When it was made, in seconds since 1970. */
  created_at?: number;
  /** How long the conversation was with this response, in tokens, as the provider reported it. */
  tokens?: number;
}

/** One item of a conversation; without an origin it is the caller's own. */
export interface Entry {
  item: InputItem;
  origin?: Origin;
}

/** A stretch at the head of a conversation that something shorter stands in for. The entries themselves stay. */
export interface Compacted {
  /** Entries `0 … to - 1` are stood in for. */
  to: number;
  /** Goes to the instructions. */
  summary?: string;
  /** Goes to the head of the input: what the provider's own compaction gave. */
  items?: InputItem[];
  /** Who can read `items`. */
  origin?: Pick<Origin, "provider" | "endpoint" | "model">;
}

/** What a session store keeps: a log is the fold of its records. */
export type LogRecord =
  | { type: "entry"; entry: Entry }
  | { type: "compacted"; compacted: Compacted }
  /** Nothing stands in for anything any more. */
  | { type: "restored" }
  /** Entries from `to` on count no more. */
  | { type: "undone"; to: number };

/** A conversation as JSON. */
export interface LogJson {
  version: 1;
  id: string;
  records: LogRecord[];
}

/** Whom the next request goes to. */
export interface Target {
  provider: string;
  endpoint: string;
  model: string;
  /** Whether it keeps responses and takes `previous_response_id`. */
  stores: boolean;
  /** Whether it gives and takes `reasoning.encrypted_content`. */
  encrypts: boolean;
  /** `false` if nothing is known about it. A request with `store: false` then asks for encrypted reasoning. */
  known?: boolean;
  /** Whether items are translated for it, as to any wire but Responses: then other makers' items are the translator's business. */
  translates?: boolean;
  /** How long it keeps responses, in seconds; for ever, as far as anybody knows, where left out. */
  retention?: number;
}

/**
 * Where conversations live. `append` is atomic and durable when it resolves, and fails with vendor code `session_conflict` if the
 * session does not have exactly `at` records.
 */
export interface SessionStore {
  load(id: string): Promise<LogJson | undefined>;
  append(id: string, at: number, records: readonly LogRecord[]): Promise<void>;
  delete(id: string): Promise<void>;
  list(): Promise<string[]>;
}
