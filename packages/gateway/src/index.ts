export { isStorableId, storeLimits, type StoreLimits } from "./store/limits.ts";
export { memoryStore, type MemoryOptions } from "./store/memory.ts";
export { postgresStore, type PostgresOptions } from "./store/postgres.ts";
export { sqliteStore, type SqliteOptions } from "./store/sqlite.ts";
export type * from "./store/store.ts";
