/** What `lintItems` puts right, rule by rule: what was wrong and what was done about it. */
export const lintRules = {
  "call-id-reused": "A call has the id of an earlier one; it and its output were given another.",
  "call-unanswered": "A call has no output; one that says it was interrupted was added.",
  "compaction-unreadable": "Another provider made the compaction, or refused it; it was left out.",
  "duplicate-id": "An id stood on two different items; the later one goes without.",
  "duplicate-item": "An item stood there twice; the later one was left out.",
  "empty-message": "The assistant said nothing; the message was left out.",
  "foreign-blob": "Another provider made the encrypted content, or it was refused; it was taken off.",
  "hosted-alone": "A server-side call lost the reasoning that led to it; it goes as text, or not at all.",
  "hosted-foreign": "Another provider ran the server-side tool; the call goes as text, or not at all.",
  "id-needless": "The whole message or call is sent, so that its id says nothing and may be refused; it goes without.",
  "id-unknown": "The provider does not keep the reasoning under its id; it goes without.",
  "null-field": "A field was null, which some servers refuse; it was left out.",
  "output-doubled": "A call was answered twice; the last answer counts.",
  "output-early": "An output stood before its call; it was moved behind it.",
  "output-only-field": "Servers write the field and refuse to read it; it was left out.",
  "output-orphaned": "An output answers no call; it was left out.",
  "reasoning-orphaned": "Reasoning stood without the item that it led to; it was left out.",
  "reasoning-unreadable": "Nothing was left of the reasoning that the provider could read; it was left out.",
  "reference-unknown": "The provider does not keep the item that is referred to; the reference was left out.",
} as const satisfies Record<string, string>;

export type LintRule = keyof typeof lintRules;

/** One thing that was put right. */
export interface LintChange {
  rule: LintRule;
  /** Which item of the list that was given; its length for something that was added at the end. */
  index: number;
  /** The type of that item. */
  type: string;
}
