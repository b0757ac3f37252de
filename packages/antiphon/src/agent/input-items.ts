import { AntiphonError } from "../core/error.ts";
import { butNot } from "../core/options.ts";
import { user } from "../model/construct.ts";
import { isObject } from "../model/guards.ts";
import type { InputContent, InputItem } from "../model/index.ts";
import { checkItem, checkParts, isPart } from "./check-input.ts";

/** The input of an agent: text, the parts of one message, an item, or a list of items. */
export type AgentInput = string | readonly InputContent[] | InputItem | readonly InputItem[];

const isList = (input: AgentInput): input is readonly InputContent[] | readonly InputItem[] => Array.isArray(input);

const areParts = (list: readonly InputContent[] | readonly InputItem[]): list is readonly InputContent[] => isPart(list[0]);

/**
 * Returns any input as a new list of items. Throws `BAD_REQUEST` if it is invalid. The items stay the same objects, which a log
 * recognizes without comparing them.
 */
export function toItems(input: AgentInput): InputItem[] {
  if (typeof input === "string") return [user(input)];
  if (!isList(input)) {
    if (!isObject(input)) throw notInput(input);
    checkItem(input, "input");
    return [input];
  }
  if (areParts(input)) {
    checkParts(input, "input");
    return [user([...input])];
  }
  for (const [index, item] of input.entries()) checkItem(item, `input[${index}]`);
  return [...input];
}

const notInput = (input: unknown): AntiphonError =>
  new AntiphonError("BAD_REQUEST", `The input must be text, an item, or a list of items or of parts${butNot(input)}.`, {
    param: "input",
  });
