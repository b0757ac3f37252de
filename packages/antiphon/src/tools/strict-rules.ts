/**
 * Every change that the strict conversion makes to a schema, with its reason. `not-strict` comes with a reason of its
 * own.
 */
export const strictRules = {
  closed: "Strict mode does not allow additional properties.",
  "optional-to-nullable": "Strict mode requires all properties; null represents an omitted one.",
  "default-on-return": "Strict mode does not support `default`; the description states it, and it replaces a missing value.",
  "keyword-to-description": "Strict mode does not support this rule; the description states it.",
  "keyword-dropped": "Strict mode does not support this keyword.",
  "one-of-to-any-of": "Strict mode does not support `oneOf`; it was replaced by `anyOf`.",
  "siblings-to-branches": "The sibling keywords of the union were copied into each branch.",
  "all-of-merged": "Strict mode does not support `allOf`; its parts were merged into one schema.",
  "ref-inlined": "Strict mode does not support a reference here; it was replaced by its target.",
  "type-list-to-any-of": "Strict mode supports one type per schema; each type became a branch of `anyOf`.",
  "nullable-to-null": "`nullable` is not JSON Schema; null was added to the types.",
  "tuple-to-items": "Strict mode requires one schema for all entries of a list.",
  "tuple-to-any-of": "Strict mode requires one schema for all entries of a list; the description states their order.",
  "root-wrapped": "Providers require an object at the root; the value became its only property.",
} as const;

/** The name of a change. */
export type StrictRule = keyof typeof strictRules;
