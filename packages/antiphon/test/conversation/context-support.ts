import { collect } from "../../src/core/collect.ts";
import { fromBatches, type Respond } from "../../src/core/respond.ts";
import { contextManager } from "../../src/conversation/context.ts";
import type { ContextManager, ContextOptions } from "../../src/conversation/context-options.ts";
import { converse } from "../../src/conversation/converse.ts";
import type { Target } from "../../src/conversation/log-records.ts";
import { Log } from "../../src/conversation/log.ts";
import { isTerminal } from "../../src/model/guards.ts";
import type { CreateResponse, InputItem, ResponseEvent } from "../../src/model/index.ts";
import { scripted, type ScriptedTurn } from "../../src/testing/scripted.ts";

export const target: Target = {
  provider: "acme",
  endpoint: "https://llm.acme.example/v1",
  model: "m",
  stores: true,
  encrypts: false,
};

/** Whether a request asks for a summary rather than for an answer. */
export const asksForSummary = ({ instructions }: CreateResponse): boolean =>
  instructions?.startsWith("You write the memory") === true;

/** The words of a request's input, one string for each item. */
export const wordsIn = ({ input }: CreateResponse): string[] =>
  Array.isArray(input) ? input.map((item) => JSON.stringify("content" in item ? item.content : item)) : [String(input)];

/**
 * A model that answers with `answer` and writes summaries with `summary`; what it was asked is kept apart. Like a provider that keeps
 * responses, it also counts what it is not sent again.
 */
export function model(answer: ScriptedTurn, summary: ScriptedTurn = "They talked.") {
  const turn: ScriptedTurn = (request, index) => {
    const written = asksForSummary(request) ? summary : answer;
    return typeof written === "function" ? written(request, index) : written;
  };
  const inner = scripted(Array.from({ length: 5_000 }, () => turn));
  const asked: CreateResponse[] = [];
  const kept = new Map<string, InputItem[]>();
  const respond: Respond = ({ previous_response_id, ...request }, call) =>
    fromBatches(async function* () {
      asked.push({ ...request, ...(previous_response_id ? { previous_response_id } : {}) });
      const input = [...(kept.get(previous_response_id ?? "") ?? []), ...((request.input as InputItem[]) ?? [])];
      for await (const event of inner({ ...request, input }, call)) {
        if (isTerminal(event)) kept.set(event.response.id, [...input, ...event.response.output]);
        yield [event];
      }
    });
  return {
    respond,
    get requests() {
      return asked.filter((request) => !asksForSummary(request));
    },
    get summaries() {
      return asked.filter(asksForSummary);
    },
  };
}

/** A conversation that is kept within a budget. */
export function conversation(respond: Respond, options: ContextOptions = {}, about: Partial<Target> = {}) {
  const log = new Log("conversation");
  const context: ContextManager = contextManager(options);
  const ask = converse({ log, target: { ...target, ...about }, compact: context })(respond);
  const events: ResponseEvent[] = [];
  const watched: Respond = (request, call) =>
    fromBatches(async function* () {
      for await (const event of ask(request, call)) {
        events.push(event);
        yield [event];
      }
    });
  return {
    log,
    context,
    events,
    /** The out-of-band events of a kind. */
    told: (type: string) => events.filter((event) => event.type === `antiphon:${type}`),
    say: (input: string | InputItem[], more: CreateResponse = {}) => collect(watched({ model: "m", input, ...more })),
  };
}
