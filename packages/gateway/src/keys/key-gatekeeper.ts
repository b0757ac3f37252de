import type { AntiphonError } from "antiphon";
import type { Store } from "../store/store.ts";
import { silent, type Telemetry } from "../telemetry/telemetry.ts";
import type { Bucket } from "./bucket.ts";
import type { Admission, Caller, Gatekeeper, Took } from "./gatekeeper.ts";
import { KnownKeys, type HeldKey } from "./known-keys.ts";
import { isAmong } from "./model-patterns.ts";
import { presentedKey } from "./presented-key.ts";
import { rateHeaders, tellLimits } from "./rate-headers.ts";
import { refusals } from "./refusals.ts";
import { accountOf, spentBy, Spending, type Account } from "./spending.ts";

export interface KeyChecks {
  /** How long the store's word about a key holds, in milliseconds: for so long at most does a revoked key still work. */
  trust?: number;
  /** How often spending is written to the store, in milliseconds: so much of it a crash may lose. */
  flushInterval?: number;
  log?: Telemetry["log"];
  /** Milliseconds since 1970. */
  now?: () => number;
}

export const defaultTrust = 5_000;

/** Lets in who has a key of the store, within the bounds of that key. */
export class KeyGatekeeper implements Gatekeeper {
  readonly #keys: KnownKeys;
  readonly #spending: Spending;
  readonly #now: () => number;
  /** A copy of a caller is nobody: what is not here did not come through `authenticate`. */
  readonly #held = new WeakMap<Caller, HeldKey>();

  constructor(store: Pick<Store, "findKey" | "addSpending">, options: KeyChecks = {}) {
    const { trust = defaultTrust, flushInterval = 1_000, log = silent.log, now = Date.now } = options;
    this.#keys = new KnownKeys(store, { trust, now });
    this.#spending = new Spending(store, flushInterval, log);
    this.#now = now;
  }

  async authenticate(headers: { get(name: string): string | null }): Promise<Caller> {
    const secret = presentedKey(headers);
    if (secret === undefined) throw refusals.noKey();
    const found = this.#keys.find(secret);
    const held = this.#good(found instanceof Promise ? await found : found);
    this.#held.set(held.caller, held);
    return held.caller;
  }

  async admit(caller: Caller, model: string): Promise<Admission> {
    // Who keeps a socket open comes here without coming through the door again.
    const found = this.#keys.refresh(this.#heldBy(caller));
    const held = this.#good(found instanceof Promise ? await found : found);
    const { key, account, requests, tokens } = held;
    if (!isAmong(model, key.models)) throw refusals.wrongModel(model);
    if (key.budget !== null && spentBy(account) >= key.budget) throw refusals.budgetSpent(key.budget);
    const now = this.#now();
    const refusal = spent(requests, tokens, now);
    if (refusal) throw tellLimits(refusal, rateHeaders(requests, tokens, now));
    requests?.take(1, now);
    return { headers: rateHeaders(requests, tokens, now), settle: this.#settler(held) };
  }

  allows(caller: Caller, model: string): boolean {
    return isAmong(model, this.#heldBy(caller).key.models);
  }

  /** Writes down what was spent so far; to be called before the store is closed. */
  flush(): Promise<void> {
    return this.#spending.flush();
  }

  charge(id: string, took: Took): void {
    const held = this.#keys.byId(id);
    this.#count(held?.account ?? accountOf(id, 0), held?.tokens, took);
  }

  #settler({ account, tokens }: HeldKey): Admission["settle"] {
    let settled = false;
    return (took) => {
      if (!settled) this.#count(account, tokens, took);
      settled = true;
    };
  }

  #count(account: Account, tokens: Bucket | undefined, { usage, cost }: Took): void {
    const total = usage?.total_tokens;
    if (isAmount(total)) tokens?.take(total, this.#now());
    if (isAmount(cost)) this.#spending.add(account, cost);
  }

  #heldBy(caller: Caller): HeldKey {
    const held = this.#held.get(caller);
    if (!held) throw refusals.noKey();
    return held;
  }

  #good(held: HeldKey | undefined): HeldKey {
    if (!held) throw refusals.unknownKey();
    const { revoked, expires_at } = held.key;
    if (revoked) throw refusals.revokedKey();
    if (expires_at !== null && expires_at <= this.#now()) throw refusals.expiredKey();
    return held;
  }
}

/** The limit that is used up, if one is. */
function spent(requests: Bucket | undefined, tokens: Bucket | undefined, now: number): AntiphonError | undefined {
  const forTokens = tokens?.untilOne(now) ?? 0;
  if (tokens && forTokens > 0) return refusals.tooManyTokens(tokens.limit, forTokens);
  const forRequest = requests?.untilOne(now) ?? 0;
  return requests && forRequest > 0 ? refusals.tooManyRequests(requests.limit, forRequest) : undefined;
}

/** Upstreams have been seen to report nonsense: what cannot be added up is not. */
const isAmount = (value: number | undefined): value is number => value !== undefined && value > 0 && value < Infinity;
