import { checkOptions, func, limit, type Rules } from "../core/options.ts";

/** Where a cache keeps its answers: text by key, for a time. */
export interface CacheStore {
  get(key: string): string | undefined | Promise<string | undefined>;
  /** Keeps a text for so many milliseconds; `0` for ever. */
  set(key: string, value: string, ttl: number): void | Promise<void>;
}

/** How much a cache in memory holds. */
export interface MemoryCacheOptions {
  /** 64 MB where nothing is said; what was not used for longest goes first. */
  maxBytes?: number;
  now?(): number;
}

const memoryCacheRules: Rules<MemoryCacheOptions> = { maxBytes: limit(0), now: func };

interface Entry {
  value: string;
  bytes: number;
  expires: number;
}

/** Strings take up to two bytes a character. */
const bytesOf = (key: string, value: string): number => 2 * (key.length + value.length);

/**
 * Creates a cache in memory, bounded in bytes.
 *
 * @example
 * const respond = cache({ store: memoryCache({ maxBytes: 1_000_000 }), scope: "openai" })(connect(provider("openai")));
 */
export function memoryCache(options: MemoryCacheOptions = {}): CacheStore {
  checkOptions("memoryCache", options, memoryCacheRules);
  const { maxBytes = 64_000_000, now = () => performance.now() } = options;
  // A map keeps the order of insertion, so the first entry is the one that was not used for longest.
  const entries = new Map<string, Entry>();
  let held = 0;
  const remove = (key: string): void => {
    held -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };
  return {
    get: (key) => {
      const entry = entries.get(key);
      if (!entry) return undefined;
      if (entry.expires <= now()) {
        remove(key);
        return undefined;
      }
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set: (key, value, ttl) => {
      remove(key);
      const bytes = bytesOf(key, value);
      if (bytes > maxBytes) return;
      entries.set(key, { value, bytes, expires: ttl > 0 ? now() + ttl : Number.POSITIVE_INFINITY });
      held += bytes;
      for (const oldest of entries.keys()) {
        if (held <= maxBytes) break;
        remove(oldest);
      }
    },
  };
}
