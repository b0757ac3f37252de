import type { ErrorCode } from "../core/error-codes.ts";
import type { AntiphonError } from "../core/error.ts";
import type { Distrust } from "./plan.ts";

interface Recovery {
  /** What the provider complained about. */
  when: string;
  /** What is done about it. */
  action: string;
  fits(error: AntiphonError): boolean;
  /** What is sent with more care from now on; `count` is how many entries there are. Nothing where the log itself must change. */
  distrust?(count: number, error: AntiphonError): Distrust;
}

const isCode =
  (...codes: ErrorCode[]) =>
  ({ code }: AntiphonError): boolean =>
    codes.includes(code);

// Said by OpenAI and by servers that follow it; none of them has a code for it.
const aboutItems = [
  /duplicate item found/i,
  /no tool (call|output) found/i,
  /without its required (following|'?reasoning'?) item/i,
  /item with id\b.*not found/i,
  /items are not persisted/i,
];

// An item, or a field of one that says what it is; what a message or an output holds is the caller's own business.
const anItem = /^input(\[\d+\](\.(?!content\b|output\b)\w+)?)?$/;

/** The rejections that a conversation recovers from, in order. */
export const recoveries = {
  "chain-lost": {
    when: "The provider does not have the previous response.",
    action: "The whole conversation was sent again.",
    fits: isCode("CHAIN_NOT_FOUND"),
    distrust: (count) => ({ chains: count }),
  },
  "blobs-refused": {
    when: "The provider cannot read encrypted content.",
    action: "The whole conversation was sent again without encrypted content.",
    fits: isCode("INVALID_ENCRYPTED_CONTENT"),
    distrust: (count, { message }) => ({
      chains: count,
      blobs: count,
      ...(/not supported/i.test(message) && { include: false }),
    }),
  },
  "too-long": {
    when: "The conversation does not fit the model's context window.",
    action: "The conversation was compacted and sent again.",
    fits: isCode("CONTEXT_LENGTH_EXCEEDED"),
  },
  "items-refused": {
    when: "The provider reports a missing, duplicate or unpaired item.",
    action: "Only messages and tool calls were sent again.",
    fits: (error) =>
      (isCode("BAD_REQUEST", "NOT_FOUND")(error) && anItem.test(error.param ?? "")) ||
      // Inside a stream there is no status to tell the caller's fault from the server's.
      (isCode("BAD_REQUEST", "NOT_FOUND", "SERVER_ERROR")(error) && aboutItems.some((words) => words.test(error.message))),
    distrust: (count) => ({ chains: count, blobs: count, items: count }),
  },
} as const satisfies Record<string, Recovery>;

export type RecoveryKind = keyof typeof recoveries;

// The table is narrower than the type that its rows are read by.
const rows: readonly (readonly [RecoveryKind, Recovery])[] = Object.entries(recoveries) as [RecoveryKind, Recovery][];

/** What can be done about an error, or nothing. */
export const recoveryFor = (error: AntiphonError): RecoveryKind | undefined => rows.find(([, { fits }]) => fits(error))?.[0];

/** What to be careful about after an error, beside what already was. */
export function warned(before: Distrust, kind: RecoveryKind, count: number, error: AntiphonError): Distrust {
  const row: Recovery = recoveries[kind];
  return { ...before, ...row.distrust?.(count, error) };
}
