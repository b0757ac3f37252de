import type { AgentOptions, AgentTool, ConnectOptions, ModelChoice, PriceLookup, ReasoningEffort, TextConfig } from "antiphon";
import type { ContextOptions } from "antiphon/conversation";

/** The options of a chat. */
export interface ChatSettings {
  model: ModelChoice;
  /** Finds the model of `/model`, for names that the library does not know. */
  findModel?(name: string): ModelChoice;
  instructions?: string;
  tools?: readonly AgentTool[];
  effort?: Effort;
  verbosity?: Verbosity;
  /** The directory for saved conversations. Without it, nothing is saved. */
  sessions?: string;
  /** The conversation to continue: its id, a unique prefix, or `true` for the last used one. */
  resume?: string | true;
  /** The file of the input history. Without it, the history is not saved. */
  history?: string;
  /** Whether to use colours. By default, a terminal has colours unless `NO_COLOR` or `TERM=dumb` is set. */
  colour?: boolean;
  /** When the conversation is compacted. Defaults to the library's limits. */
  context?: Pick<ContextOptions, "budget" | "threshold" | "minRecent">;
  /** The first message, sent when the chat opens. */
  first?: string;
  /** Why the model was chosen, if the user did not configure one. */
  reason?: string;
  /** The maximum number of tokens of an answer. */
  maxTokens?: number;
  /** The maximum number of model calls per answer. */
  maxSteps?: number;
  /** Other options of every request. */
  request?: Pick<AgentOptions, "temperature" | "parallel_tool_calls" | "store" | "timeouts">;
  prices?: PriceLookup;
  connect?: ConnectOptions;
}

/** The values of `/effort`. */
export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh"] as const satisfies readonly ReasoningEffort[];
export type Effort = (typeof efforts)[number];

/** The values of `/verbosity`. */
export const verbosities = ["low", "medium", "high"] as const satisfies readonly TextConfig["verbosity"][];
export type Verbosity = (typeof verbosities)[number];

/** The streams of a chat: those of the process or of a test. */
export interface ChatIo {
  input: NodeJS.ReadableStream & { isTTY?: boolean; setRawMode?(raw: boolean): unknown };
  /** Receives the answers. */
  output: NodeJS.WritableStream & { isTTY?: boolean; columns?: number; rows?: number };
  /** Receives everything else if there is no terminal. */
  errors: NodeJS.WritableStream;
  env: Readonly<Record<string, string | undefined>>;
  /** Ends the chat cleanly. */
  signal: AbortSignal;
  /** Calls back on an interrupt, such as Ctrl-C if keys are not read one by one. Returns a function that unsubscribes. */
  onInterrupt(listener: () => void): () => void;
  /** Suspends the process until the shell resumes it, if possible. */
  suspend?(): Promise<void>;
}
