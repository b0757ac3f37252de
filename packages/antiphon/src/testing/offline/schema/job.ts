import type { JsonObject } from "../../../model/guards.ts";
import type { Facts } from "../facts.ts";

/** Where in the form a value goes. */
export interface Place {
  /** The property's name. */
  name: string;
  /** The place in a list, or the number of the attempt: different ones give different values. */
  salt: number;
  depth: number;
  /** The references that led here: one that comes again is filled as briefly as it allows. */
  trail: readonly string[];
  brief: boolean;
}

/** One filling of one schema. */
export interface Job {
  root: JsonObject;
  facts: Facts;
  /** Whether optional properties are filled where the text says nothing about them. */
  invent: boolean;
  /** How many of the text's numbers are used up: `add 2 and 3` fills `a` and `b`. */
  numbersUsed: number;
  /** A value for one place, or `undefined` where nothing is valid there. */
  fill(schema: unknown, at: Place): unknown;
}
