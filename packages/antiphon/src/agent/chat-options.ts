import type { CacheStats } from "../conversation/cache-guard.ts";
import type { Compactor } from "../conversation/compactor.ts";
import type { ContextOptions, ContextStats } from "../conversation/context-options.ts";
import type { SessionStore } from "../conversation/log-records.ts";
import type { Usage } from "../model/index.ts";
import type { AgentStats, SendOptions } from "./agent-options.ts";
import type { Journal } from "./loop/run-options.ts";

/** How a chat is kept. */
export interface ChatOptions {
  /** The conversation's id, also in the store; a fresh one where left out. */
  id?: string;
  /** Keeps the conversation: what is said is in the store before it is sent or shown. */
  store?: SessionStore;
  /** How it is kept within its budget, or who does that; `false` lets it grow. */
  context?: ContextOptions | Compactor | false;
  /** Whether the provider's prompt cache is looked after; so where nothing is said. */
  guard?: boolean;
  /** Remembers which calls ran, so that none runs twice; in the store where there is one, else in memory. */
  journal?: Journal;
}

/** What may be said about one turn. */
export type TurnOptions<Context = unknown, Output = unknown> = Omit<SendOptions<Context, Output>, "around">;

/** How a chat stands. */
export interface ChatStats extends Pick<AgentStats, "provider" | "model" | "isGpt5Model" | "reasoningEffort" | "verbosity"> {
  /** Messages, whoever wrote them. */
  messages: number;
  turns: number;
  /** Whether the next request goes on from the provider's last response, and only what is new is sent. */
  chained: boolean;
  /** Of all turns since the chat was opened. */
  usage: Usage;
  /** Only where a context manager of this library looks after it. */
  context?: ContextStats;
  cache?: CacheStats;
}
