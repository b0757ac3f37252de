import { inputType } from "../model/guards.ts";
import type { InputItem } from "../model/index.ts";
import { closes, isMessage, opens, stringIn } from "./call-pairs.ts";
import type { Entry } from "./log-records.ts";

/** How much of the end of a conversation must stay as it is. */
interface Recent {
  /** Messages and results of tools, at least. */
  messages: number;
  /** Tokens, at least. */
  tokens: number;
}

/**
 * Where a conversation can be cut so that enough stays: the last place that parts no call from its output, no reasoning from what
 * it led to and no response in two. Nothing where there is no such place after `from`.
 */
export function chooseCut(
  entries: readonly Entry[],
  from: number,
  recent: Recent,
  tokensOf: (item: InputItem) => number,
): number | undefined {
  const pairs = new Pairs();
  let messages = 0;
  let tokens = 0;
  let cut: number | undefined;
  for (let at = entries.length - 1; at > from; at -= 1) {
    const { item } = entries[at]!;
    // A call that still waits must stay, and so must all that follows it.
    if (pairs.meet(item) === "waiting") cut = undefined;
    messages += isMessage(item) ? 1 : 0;
    tokens += tokensOf(item);
    if (messages < recent.messages || tokens < recent.tokens) continue;
    if (!pairs.parted && !belongTogether(entries[at - 1]!, entries[at]!)) cut ??= at;
  }
  return cut;
}

/** Calls and their outputs, met from the end. */
class Pairs {
  readonly #answered = new Set<string>();
  /** Answers whose questions have not been met yet. */
  readonly #alone = new Set<string>();

  get parted(): boolean {
    return this.#alone.size > 0;
  }

  meet(item: InputItem): "waiting" | undefined {
    const answer = answersTo(item);
    if (answer !== undefined) {
      this.#answered.add(answer);
      this.#alone.add(answer);
    }
    const question = asks(item);
    if (question === undefined) return undefined;
    this.#alone.delete(question);
    return this.#answered.has(question) ? undefined : "waiting";
  }
}

const approval = (id: string | undefined): string | undefined => (id === undefined ? undefined : `approval ${id}`);

const asks = (item: InputItem): string | undefined =>
  inputType(item) === "mcp_approval_request" ? approval(stringIn(item, "id")) : opens(item);

const answersTo = (item: InputItem): string | undefined =>
  inputType(item) === "mcp_approval_response" ? approval(stringIn(item, "approval_request_id")) : closes(item);

const isQuestion = (item: InputItem): boolean => inputType(item) === "message" && stringIn(item, "role") === "user";

const belongTogether = (before: Entry, after: Entry): boolean =>
  inputType(before.item) === "reasoning" ||
  (before.origin !== undefined && before.origin.response_id === after.origin?.response_id);

/**
 * The user's words that what stays begins with the answer to: however long a run of tools gets, the question stays as it was put, and
 * the conversation still begins with the user.
 */
export function openQuestion(head: readonly InputItem[], tail: readonly Entry[]): InputItem[] {
  if (tail[0] && isQuestion(tail[0].item)) return [];
  const last = head.findLastIndex(isQuestion);
  let first = last;
  while (first > 0 && isQuestion(head[first - 1]!)) first -= 1;
  return last === -1 ? [] : head.slice(first, last + 1);
}
