import { hash } from "../core/hash.ts";
import type { Loss } from "../core/loss.ts";
import { anyText, checkOptions, type Rules } from "../core/options.ts";
import { batchesOf, fromBatches, type Middleware } from "../core/respond.ts";
import { addUsage, noUsage } from "../core/usage.ts";
import { isTerminal } from "../model/guards.ts";
import type { CreateResponse, ResponseEvent, Tool, Usage } from "../model/index.ts";
import { firstChange, prefixOf, toolName, type Prefix, type PrefixChange } from "./prefix.ts";

/** What a cache guard is told. */
export interface CacheGuardOptions {
  /** Names the conversation to the provider, so that its requests meet the same cache. */
  key?: string;
}

const cacheGuardRules: Rules<CacheGuardOptions> = { key: anyText };

/** How a conversation did with the provider's prompt cache. */
export interface CacheStats {
  requests: number;
  inputTokens: number;
  cachedTokens: number;
  /** The part of the input that came from the cache, from 0 to 1. */
  hitShare: number;
  /** How often the prefix changed, and where it last did. */
  changes: number;
  lastChange?: PrefixChange;
}

/** A middleware that also tells how it went. */
export type CacheGuard = Middleware & { stats(): CacheStats };

const longestKey = 64;

/**
 * Middleware that keeps a prompt cacheable: stable cache key, stable tool order, and an event when the prefix
 * changes. It belongs right above the provider, one for each conversation. A request whose `prompt_cache_key` is
 * `null` passes as it is.
 *
 * @example
 * const guard = cacheGuard({ key: log.id });
 * const respond = guard(connect(provider("openai")));
 */
export function cacheGuard(options: CacheGuardOptions = {}): CacheGuard {
  checkOptions("cacheGuard", options, cacheGuardRules);
  const memory = new Memory(options.key);
  const guard: Middleware = (next) => (asked, call) => {
    // Something that is asked beside the conversation.
    if (asked.prompt_cache_key === null) return next(asked, call);
    return fromBatches(() => {
      const request = memory.prepare(asked);
      const prefix = memory.prefixOf(request);
      const change = memory.compare(prefix);
      const inner = batchesOf(next(request, call));
      const isOurs = request.prompt_cache_key !== asked.prompt_cache_key;
      let told = change === undefined;
      return {
        next: async () => {
          if (!told) {
            told = true;
            return { done: false, value: [{ type: "antiphon:prefix_changed", sequence_number: 0, ...change }] };
          }
          const result = await inner.next();
          if (result.done) return result;
          memory.watch(result.value, prefix);
          return { done: false, value: isOurs ? withoutOurLoss(result.value) : result.value };
        },
        return: async () => (await inner.return?.()) ?? { done: true, value: undefined },
      };
    });
  };
  return Object.assign(guard, { stats: () => memory.stats() });
}

/** What is remembered of the requests of one conversation. */
class Memory {
  readonly #key: string | undefined;
  readonly #hashes = new WeakMap<object, string>();
  readonly #order = new Map<string, number>();
  #before: Prefix | undefined;
  #usage: Usage = noUsage;
  #requests = 0;
  #changes = 0;
  #lastChange: PrefixChange | undefined;

  constructor(key: string | undefined) {
    this.#key = key !== undefined && key.length > longestKey ? `${key.slice(0, 40)}-${hash(key)}` : key;
  }

  prepare(request: CreateResponse): CreateResponse {
    const key = request.prompt_cache_key ?? this.#key;
    const tools = request.tools && this.#inOrder(request.tools);
    return { ...request, ...(key === undefined ? {} : { prompt_cache_key: key }), ...(tools ? { tools } : {}) };
  }

  /** Where tools come and go, those that stay keep their place. */
  #inOrder(tools: readonly Tool[]): Tool[] {
    for (const tool of tools) if (!this.#order.has(toolName(tool))) this.#order.set(toolName(tool), this.#order.size);
    const place = (tool: Tool): number => this.#order.get(toolName(tool)) ?? 0;
    return tools.toSorted((a, b) => place(a) - place(b));
  }

  prefixOf = (request: CreateResponse): Prefix => prefixOf(request, (part) => this.#hash(part));

  compare(prefix: Prefix): PrefixChange | undefined {
    const change = this.#before && firstChange(this.#before, prefix);
    if (change) {
      this.#changes += 1;
      this.#lastChange = change;
    }
    return change;
  }

  /** A request counts once the provider has taken it: one that was refused is in no cache. */
  watch(events: readonly ResponseEvent[], prefix: Prefix): void {
    for (const event of events) {
      if (event.type === "response.created") this.#before = prefix;
      if (!isTerminal(event)) continue;
      this.#requests += 1;
      const { usage } = event.response;
      if (usage && !usage.estimated) this.#usage = addUsage(this.#usage, usage);
    }
  }

  #hash(part: object): string {
    let known = this.#hashes.get(part);
    if (known === undefined) this.#hashes.set(part, (known = hash(JSON.stringify(part))));
    return known;
  }

  stats(): CacheStats {
    const { input_tokens: inputTokens, input_tokens_details } = this.#usage;
    const cachedTokens = input_tokens_details.cached_tokens;
    return {
      requests: this.#requests,
      inputTokens,
      cachedTokens,
      hitShare: inputTokens > 0 ? cachedTokens / inputTokens : 0,
      changes: this.#changes,
      ...(this.#lastChange ? { lastChange: this.#lastChange } : {}),
    };
  }
}

/** A wire without such keys need not tell the caller, who gave none. */
function withoutOurLoss(events: ResponseEvent[]): ResponseEvent[] {
  if (!events.some(({ type }) => type === "antiphon:loss")) return events;
  return events.flatMap((event) => {
    if (event.type !== "antiphon:loss") return [event];
    const losses = (event as { losses?: Loss[] }).losses?.filter(({ path }) => path !== "prompt_cache_key") ?? [];
    return losses.length > 0 ? [{ ...event, losses }] : [];
  });
}
