import type { Loss } from "../core/loss.ts";
import { between, either, func, limit, oneOf, whole, type Rules } from "../core/options.ts";
import type { CreateResponse, InputItem, Usage } from "../model/index.ts";
import type { Compactor } from "./compactor.ts";
import type { Target } from "./log-records.ts";
import type { Log } from "./log.ts";
import type { Summarise } from "./summarise.ts";
import type { CountTokens } from "./token-count.ts";

/** A request to a provider's own compaction. */
export interface CompactRequest extends Pick<CreateResponse, "instructions" | "prompt_cache_key"> {
  model: string;
  input: InputItem[];
}

/** Has a provider compact items: what it gives stands in for them, at this provider only. */
export type CompactNatively = (request: CompactRequest, target: Target, signal?: AbortSignal) => Promise<InputItem[] | undefined>;

/** How a conversation is kept within its budget. */
export interface ContextOptions {
  /** Tokens that a request may have: 150,000 where nothing is said, and 32,000 where the server is on this machine. */
  budget?: number | ((target: Target) => number | undefined);
  /** The share of the budget from which on the older part is compacted; 0.75 where nothing is said. */
  threshold?: number;
  /** Messages and tool results at the end that always stay as they are; 6 where nothing is said. */
  minRecent?: number;
  /** Tokens at the end that stay as they are when there is room, as a share of the budget; 0.2 where nothing is said. */
  keep?: number;
  /** Who compacts: the provider (`native`), a summary, or (`auto`) the provider where it can and a summary else. */
  compact?: "native" | "summary" | "auto";
  /** Writes summaries; where nothing is said, the conversation's own model does. */
  summarise?: Summarise;
  compactNatively?: CompactNatively;
  /** Tokens of a tool's result beyond which its middle is left out, with a mark; without it results are never shortened. */
  truncateOutputs?: number;
  /** Counts tokens exactly; estimated where nothing is said. */
  countTokens?: CountTokens;
}

export const contextRules: Rules<ContextOptions> = {
  budget: either("be a number of tokens or a function", limit(1), func),
  threshold: between(0, 1, false),
  minRecent: whole(0),
  keep: between(0, 1, false),
  compact: oneOf("native", "summary", "auto"),
  summarise: func,
  compactNatively: func,
  truncateOutputs: limit(1),
  countTokens: func,
};

/** How full a conversation's context is. */
export interface ContextStats {
  /** What the next request would hold. */
  totalTokens: number;
  /** The part of it that the provider reported, and the part that is estimated. */
  measured: number;
  estimated: number;
  budget: number;
  /** `totalTokens` as a share of the budget. */
  share: number;
  /** Messages and tool results in the whole conversation. */
  messages: number;
  /** How many of them something shorter stands in for. */
  summarised: number;
  /** How often the conversation was compacted. */
  compactions: number;
  /** What the summaries cost. */
  spent: Usage;
  /** What could not be done, and why. */
  warnings: Loss[];
}

/** A compactor that also tells how full the context is: of the conversation that it saw last, or of the one that it is given. */
export type ContextManager = Compactor & { stats(log?: Log): ContextStats };

/** What holds where nothing is said. */
export const contextDefaults: Required<Pick<ContextOptions, "threshold" | "minRecent" | "keep" | "compact">> = {
  threshold: 0.75,
  minRecent: 6,
  keep: 0.2,
  compact: "auto",
};
const defaultBudget = 150_000;
const localBudget = 32_000;

const isLocal = (endpoint: string): boolean =>
  /^https?:\/\/(localhost|127\.[\d.]+|\[::1\]|0\.0\.0\.0|host\.docker\.internal|[\w-]+\.local)(?=[:/]|$)/i.test(endpoint);

/** The tokens that a request may have where nothing is said. */
export const usualBudget = ({ endpoint }: Target): number => (isLocal(endpoint) ? localBudget : defaultBudget);

/** The tokens that a request to a target may have. */
export const budgetFor = (budget: ContextOptions["budget"], target: Target): number =>
  (typeof budget === "function" ? budget(target) : budget) ?? usualBudget(target);
