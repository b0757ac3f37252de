import { AntiphonError, messageOf } from "../core/error.ts";
import type { Loss } from "../core/loss.ts";
import { addUsage } from "../core/usage.ts";
import { developer } from "../model/construct.ts";
import { inputType } from "../model/guards.ts";
import type { InputItem, Usage } from "../model/index.ts";
import { clipOutput } from "./clip.ts";
import { chooseCut, openQuestion } from "./cut.ts";
import type { CompactionContext } from "./compactor.ts";
import type { ContextOptions, contextDefaults } from "./context-options.ts";
import type { TokenCounter } from "./item-tokens.ts";
import { lintItems } from "./lint.ts";
import type { Compacted } from "./log-records.ts";
import type { Log } from "./log.ts";
import { readableHead } from "./ownership.ts";
import { headed, summariseAll, summariseWithModel, unheaded } from "./summarise.ts";

// Compacting a little at a time would break the provider's cache for nothing.
const leastHead = 0.1;
const leastOfTail = 0.25;

/** What is to be shortened, how, and to what length. */
interface CompactionTask {
  log: Log;
  about: CompactionContext;
  budget: number;
  options: ContextOptions & typeof contextDefaults;
  counter: TokenCounter;
  /** Where it is written down what the compaction took, and what the caller should know. */
  seen: { spent: Usage; warnings: Loss[] };
}

/** One compaction of a conversation. */
export class Compaction {
  readonly #task: CompactionTask;
  /** What stands in for the head already. */
  readonly #head: Compacted | undefined;

  constructor(task: CompactionTask) {
    this.#task = task;
    this.#head = readableHead(task.log.compacted, task.about.target);
  }

  /** What stands in for the conversation's head from now on; nothing where it stays as it is. */
  async run(): Promise<Compacted | undefined> {
    const cut = this.#cut();
    const stand = cut === undefined ? undefined : ((await this.#native(cut)) ?? (await this.#summary(cut)));
    return this.#shortened(stand ?? this.#head ?? { to: 0 }) ?? stand;
  }

  /** Where to cut, if that is worth it. When the provider has refused, less may stay: better that than nothing at all. */
  #cut(): number | undefined {
    const { log, about, budget, counter } = this.#task;
    const { minRecent, keep, threshold } = this.#task.options;
    const { entries } = log;
    const from = this.#head?.to ?? 0;
    const lengthFrom = (at: number, to?: number): number => counter.items(itemsOf(log, at, to));
    if (about.wanted) return chooseCut(entries, from, { messages: minRecent, tokens: 0 }, counter.item);
    if (!about.force) {
      const cut = chooseCut(entries, from, { messages: minRecent, tokens: keep * budget }, counter.item);
      const least = cut === undefined ? 0 : Math.max(leastHead * budget, leastOfTail * lengthFrom(cut));
      return cut !== undefined && lengthFrom(from, cut) >= least ? cut : undefined;
    }
    let best: number | undefined;
    for (let messages = minRecent; messages >= 1; messages = Math.floor(messages / 2)) {
      const cut = chooseCut(entries, from, { messages, tokens: 0 }, counter.item);
      if (cut !== undefined) best = cut;
      if (best !== undefined && lengthFrom(best) <= threshold * budget) break;
    }
    return best;
  }

  /** A summary of all before the cut. */
  async #summary(cut: number): Promise<Compacted> {
    const { log, budget, about, options, counter, seen } = this.#task;
    // A blob cannot be read here, but the log still has what it stands for.
    const known = this.#head?.origin ? undefined : this.#head;
    const items = [...(known?.items ?? []), ...itemsOf(log, known?.to ?? 0, cut)];
    const { request, ask, signal } = about;
    const { summary, usage } = await summariseAll({
      items,
      request,
      ask,
      counter,
      pieceTokens: budget / 2,
      summarise: options.summarise ?? summariseWithModel,
      ...(known?.summary === undefined ? {} : { previous: unheaded(known.summary) }),
      ...(signal ? { signal } : {}),
    });
    seen.spent = addUsage(seen.spent, usage);
    const question = openQuestion(items, log.entries.slice(cut));
    return { to: cut, summary: headed(summary), ...(question.length > 0 ? { items: question } : {}) };
  }

  /** The provider's own compaction of all before the cut, where there is one and it is wanted. */
  async #native(cut: number): Promise<Compacted | undefined> {
    const { log, about } = this.#task;
    const { compact, compactNatively } = this.#task.options;
    if (compact === "summary" || !compactNatively) return compact === "native" ? missing() : undefined;
    const { request, target, signal } = about;
    const head = this.#head;
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
      this.#warn("context", `The provider's compaction failed, so a summary was written instead: ${messageOf(thrown)}`);
      return undefined;
    }
  }

  /** Leaves out the middle of long tool results where the end alone is too long; where that is not wanted, says that it is. */
  #shortened(stand: Compacted): Compacted | undefined {
    const { log, budget, counter, options } = this.#task;
    const room = budget * options.threshold;
    const tail = itemsOf(log, stand.to);
    const tokens = counter.items(tail);
    if (tokens <= room) return undefined;
    const limit = options.truncateOutputs ?? Infinity;
    const items = tail.map((item) => (counter.item(item) > limit ? clipOutput(item, limit) : item));
    if (items.every((item, index) => item === tail[index])) {
      this.#warn(
        "input",
        `The items that cannot be compacted have ${tokens} tokens, but only ${Math.round(room)} are available.`,
      );
      return undefined;
    }
    // These go without origins from now on, so nothing may be among them that only its maker can read.
    const plain = items.filter((item) => inputType(item) !== "reasoning");
    return { ...stand, to: log.entries.length, items: [...(stand.items ?? []), ...plain] };
  }

  /** The last word about each thing. */
  #warn(path: string, reason: string): void {
    const { seen } = this.#task;
    seen.warnings = [...seen.warnings.filter((warning) => warning.path !== path), { path, reason }];
  }
}

const itemsOf = ({ entries }: Log, from: number, to?: number): InputItem[] => entries.slice(from, to).map(({ item }) => item);

function missing(): never {
  const sentence = 'The provider does not support native compaction. Set `compact` to "auto" to write a summary instead.';
  throw new AntiphonError("UNSUPPORTED", sentence, { param: "compact" });
}
