import { AntiphonError } from "../core/error.ts";
import { user } from "../model/construct.ts";
import { isObject } from "../model/guards.ts";
import type { InputContent, InputItem } from "../model/index.ts";

/** What may be said to an agent: text, the parts of one message, an item, or a list of items. */
export type AgentInput = string | readonly InputContent[] | InputItem | readonly InputItem[];

const partTypes: { [T in InputContent["type"]]: true } = {
  input_text: true,
  input_image: true,
  input_file: true,
  input_video: true,
  input_audio: true,
};

const isList = (input: AgentInput): input is readonly InputContent[] | readonly InputItem[] => Array.isArray(input);

const areParts = (list: readonly InputContent[] | readonly InputItem[]): list is readonly InputContent[] =>
  typeof list[0]?.type === "string" && Object.hasOwn(partTypes, list[0].type);

const unsayable = "What is said to an agent is text, an item, or a list of items or of parts of a message.";

/** Returns any input as a new list of items. The items stay the same objects, which a log recognizes without comparing them. */
export function toItems(input: AgentInput): InputItem[] {
  if (typeof input === "string") return [user(input)];
  const list: readonly unknown[] = isList(input) ? input : [input];
  if (!list.every(isObject)) throw new AntiphonError("BAD_REQUEST", unsayable, { param: "input" });
  if (!isList(input)) return [input];
  return areParts(input) ? [user([...input])] : [...input];
}
