import { toAntiphonError } from "../core/error.ts";
import type { Loss } from "../core/loss.ts";
import { checkOptions } from "../core/options.ts";
import { noUsage } from "../core/usage.ts";
import type { CreateResponse, Usage } from "../model/index.ts";
import { isMessage } from "./call-pairs.ts";
import type { CompactionContext, Compactor } from "./compactor.ts";
import {
  budgetFor,
  contextDefaults,
  contextRules,
  type ContextManager,
  type ContextOptions,
  type ContextStats,
} from "./context-options.ts";
import { createTokenCounter } from "./item-tokens.ts";
import type { Compacted, Entry, Target } from "./log-records.ts";
import type { Log } from "./log.ts";
import { measure } from "./measure.ts";
import { isOwn } from "./ownership.ts";

// After a failure the next attempt waits until the conversation has grown by this share of the budget.
const patience = 0.1;

/**
 * Keeps a conversation within a token budget: it summarises the older part and resends the recent messages. Nothing
 * is lost: the log keeps every entry, and `log.restore()` undoes a compaction.
 *
 * @example
 * const chat = agent.chat({ context: contextManager({ budget: 60_000, minRecent: 10 }) });
 */
export function contextManager(options: ContextOptions = {}): ContextManager {
  checkOptions("contextManager", options, contextRules);
  const manager = new Manager(options);
  const compactor: Compactor = (log, about) => manager.compact(log, about);
  return Object.assign(compactor, { stats: (log?: Log) => manager.stats(log) });
}

/** What is remembered of one conversation. */
interface Seen {
  request: CreateResponse;
  target: Target;
  spent: Usage;
  warnings: Loss[];
  /** The length at which the provider refused, where that is less than the budget. */
  refusedAt: number;
  /** No attempt before the conversation is this long. */
  retryAt: number;
}

const nowhere: Target = { provider: "", endpoint: "", model: "", stores: false, encrypts: false };

class Manager {
  readonly #options: ContextOptions & typeof contextDefaults;
  readonly #counter;
  readonly #seen = new WeakMap<Log, Seen>();
  #last: Log | undefined;

  constructor(options: ContextOptions) {
    this.#options = { ...contextDefaults, ...options };
    this.#counter = createTokenCounter(options.countTokens);
  }

  async compact(log: Log, about: CompactionContext): Promise<Compacted | undefined> {
    const seen = this.#look(log, about);
    const { measured, estimated } = measure(log, about.request, about.target, this.#counter);
    const total = measured + estimated;
    if (about.force) seen.refusedAt = Math.min(seen.refusedAt, total);
    const budget = this.#budget(seen);
    const isShort = total < budget * this.#options.threshold || total < seen.retryAt;
    if (isShort && !about.force && !about.wanted) return undefined;
    // Most conversations never get this long.
    const { Compaction } = await import("./compaction.ts");
    try {
      return await new Compaction({ log, about, budget, options: this.#options, counter: this.#counter, seen }).run();
    } catch (thrown) {
      seen.retryAt = total + patience * budget;
      throw toAntiphonError(thrown, "SERVER_ERROR");
    }
  }

  stats(log: Log | undefined = this.#last): ContextStats {
    const seen = (log && this.#seen.get(log)) ?? unseen();
    const { measured, estimated } = log ? measure(log, seen.request, seen.target, this.#counter) : { measured: 0, estimated: 0 };
    const budget = this.#budget(seen);
    const to = log?.compacted?.to ?? 0;
    const messages = (entries: readonly Entry[] = []): number => entries.filter(({ item }) => isMessage(item)).length;
    return {
      totalTokens: measured + estimated,
      measured,
      estimated,
      budget,
      share: (measured + estimated) / budget,
      messages: messages(log?.entries),
      summarised: messages(log?.entries.slice(0, to)),
      compactions: log?.records.filter(({ type }) => type === "compacted").length ?? 0,
      spent: seen.spent,
      warnings: seen.warnings,
    };
  }

  #look(log: Log, { request, target }: CompactionContext): Seen {
    const seen = this.#seen.get(log) ?? unseen();
    this.#seen.set(log, seen);
    this.#last = log;
    // Another model's window is another one.
    if (seen.target.model !== target.model || !isOwn(target, seen.target)) seen.refusedAt = Infinity;
    return Object.assign(seen, { request, target });
  }

  /** Never more than what the provider has refused. */
  #budget({ target, refusedAt }: Seen): number {
    return Math.min(budgetFor(this.#options.budget, target), refusedAt);
  }
}

const unseen = (): Seen => ({
  request: {},
  target: nowhere,
  spent: noUsage,
  warnings: [],
  refusedAt: Infinity,
  retryAt: 0,
});
