/** Something in a request that a wire cannot say, and that was therefore left out or changed. */
export interface Loss {
  /** Where in the request: `temperature`, `tools[2]`, `input[0].content[1]`. */
  path: string;
  /** Why, as a sentence. */
  reason: string;
}

/** Something in an answer that its server left out or misnamed, and that was put right. */
export interface Repair {
  /** The rule that was broken: `sequence-number`, `item-id`, … */
  rule: string;
  /** How often. */
  count: number;
}
