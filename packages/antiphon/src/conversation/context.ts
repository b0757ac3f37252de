import { AntiphonError, toAntiphonError } from "../core/error.ts";
import type { Loss } from "../core/loss.ts";
import { addUsage, noUsage } from "../core/usage.ts";
import { developer } from "../model/construct.ts";
import { inputType } from "../model/guards.ts";
import type { CreateResponse, InputItem, Usage } from "../model/index.ts";
import { clipOutput } from "./clip.ts";
import { chooseCut, isMessage, openQuestion, readableHead } from "./compact.ts";
import type { CompactionContext, Compactor } from "./compactor.ts";
import { budgetFor, contextDefaults, type ContextManager, type ContextOptions, type ContextStats } from "./context-options.ts";
import { createTokenCounter } from "./item-tokens.ts";
import { isOwn } from "./lint-item.ts";
import { lintItems } from "./lint.ts";
import type { Compacted, Entry, Target } from "./log-records.ts";
import type { Log } from "./log.ts";
import { measure, type Measure } from "./measure.ts";
import { headed, summariseAll, summariseWithModel, unheaded } from "./summarise.ts";

// Compacting a little at a time would break the provider's cache for nothing.
const leastHead = 0.1;
const leastOfTail = 0.25;
// After a failure the next attempt waits until the conversation has grown by this share of the budget.
const patience = 0.1;

/**
 * Keeps a conversation within a budget of tokens: when it has filled a share of it, the older part is summarised (or compacted by the
 * provider itself), and the recent messages are sent again as they are. Nothing is lost: the log keeps every entry, and
 * `log.restore()` undoes a compaction.
 *
 * @example
 * const chat = agent.chat({ context: contextManager({ budget: 60_000, minRecent: 10 }) });
 */
