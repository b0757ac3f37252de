import { expect } from "vitest";
import { reduce } from "../../../src/core/reduce.ts";
import type { EventStream, Respond } from "../../../src/core/respond.ts";
import type { CreateResponse, FunctionCall, InputItem, ResponseEvent, ResponseResource } from "../../../src/model/index.ts";
import { run } from "../../../src/agent/loop/run.ts";
import type { RunOptions } from "../../../src/agent/loop/run-options.ts";
import { foldLaw, lifecycleLaw } from "../../../src/testing/laws.ts";
import type { Scripted } from "../../../src/testing/scripted.ts";
import type { RunnableTool, ToolContext } from "../../../src/tools/tool.ts";

type Body = (input: never, context: ToolContext) => unknown;

/** A tool without a schema: it takes whatever JSON the model writes. */
export const tool = (name: string, body: Body, more: Partial<RunnableTool> = {}): RunnableTool => ({
  name,
  definition: {
    type: "function",
    name,
    description: `Does ${name}.`,
    parameters: { type: "object", properties: { city: { type: "string" } }, additionalProperties: true },
  },
  changes: [],
  read: (written) => (typeof written === "string" ? JSON.parse(written) : written),
  run: body,
  ...more,
});

/** A call as a script writes it. */
export const call = (call_id: string, name: string, input: unknown = {}): InputItem => ({
  type: "function_call",
  call_id,
  name,
  arguments: typeof input === "string" ? input : JSON.stringify(input),
});

/** All events of a stream. */
export async function eventsOf(stream: EventStream): Promise<ResponseEvent[]> {
  const events: ResponseEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** Fails unless a stream keeps the laws of streams and the rule that out-of-band events repeat the number before them. */
export function expectLawful(events: readonly ResponseEvent[]): void {
  expect(lifecycleLaw(events) ?? foldLaw(events)).toBeUndefined();
  let last = 0;
  for (const { type, sequence_number } of events) {
    if (type.includes(":")) expect(sequence_number).toBe(last);
    last = sequence_number;
  }
}

export interface Played {
  events: ResponseEvent[];
  response: ResponseResource;
  /** The types of the events, in order. */
  types: string[];
  /** The items of the output in short: their types, with the text of outputs. */
  output: string[];
}

/** Plays a run to its end, and judges its stream. */
export const play = async (respond: Respond, request: CreateResponse, options: RunOptions = {}): Promise<Played> =>
  judged(await eventsOf(run(respond, request, { newId: counting(), now: () => 1_767_225_600, ...options })));

export function judged(events: ResponseEvent[]): Played {
  expectLawful(events);
  const response = reduce(events);
  return { events, response, types: events.map(({ type }) => type), output: response.output.map(short) };
}

const short = (item: InputItem): string =>
  "output" in item
    ? `${item.type}: ${typeof item.output === "string" ? item.output : JSON.stringify(item.output)}`
    : `${item.type}`;

export function counting(): (prefix: string) => string {
  let count = 0;
  return (prefix) => `${prefix}_run_${(count += 1)}`;
}

/** The out-of-band events of one type. */
export const notes = (events: readonly ResponseEvent[], type: string): ResponseEvent[] =>
  events.filter((event) => event.type === `antiphon:${type}`);

/** The outputs of function calls in a list, by `call_id`. */
export const outputsIn = (items: readonly InputItem[]): [string, unknown][] =>
  items.flatMap((item) => (item.type === "function_call_output" ? [[item.call_id, item.output]] : []));

export const isCall = (item: InputItem): item is FunctionCall => item.type === "function_call";

/** The items that a scripted model was asked with; none where it was not asked so often. */
export const askedWith = (model: Scripted, turn: number): InputItem[] => {
  const input = model.requests[turn]?.input;
  return Array.isArray(input) ? input : [];
};

/** A promise and what settles it. */
export function deferred<T = void>(): { promise: Promise<T>; resolve(value: T): void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}
