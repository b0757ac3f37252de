import type { AgentOptions, AgentTool, ConnectOptions, ModelChoice, PriceLookup, ReasoningEffort, TextConfig } from "antiphon";
import type { ContextOptions } from "antiphon/conversation";

/** What a chat is opened with. */
export interface ChatSettings {
  model: ModelChoice;
  /** The model that `/model` names, for those who know more names than the library; the name itself where nothing is said. */
  findModel?(name: string): ModelChoice;
  instructions?: string;
  tools?: readonly AgentTool[];
  effort?: Effort;
  verbosity?: Verbosity;
  /** The directory that sessions are kept in; nothing is kept where left out. */
  sessions?: string;
  /** The session to go on with: its id, or `true` for the one that was used last. */
  resume?: string | true;
  /** The file of what was typed before; nothing is remembered where left out. */
  history?: string;
  /** Whether to colour; where nothing is said, a terminal is coloured unless `NO_COLOR` or `TERM=dumb` is set. */
  colour?: boolean;
  /** When the conversation is compacted; the library's own measures where left out. */
  context?: Pick<ContextOptions, "budget" | "threshold" | "minRecent">;
  /** Tokens that an answer may have. */
  maxTokens?: number;
  /** How many times the model may be asked for one answer. */
  maxSteps?: number;
  /** What else goes with every request. */
  request?: Pick<AgentOptions, "temperature" | "parallel_tool_calls" | "store" | "timeouts">;
  prices?: PriceLookup;
  connect?: ConnectOptions;
}

/** The efforts that `/effort` takes. */
export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh"] as const satisfies readonly ReasoningEffort[];
export type Effort = (typeof efforts)[number];

/** The lengths that `/verbosity` takes. */
export const verbosities = ["low", "medium", "high"] as const satisfies readonly TextConfig["verbosity"][];
export type Verbosity = (typeof verbosities)[number];

/** What a chat reads from and writes to: the streams of a process, or those of a test. */
export interface ChatIo {
  input: NodeJS.ReadableStream & { isTTY?: boolean; setRawMode?(raw: boolean): unknown };
  /** Where the answers go. */
  output: NodeJS.WritableStream & { isTTY?: boolean; columns?: number; rows?: number };
  /** Where all else goes when there is no terminal to show it on. */
  errors: NodeJS.WritableStream;
  env: Readonly<Record<string, string | undefined>>;
  /** Ends the chat in good order. */
  signal: AbortSignal;
  /** Calls back when somebody interrupts the process from outside, as Ctrl-C does where keys are not read one by one; gives what ends that. */
  onInterrupt(listener: () => void): () => void;
  /** Stops the process until the shell brings it back, where that is possible. */
  suspend?(): Promise<void>;
}
