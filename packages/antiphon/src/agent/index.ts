export type {
  AgentOptions,
  AgentStats,
  AnyAgent,
  BoundOptions,
  CallArguments,
  Instructions,
  RequestFields,
  SendOptions,
} from "./agent-options.ts";
export type { AgentToolOptions } from "./agent-tool.ts";
export { Agent } from "./agent.ts";
export type { ChatOptions, ChatStats, TurnOptions } from "./chat-options.ts";
export { Chat } from "./chat.ts";
export type { AgentInput } from "./input-items.ts";
export { memoryJournal } from "./loop/journal.ts";
export { pausedRun, resume, type PausedRun } from "./loop/paused-run.ts";
export { ReplyStream, type Partially } from "./reply-stream.ts";
export { Reply, type ReplyJson } from "./reply.ts";
export type { ModelChoice, ResolvedModel } from "./resolve-model.ts";
export { OutputError, RefusalError, RunError } from "./run-error.ts";
export { isRunEvent, type RunEventFields, type RunEventOf, type RunEventType, type ToolStatus } from "./loop/run-events.ts";
export { itemsAfter, pendingCalls } from "./loop/run-items.ts";
export type { Decision, Journal, NeededContext, PendingCall, RunOptions, Step } from "./loop/run-options.ts";
export { looping, run } from "./loop/run.ts";
export { sessionJournal } from "./session-journal.ts";
export type { OutputFrom, OutputSchema } from "./typed-output.ts";
