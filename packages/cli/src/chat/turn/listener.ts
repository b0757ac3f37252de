/** How far a call has come; one that waits for somebody is dealt with later. */
export type CallState = "written" | "waiting" | "running" | "done" | "failed";

/** What is new about a call of a tool, whoever runs it. */
export interface CallNews {
  /** The call that it is about. */
  id: string;
  name?: string;
  /** What the tool was told: its arguments, a query, a line of code. */
  about?: string;
  state?: CallState;
  /** What came of it, or has come so far. */
  result?: string;
  milliseconds?: number;
}

/** Who is told of an answer as it comes. */
export interface TurnListener {
  thinking(delta: string): void;
  text(delta: string): void;
  /** A message is complete; the next one begins on a line of its own. */
  textEnd(): void;
  call(news: CallNews): void;
  /** Something that is worth a line. */
  note(text: string): void;
}
