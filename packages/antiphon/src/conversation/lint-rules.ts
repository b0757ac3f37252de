/** Every repair of `lintItems`, with the problem and the solution. */
export const lintRules = {
  "call-id-reused": "Renamed a call that reused an id, and its output.",
  "call-unanswered": "Added an output to an unanswered call: it was interrupted.",
  "compaction-unreadable": "Removed a compaction that the provider cannot read.",
  "duplicate-id": "Removed an id that another item has.",
  "duplicate-item": "Removed an item that appeared twice.",
  "empty-message": "Removed an empty assistant message.",
  "foreign-blob": "Removed encrypted content that the provider cannot read.",
  "hosted-alone": "Converted a server-side call without its reasoning to text, or removed it.",
  "hosted-foreign": "Converted a server-side call of another provider to text, or removed it.",
  "id-needless": "Removed an unnecessary id of an item that is sent in full.",
  "id-unknown": "Removed the id of reasoning that the provider does not store.",
  "null-field": "Removed a null field, which some servers reject.",
  "output-doubled": "Removed all but the last output of a call.",
  "output-early": "Moved an output after its call.",
  "output-only-field": "Removed a field that servers return but do not accept.",
  "output-orphaned": "Removed an output without a call.",
  "reasoning-orphaned": "Removed reasoning without the item that followed it.",
  "reasoning-unreadable": "Removed reasoning that the provider cannot read.",
  "reference-unknown": "Removed a reference to an item that the provider does not store.",
} as const satisfies Record<string, string>;

export type LintRule = keyof typeof lintRules;

/** One repair. */
export interface LintChange {
  rule: LintRule;
  /** The index of the item in the given list; the length of the list for an item that was added at its end. */
  index: number;
  /** The type of that item. */
  type: string;
}
