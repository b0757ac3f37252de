import { callRules } from "../core/call-rules.ts";
import { AntiphonError } from "../core/error.ts";
import { checkArgument, checkOptions } from "../core/options.ts";
import type { CallOptions } from "../core/respond.ts";
import { isObject } from "../model/guards.ts";
import type { CreateResponse } from "../model/index.ts";

export function checkCall(request: CreateResponse, call: CallOptions): void {
  checkArgument("respond", "a request", isObject(request), request);
  checkOptions("respond", call, callRules);
}

/**
 * Throws `BAD_REQUEST` for lists that the codecs could not read. Other fields pass unchecked: a compatible server may have
 * fields that this library does not know.
 */
export function checkLists({ input, tools }: CreateResponse): void {
  if (typeof input !== "string") checkList("input", input, "a string or a list of items");
  checkList("tools", tools, "a list of tools");
}

function checkList(param: string, list: unknown, wanted: string): void {
  if (list === undefined || list === null || (Array.isArray(list) && list.every(isObject))) return;
  throw new AntiphonError("BAD_REQUEST", `\`${param}\` must be ${wanted}.`, { param });
}
