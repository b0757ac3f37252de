import type { Usage } from "antiphon";

/** Who asks. */
export interface Caller {
  /** Owns what is made; nobody else is told that it exists. */
  owner: string;
  /** The id of the key, where there is one. */
  key: string | undefined;
}

/** What a run took in the end. */
export interface Took {
  usage: Usage | null | undefined;
  /** In dollars, where the price is known. */
  cost: number | undefined;
}

/** Leave to ask a model. */
export interface Admission {
  /** What the client is told of its limits, under the names that OpenAI's clients read; nothing where there are none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Says what it took in the end, once: counted against the limits of the key. */
  settle(took: Took): void;
}

/** Knows who may come in, and what they may do. All refusals are `AntiphonError`s. */
export interface Gatekeeper {
  /** Whose key the request carries (`Authorization: Bearer`, `x-api-key`, `api-key`); `AUTH_ERROR` where there is none, or it is no good. */
  authenticate(headers: { get(name: string): string | null }): Promise<Caller>;
  /** Whether the caller may use a model now: `PERMISSION`, `RATE_LIMIT`, `TOKEN_RATE_LIMIT` (both with `retryAfter`) or `QUOTA_EXCEEDED`. */
  admit(caller: Caller, model: string): Promise<Admission>;
  /** Whether the caller may know of a model at all. */
  allows(caller: Caller, model: string): boolean;
  /** Counts what a run took whose leave was given earlier, maybe by another gateway, to a key. Left out where there are no keys. */
  charge?(key: string, took: Took): void;
}
