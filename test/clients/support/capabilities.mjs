/** The columns of the matrix. */
export const capabilities = /** @type {const} */ ([
  "text",
  "streaming",
  "tool calls",
  "tool loop",
  "images",
  "typed output",
  "refusal",
  "length",
  "errors",
  "failure",
  "abort",
  "usage",
  "reasoning",
  "recordings",
]);
