import { AntiphonError, type InputItem, type ResponseEvent } from "antiphon";

/** How large the things may grow that callers can grow; sizes in bytes of JSON. */
export interface StoreLimits {
  /** All turns of a chain together. */
  chainBytes: number;
  /** Items that one conversation ever takes. */
  conversationItems: number;
  conversationBytes: number;
  /** The event log of one response. */
  logBytes: number;
}

const megabyte = 1024 * 1024;

/** The limits of every store: sizes of ids, items and lists. */
export const storeLimits: StoreLimits = {
  chainBytes: 64 * megabyte,
  conversationItems: 100_000,
  conversationBytes: 64 * megabyte,
  logBytes: 64 * megabyte,
};

// PostgreSQL indexes no long texts, and neither engine keeps half a surrogate pair or, in a text, the character NUL.
const longestId = 256;
const unstorable = /\0|\p{Surrogate}/u;

/** Checks whether an id can be stored. */
export const isStorableId = (id: string): boolean =>
  id.length > 0 && id.length <= longestId && (isPlainId(id) || !unstorable.test(id));

/** Most ids are letters and digits alone: to see that takes a fraction of what the expression does. */
export function isPlainId(id: string): boolean {
  for (let at = 0; at < id.length; at += 1) if (id.charCodeAt(at) < 0x20 || id.charCodeAt(at) > 0x7e) return false;
  return true;
}

/** Refuses ids that cannot be kept. */
export function checkIds(ids: Readonly<Record<string, string | null>>): void {
  for (const param in ids) {
    const id = ids[param];
    if (typeof id === "string" && !isStorableId(id))
      throw new AntiphonError(
        "BAD_REQUEST",
        `\`${param}\` must be an id of 1 to ${longestId} characters without control characters.`,
        {
          param,
        },
      );
  }
}

/** An item as it is kept. */
export interface ItemText {
  id: string;
  text: string;
}

/** Items as they are kept, each under its id. */
export function itemTexts(items: readonly InputItem[]): ItemText[] {
  return items.map((item) => {
    const id = item.id ?? "";
    checkIds({ item: id });
    return { id, text: JSON.stringify(item) };
  });
}

/** What items take up. */
export const sizeOf = (items: readonly ItemText[]): number => items.reduce((sum, { text }) => sum + bytesOf(text), 0);

/** Events as they are kept: a batch under the numbers of its first and its last. */
export interface BatchText {
  first: number;
  last: number;
  text: string;
  bytes: number;
}

/** A batch as it is kept; nothing for no events. Events that are not numbered one after another are nobody's log. */
export function batchText(events: readonly ResponseEvent[]): BatchText | undefined {
  const first = events[0]?.sequence_number;
  if (first === undefined) return undefined;
  if (!events.every(({ sequence_number }, index) => sequence_number === first + index))
    throw new AntiphonError("PROTOCOL", "Events must have consecutive sequence numbers.");
  const text = JSON.stringify(events);
  return { first, last: first + events.length - 1, text, bytes: bytesOf(text) };
}

/** The events of batches, in order, with numbers above `after` and up to `after + limit`. */
export function eventsWithin(batches: readonly { batch: string }[], after: number, limit: number): ResponseEvent[] {
  const events = batches.flatMap(({ batch }) => JSON.parse(batch) as ResponseEvent[]);
  return events.filter(({ sequence_number: number }) => number > after && number <= after + limit);
}

export const bytesOf = (text: string): number => Buffer.byteLength(text);

/** What cannot be added up would make every later sum wrong. */
export function checkDollars(dollars: number): void {
  if (!Number.isFinite(dollars)) throw new AntiphonError("BAD_REQUEST", `The amount spent must be a number, not ${dollars}.`);
}
