import type { CreateResponse, InputItem, ResponseEvent, ResponseResource } from "antiphon";
import type { ResponseJson } from "antiphon/codecs/responses";

/** A response that is kept, with all that it takes to chain to it, list its input or run it again. */
export interface StoredResponse {
  id: string;
  /** Whose it is: nobody else is told that it exists. */
  owner: string;
  /** The request without its input. */
  request: CreateResponse;
  /** The items that this request brought itself; what came before is found along the chain. */
  input: InputItem[];
  previous: string | null;
  conversation: string | null;
  background: boolean;
  response: ResponseResource;
}

/** One step of a chain. */
export interface Turn {
  id: string;
  status: ResponseResource["status"];
  input: InputItem[];
  output: InputItem[];
}

/** Who works on a run, and for how long the others leave it alone. */
export interface Holder {
  worker: string;
  leaseMs: number;
}

/** A run that a worker took. */
export interface ClaimedRun {
  response: StoredResponse;
  /** How many workers took it so far, this one included. */
  attempt: number;
}

/** What is written together with the newer state of a response, or not at all. */
export interface UpdateOptions {
  /** The state as JSON, where somebody has written it already. */
  json?: ResponseJson;
  /** Only while this worker holds the run. */
  worker?: string;
  /** The end of the event log: as `appendEvents` takes it, however full the log is. */
  events?: readonly ResponseEvent[];
  /** What the conversation of the response gains, if it is still there. */
  items?: readonly InputItem[];
}

/** A conversation that items are kept in. */
export interface StoredConversation {
  id: string;
  owner: string;
  created_at: number;
  metadata: Record<string, string>;
}

/** A stretch of a list. */
export interface Page {
  /** The id of the item that the stretch follows, in the order that was asked for. */
  after?: string;
  limit: number;
  order: "asc" | "desc";
}

/** A key of a client; only a hash of it is kept. */
export interface StoredKey {
  id: string;
  hash: string;
  name: string;
  /** Who owns what is made with it. */
  owner: string;
  created_at: number;
  expires_at: number | null;
  /** Models that it may use, as patterns; all where the list is empty. */
  models: string[];
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
  /** In dollars; `null` for no bound. */
  budget: number | null;
  spent: number;
  revoked: boolean;
}

/**
 * Where the gateway keeps things. Every method is atomic, and durable when it resolves: what was acknowledged survives the end of the
 * process at any moment. Times are milliseconds since 1970, but for those inside a response. What belongs to another owner is treated
 * as what is not there. Failures are `AntiphonError`s.
 */
export interface Store {
  /**
   * Keeps a new response; fails if the id is taken. With a holder it is a run in progress, with `queued` one that waits for a worker;
   * both can be claimed when nobody works on them any more. `json` is its state as JSON, where somebody has written it already.
   */
  createResponse(stored: StoredResponse, run?: Holder | "queued", json?: ResponseJson): Promise<void>;
  /**
   * Puts the newer state of a response in the place of the older, unless the older is final, the worker lost the run or the log has
   * moved on: gives what stands then, which is `response` itself where it was taken. A final state ends the run.
   */
  updateResponse(id: string, response: ResponseResource, options?: UpdateOptions): Promise<ResponseResource | undefined>;
  getResponse(id: string, owner: string): Promise<StoredResponse | undefined>;
  /** Deletes a response with its log and its run; what was chained to it is left without its beginning. */
  deleteResponse(id: string, owner: string): Promise<boolean>;
  /** The chain that ends in a response, oldest first, or `undefined` where a link is missing. Fails if there are more than `limit`. */
  getChain(id: string, owner: string, limit: number): Promise<Turn[] | undefined>;

  /**
   * Adds to the event log of a response that is not final. Numbers begin at 0 and must go on where the log ends; `false` says that
   * nothing was added, because the log has moved on, the response is final or gone, or the worker lost the run.
   */
  appendEvents(id: string, events: readonly ResponseEvent[], worker?: string): Promise<boolean>;
  /** Up to `limit` events with numbers above `after`, in order. */
  readEvents(id: string, owner: string, after: number, limit: number): Promise<ResponseEvent[]>;
  /** Calls back when a response or its log may have changed, here or in another gateway; gives the way to stop. */
  watch(id: string, changed: () => void): () => void;

  /** Takes the run that waits the longest: one that is queued, or whose lease ran out. */
  claimRun(holder: Holder): Promise<ClaimedRun | undefined>;
  /** Prolongs leases; gives the ids of the runs that the worker still holds. */
  renewLeases(ids: readonly string[], holder: Holder): Promise<string[]>;
  /** Puts a run back into the queue; `false` when the worker does not hold it. */
  requeueRun(id: string, worker: string): Promise<boolean>;
  /** How many runs could be claimed now. */
  countWaiting(): Promise<number>;

  createConversation(conversation: StoredConversation, items: readonly InputItem[]): Promise<void>;
  getConversation(id: string, owner: string): Promise<StoredConversation | undefined>;
  updateConversation(id: string, owner: string, metadata: Record<string, string>): Promise<StoredConversation | undefined>;
  deleteConversation(id: string, owner: string): Promise<boolean>;
  /**
   * Adds items at the end; every item has an id, and one whose id is there already stays as it is. `false` where there is no such
   * conversation.
   */
  addItems(conversation: string, owner: string, items: readonly InputItem[]): Promise<boolean>;
  getItem(conversation: string, owner: string, item: string): Promise<InputItem | undefined>;
  listItems(conversation: string, owner: string, page: Page): Promise<{ items: InputItem[]; more: boolean } | undefined>;
  deleteItem(conversation: string, owner: string, item: string): Promise<boolean>;

  /** Keeps a new key; fails if its id or hash is taken. */
  createKey(key: StoredKey): Promise<void>;
  findKey(hash: string): Promise<StoredKey | undefined>;
  /** All keys, the oldest first. */
  listKeys(): Promise<StoredKey[]>;
  revokeKey(id: string): Promise<boolean>;
  /** Adds to what a key has spent, and gives the sum. */
  addSpending(id: string, dollars: number): Promise<number | undefined>;

  /**
   * Deletes responses that were made, and conversations that were last added to, before a moment, and the logs of responses made
   * before another; gives how many responses and conversations went. What still runs stays.
   */
  prune(before: number, logsBefore?: number): Promise<number>;
  close(): Promise<void>;
}
