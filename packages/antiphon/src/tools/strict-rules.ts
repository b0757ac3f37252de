/**
 * Every change that the strict conversion makes to a schema, with its reason. `not-strict` comes with a reason of its
 * own.
 */
export const strictRules = {
  closed: "Strict objects have no properties but those that are named.",
  "optional-to-nullable": "Strict objects have all properties; null stands for one that is left out.",
  "default-on-return": "Strict schemas have no default; it is told in the description, and put in where nothing was given.",
  "keyword-to-description": "Strict schemas do not take this as it stands; it is told in the description.",
  "keyword-dropped": "Strict schemas have no place for this.",
  "one-of-to-any-of": "Strict schemas have no oneOf; anyOf stands for it.",
  "siblings-to-branches": "What stands beside a union was written into each of its branches.",
  "all-of-merged": "Strict schemas have no allOf; its parts became one schema.",
  "ref-inlined": "Strict references stand alone, and not at the root; what this one refers to was written out.",
  "type-list-to-any-of": "Each of several types became a branch of anyOf.",
  "nullable-to-null": "`nullable` is not JSON Schema; null became one of the types.",
  "tuple-to-items": "Strict schemas describe all entries of a list alike, as these are.",
  "tuple-to-any-of": "Strict schemas describe all entries of a list alike; their order is told in the description.",
  "root-wrapped": "Providers want an object at the root; the value is its one property.",
} as const;

/** The name of a change. */
export type StrictRule = keyof typeof strictRules;
