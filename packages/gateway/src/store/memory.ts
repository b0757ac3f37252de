import { storeLimits, type StoreLimits } from "./limits.ts";
import { conversations, itemAdder, items } from "./memory/conversations.ts";
import type { MemoryEngine } from "./memory/engine.ts";
import { keys } from "./memory/keys.ts";
import { events, responses, runs } from "./memory/responses.ts";
import { Shelf } from "./memory/shelf.ts";
import type { Store } from "./store.ts";
import { isFinal } from "./texts.ts";
import { Watchers } from "./watchers.ts";

export interface MemoryOptions {
  /** How much is kept: what has not been written to for the longest time goes first. What runs is never dropped. */
  maxBytes?: number;
  limits?: Partial<StoreLimits>;
  /** Milliseconds since 1970. */
  now?: () => number;
}

const defaultBytes = 256 * 1024 * 1024;
const never = 2 ** 31 - 1;

/**
 * Creates a store in memory, which lasts as long as the process.
 *
 * @example
 * const store = memoryStore({ maxBytes: 10_000_000 });
 */
export function memoryStore({ maxBytes = defaultBytes, limits, now = Date.now }: MemoryOptions = {}): Store {
  const engine: MemoryEngine = {
    responses: new Map(),
    conversations: new Map(),
    shelf: new Shelf(maxBytes),
    // Nobody else can change anything: there is nothing to look for.
    watchers: new Watchers(() => false, never),
    limits: { ...storeLimits, ...limits },
    now,
  };
  const addItems = itemAdder(engine);
  return {
    ...responses(engine, addItems),
    ...events(engine),
    ...runs(engine),
    ...conversations(engine, addItems),
    ...items(engine, addItems),
    ...keys(),
    prune: async (before, logsBefore = before) => prune(engine, before, logsBefore),
    close: async () => engine.watchers.stop(),
  };
}

function prune({ responses, conversations, shelf }: MemoryEngine, before: number, logsBefore: number): number {
  const oldResponses = [...responses.values()].filter(({ created_at, run }) => created_at < before && !run);
  const oldConversations = [...conversations.values()].filter(({ used_at }) => used_at < before);
  for (const { id, kept } of oldResponses) {
    responses.delete(id);
    shelf.remove(kept);
  }
  for (const { id, kept } of oldConversations) {
    conversations.delete(id);
    shelf.remove(kept);
  }
  for (const response of responses.values())
    if (response.created_at < logsBefore && isFinal(response.status)) {
      Object.assign(response, { log: [], logBytes: 0 });
      shelf.put(response.kept);
    }
  return oldResponses.length + oldConversations.length;
}