export function contextManager(options: ContextOptions = {}): ContextManager {
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

/** One compaction. */
interface Job {
  log: Log;
  /** What stands in for the head already. */
  head: Compacted | undefined;
  cut: number;
  budget: number;
  about: CompactionContext;
  seen: Seen;
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
    const total = lengthOf(measure(log, about.request, about.target, this.#counter));
    if (about.force) seen.refusedAt = Math.min(seen.refusedAt, total);
    const budget = this.#budget(seen);
    const room = budget * this.#options.threshold;
    if (!about.force && !about.wanted && (total < room || total < seen.retryAt)) return undefined;
    const head = readableHead(log.compacted, about.target);
    const cut = this.#cut(log, head?.to ?? 0, budget, about);
    try {
      const stand = cut === undefined ? undefined : await this.#standIn({ log, head, cut, budget, about, seen });
      return this.#shortened(log, stand ?? head ?? { to: 0 }, room, seen) ?? stand;
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

  /** Where to cut, if that is worth it. When the provider has refused, less may stay: better that than nothing at all. */
  #cut(log: Log, from: number, budget: number, { force, wanted }: CompactionContext): number | undefined {
    const { entries } = log;
    const { minRecent, keep, threshold } = this.#options;
    const tokensOf = this.#counter.item;
    const lengthFrom = (at: number, to?: number): number => this.#counter.items(entries.slice(at, to).map(({ item }) => item));
    if (wanted) return chooseCut(entries, from, { messages: minRecent, tokens: 0 }, tokensOf);
    if (!force) {
      const cut = chooseCut(entries, from, { messages: minRecent, tokens: keep * budget }, tokensOf);
      const least = cut === undefined ? 0 : Math.max(leastHead * budget, leastOfTail * lengthFrom(cut));
      return cut !== undefined && lengthFrom(from, cut) >= least ? cut : undefined;
    }
    let best: number | undefined;
    for (let messages = minRecent; messages >= 1; messages = Math.floor(messages / 2)) {
      const cut = chooseCut(entries, from, { messages, tokens: 0 }, tokensOf);
      if (cut !== undefined) best = cut;
      if (best !== undefined && lengthFrom(best) <= threshold * budget) break;
    }
    return best;
  }

  /** What stands in for all before the cut. */
  async #standIn(job: Job): Promise<Compacted> {
    const native = await this.#native(job);
    if (native) return native;
    const { log, head, cut, budget, about, seen } = job;
    // A blob cannot be read here, but the log still has what it stands for.
    const known = head?.origin ? undefined : head;
    const items = [...(known?.items ?? []), ...itemsOf(log, known?.to ?? 0, cut)];
    const { request, ask, signal } = about;
    const { summary, usage } = await summariseAll({
      items,
      request,
      ask,
      counter: this.#counter,
      pieceTokens: budget / 2,
      summarise: this.#options.summarise ?? summariseWithModel,
      ...(known?.summary === undefined ? {} : { previous: unheaded(known.summary) }),
      ...(signal ? { signal } : {}),
    });
    seen.spent = addUsage(seen.spent, usage);
    const question = openQuestion(items, log.entries.slice(cut));
    return { to: cut, summary: headed(summary), ...(question.length > 0 ? { items: question } : {}) };
  }

  /** The provider's own compaction, where there is one and it is wanted. */
  async #native({ log, head, cut, about, seen }: Job): Promise<Compacted | undefined> {
    const { compact, compactNatively } = this.#options;
    if (compact === "summary" || !compactNatively) return compact === "native" ? missing() : undefined;
    const { request, target, signal } = about;
    const notes = head?.summary === undefined ? [] : [developer(head.summary)];
    const given = [...notes, ...(head?.items ?? []), ...itemsOf(log, head?.to ?? 0, cut)];
    const origins = new Map(log.entries.slice(head?.to ?? 0, cut).map(({ item, origin }) => [item, origin]));
    const { items: input } = lintItems(given, { target, origin: (item) => origins.get(item) });
    const { instructions, prompt_cache_key } = request;
    const model = request.model ?? target.model;
    try {
      const items = await compactNatively({ model, input, instructions, prompt_cache_key }, target, signal);
      const { provider, endpoint } = target;
      return items && { to: cut, items, origin: { provider, endpoint, model } };
    } catch (thrown) {
      if (compact === "native" || signal?.aborted) throw thrown;
      warn(seen, "context", `The provider's own compaction failed, so a summary was written: ${String(thrown)}`);
      return undefined;
    }
  }

  /** Leaves out the middle of long tool results where the end alone is too long; where that is not wanted, says that it is. */
  #shortened(log: Log, stand: Compacted, room: number, seen: Seen): Compacted | undefined {
    const tail = itemsOf(log, stand.to);
    const tokens = this.#counter.items(tail);
    if (tokens <= room) return undefined;
    const limit = this.#options.truncateOutputs ?? Infinity;
    const items = tail.map((item) => (this.#counter.item(item) > limit ? clipOutput(item, limit) : item));
    if (items.every((item, index) => item === tail[index])) {
      const sentence = `What must stay as it is has ${tokens} tokens already, of ${Math.round(room)} that are free.`;
      warn(seen, "input", sentence);
      return undefined;
    }
    // These go without origins from now on, so nothing may be among them that only its maker can read.
    const plain = items.filter((item) => inputType(item) !== "reasoning");
    return { ...stand, to: log.entries.length, items: [...(stand.items ?? []), ...plain] };
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

const lengthOf = ({ measured, estimated }: Measure): number => measured + estimated;

const itemsOf = ({ entries }: Log, from: number, to?: number): InputItem[] => entries.slice(from, to).map(({ item }) => item);

/** The last word about each thing. */
function warn(seen: Seen, path: string, reason: string): void {
  seen.warnings = [...seen.warnings.filter((warning) => warning.path !== path), { path, reason }];
}

function missing(): never {
  const sentence = 'This provider has no compaction of its own; `compact: "auto"` writes a summary instead.';
  throw new AntiphonError("UNSUPPORTED", sentence, { param: "compact" });
}
