import { AntiphonError } from "../core/error.ts";
import { user } from "../model/construct.ts";
import type { CreateResponse, InputItem } from "../model/index.ts";
import type { Target } from "./log-records.ts";
import type { Log } from "./log.ts";
import { newItems } from "./new-items.ts";
import type { Plan } from "./plan.ts";

/** Adds the items of a request to the log that are not in it yet. */
export function takeDown(log: Log, { input, previous_response_id, conversation }: CreateResponse): void {
  if (previous_response_id || conversation) {
    const param = previous_response_id ? "previous_response_id" : "conversation";
    throw new AntiphonError("BAD_REQUEST", `Remove \`${param}\` from the request: the log sets it.`, { param });
  }
  const items: InputItem[] = typeof input === "string" ? [user(input)] : (input ?? []);
  const fresh = newItems(log, items);
  log.append(fresh.map((item) => ({ item })));
  log.recognise(items);
}

/** The request as it is sent. */
export function planned(
  request: CreateResponse,
  { previous_response_id, input, instructions, include, store }: Plan,
  target: Target,
): CreateResponse {
  const wanted = [...new Set([...(request.include ?? []), ...include])];
  const sent: CreateResponse = { ...request, input };
  if (instructions !== undefined) sent.instructions = instructions;
  if (previous_response_id !== undefined) sent.previous_response_id = previous_response_id;
  if (wanted.length > 0) sent.include = wanted;
  if (target.stores) sent.store = store;
  return sent;
}

/** Whether two plans send the same, so that the second would fail like the first. */
export const isSame = (a: Plan, b: Plan): boolean => sentOf(a) === sentOf(b);
const sentOf = ({ previous_response_id, include, instructions, input }: Plan): string =>
  JSON.stringify([previous_response_id, include, instructions, input]);
