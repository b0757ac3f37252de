import type { Loss } from "../core/loss.ts";
import { isAnswer } from "../core/pending.ts";
import { addUsage } from "../core/usage.ts";
import { createProgress } from "../hosted/progress.ts";
import type { ToolProgress } from "../hosted/tool-event.ts";
import type { EventOf, InputItem, ResponseEvent, ResponseResource, TerminalEvent } from "../model/index.ts";
import { nestedIn, type NestedRun } from "./agent-tool.ts";
import { sendable } from "./loop/run-items.ts";
import type { RunEventOf } from "./loop/run-events.ts";
import type { PendingCall } from "./loop/run-options.ts";
import { lossesIn } from "./tell-losses.ts";

/** What the events of a run tell, beside its response. */
export interface RunFacts {
  /** Nothing where the stream broke off before its end. */
  response: ResponseResource | undefined;
  steps: { response: ResponseResource; outputs: InputItem[] }[];
  losses: Loss[];
  pending: PendingCall[];
  metadata: ToolProgress;
  /** What agents that ran as tools took. */
  nested: NestedRun | undefined;
}

type Arm = (facts: RunFacts, event: ResponseEvent) => void;

const end: Arm = (facts, event) => {
  facts.response = (event as TerminalEvent).response;
};

/** An arm is asked with the event that it is named after: whoever makes that one vouches for its fields. */
const arms: ReadonlyMap<string, Arm> = new Map<string, Arm>([
  ["response.completed", end],
  ["response.incomplete", end],
  ["response.failed", end],
  [
    "response.output_item.done",
    (facts, event) => {
      const { item } = event as EventOf<"response.output_item.done">;
      if (isAnswer(item)) facts.steps.at(-1)?.outputs.push(sendable(item));
    },
  ],
  ["antiphon:step", (facts, event) => facts.steps.push({ response: (event as Told<"step">).response, outputs: [] })],
  ["antiphon:paused", (facts, event) => (facts.pending = (event as Told<"paused">).pending)],
  [
    "antiphon:tool_progress",
    (facts, event) => {
      const nested = nestedIn((event as Told<"tool_progress">).data);
      if (nested) facts.nested = facts.nested ? add(facts.nested, nested) : nested;
    },
  ],
  ["antiphon:loss", (facts, event) => facts.losses.push(...lossesIn(event))],
]);

type Told<T extends "step" | "paused" | "tool_progress"> = RunEventOf<`antiphon:${T}`>;

const add = (a: NestedRun, b: NestedRun): NestedRun => ({
  usage: addUsage(a.usage, b.usage),
  ...(a.cost === undefined || b.cost === undefined ? {} : { cost: a.cost + b.cost }),
});

/** Reads the events of a run once, from its first to its last; the pieces of texts may be missing. */
export function readRun(events: Iterable<ResponseEvent>): RunFacts {
  const progress = createProgress();
  const facts: RunFacts = { response: undefined, steps: [], losses: [], pending: [], metadata: {}, nested: undefined };
  for (const event of events) {
    arms.get(event.type)?.(facts, event);
    progress.push(event);
  }
  facts.metadata = progress.metadata;
  return facts;
}

/** The same losses, each once. */
export function distinct(losses: readonly Loss[]): Loss[] {
  const known = new Map(losses.map((loss) => [`${loss.path}\n${loss.reason}`, loss]));
  return [...known.values()];
}
