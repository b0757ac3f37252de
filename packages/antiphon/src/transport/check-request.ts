import { AntiphonError } from "../core/error.ts";
import { isObject } from "../model/guards.ts";
import type { CreateResponse } from "../model/index.ts";

/** Refuses a request whose lists are none: only callers without types get that far, and codecs would trip over them. */
export function checkRequest({ input, tools }: CreateResponse): void {
  if (typeof input !== "string") checkList("input", input, "a text or a list of items");
  checkList("tools", tools, "a list of tools");
}

function checkList(param: string, list: unknown, wanted: string): void {
  if (list === undefined || list === null || (Array.isArray(list) && list.every(isObject))) return;
  throw new AntiphonError("BAD_REQUEST", `\`${param}\` has to be ${wanted}.`, { param });
}
