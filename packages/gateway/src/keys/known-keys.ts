import type { Store, StoredKey } from "../store/store.ts";
import { BoundedMap } from "./bounded-map.ts";
import { Bucket } from "./bucket.ts";
import type { Caller } from "./gatekeeper.ts";
import { hashOf, isKeyLike, isWhole } from "./new-key.ts";
import { accountOf, type Account } from "./spending.ts";

/** A key in use, with what this process counts for it. */
export interface HeldKey {
  key: StoredKey;
  /** When the store was asked for it. */
  readAt: number;
  readonly caller: Caller;
  readonly account: Account;
  readonly requests: Bucket | undefined;
  readonly tokens: Bucket | undefined;
}

interface KnownKeysOptions {
  /** How long the store's word holds, in milliseconds. */
  trust: number;
  now: () => number;
}

// Only who made keys can fill the first, anybody the second. A key that is forgotten finds its limits untouched, which takes this many
// others in use at the same time.
const mostKeys = 10_000;
const mostUnknown = 1_000;

/** The keys that were used lately, so that a request need not wait for the store. */
export class KnownKeys {
  readonly #store: Pick<Store, "findKey">;
  readonly #options: KnownKeysOptions;
  readonly #held = new BoundedMap<string, HeldKey>(mostKeys);
  readonly #byId = new BoundedMap<string, HeldKey>(mostKeys);
  readonly #unknown = new BoundedMap<string, number>(mostUnknown);
  readonly #asked = new Map<string, Promise<HeldKey | undefined>>();

  constructor(store: Pick<Store, "findKey">, options: KnownKeysOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** The key that a secret belongs to, as the store knew it a moment ago at the latest. Mostly there is no need to wait for it. */
  find(secret: string): HeldKey | undefined | Promise<HeldKey | undefined> {
    if (!isKeyLike(secret)) return undefined;
    const hash = hashOf(secret);
    const held = this.#held.get(hash);
    if (held) return this.refresh(held);
    return this.#isFresh(this.#unknown.get(hash)) || !isWhole(secret) ? undefined : this.#ask(hash);
  }

  /** The same for a key that was found before. */
  refresh(held: HeldKey): HeldKey | Promise<HeldKey | undefined> {
    const current = this.#held.get(held.key.hash) ?? held;
    return this.#isFresh(current.readAt) ? current : this.#ask(current.key.hash, current);
  }

  /** A key that is in use here, by its id. */
  byId(id: string): HeldKey | undefined {
    return this.#byId.get(id);
  }

  #isFresh(readAt: number | undefined): boolean {
    if (readAt === undefined) return false;
    const age = this.#options.now() - readAt;
    // A clock that was set back must not prolong anybody's stay.
    return age >= 0 && age < this.#options.trust;
  }

  /** Asks the store, once for all who want to know at the same time. */
  #ask(hash: string, held?: HeldKey): Promise<HeldKey | undefined> {
    const asked = this.#asked.get(hash) ?? this.#read(hash, held).finally(() => this.#asked.delete(hash));
    this.#asked.set(hash, asked);
    return asked;
  }

  async #read(hash: string, held: HeldKey | undefined): Promise<HeldKey | undefined> {
    // The answer holds from the moment of the question: what was revoked in between is not believed for longer.
    const readAt = this.#options.now();
    const key = await this.#store.findKey(hash);
    if (!key) {
      this.#held.delete(hash);
      this.#unknown.set(hash, readAt);
      return undefined;
    }
    const current = this.#held.get(hash) ?? held ?? hold(key, readAt);
    current.key = key;
    current.readAt = readAt;
    current.account.kept = Math.max(current.account.kept, key.spent);
    this.#held.set(hash, current);
    this.#byId.set(key.id, current);
    return current;
  }
}

function hold(key: StoredKey, now: number): HeldKey {
  const { id, owner, spent, requestsPerMinute, tokensPerMinute } = key;
  return {
    key,
    readAt: now,
    caller: Object.freeze({ owner, key: id }),
    account: accountOf(id, spent),
    requests: requestsPerMinute === null ? undefined : new Bucket(requestsPerMinute, now),
    tokens: tokensPerMinute === null ? undefined : new Bucket(tokensPerMinute, now),
  };
}
