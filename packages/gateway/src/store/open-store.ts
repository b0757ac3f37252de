import { memoryStore } from "./memory.ts";
import { postgresStore } from "./postgres.ts";
import { sqliteStore } from "./sqlite.ts";
import type { Store } from "./store.ts";

const postgres = /^postgres(ql)?:\/\//;

export interface OpenOptions {
  /** Only keys are made, read or changed: whoever else uses the same store is not disturbed. */
  keysOnly?: boolean;
}

/** Opens a store by name: `memory`, a `postgres://` URL, or the path of a SQLite file. */
export async function openStore(place: string | Store, { keysOnly = false }: OpenOptions = {}): Promise<Store> {
  if (typeof place !== "string") return place;
  if (place === "memory" || place === ":memory:") return memoryStore();
  return postgres.test(place) ? postgresStore(place) : sqliteStore(place.replace(/^sqlite:/, ""), { keysOnly });
}
