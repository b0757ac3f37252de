import { isMessage, textOf } from "../transcript.ts";
import type { Conversation } from "./conversation.ts";

/** The last exchange of a conversation that is resumed. */
export interface Recap {
  question?: string;
  answer?: string;
  /** How many turns there were before it. */
  earlier: number;
}

/** What was last said, so that one knows where one was. */
export function recapOf({ chat }: Conversation): Recap {
  const { turns, entries } = chat.log;
  const last = turns.at(-1);
  if (!last) return { earlier: 0 };
  const messages = entries.slice(last.from, last.to).flatMap(({ item }) => (isMessage(item) ? [item] : []));
  const saidBy = (role: string, words: (message: (typeof messages)[number]) => string): string =>
    messages
      .filter((message) => message.role === role)
      .map(words)
      .join("\n\n");
  const question = saidBy("user", (message) => typed(message.content) ?? textOf(message));
  const answer = saidBy("assistant", textOf);
  return { ...(question && { question }), ...(answer && { answer }), earlier: turns.length - 1 };
}

/** What was typed, without the files that went with it, which it names. */
function typed(content: unknown): string | undefined {
  const [first]: readonly unknown[] = Array.isArray(content) ? content : [];
  return typeof first === "object" && first !== null && "text" in first ? String(first.text) : undefined;
}
