import { describe, expect, test } from "vitest";
import { Log } from "../../src/conversation/log.ts";
import { plan, type Plan } from "../../src/conversation/plan.ts";
import type { CreateResponse, InputItem } from "../../src/model/index.ts";
import { planLaw } from "../../src/testing/conversation-laws.ts";
import { stateful, type Stateful } from "../../src/testing/stateful/index.ts";
import { inBriefs, recordedExchanges, type Exchange } from "./recorded-chains.ts";
import { origin, target } from "./support.ts";

const followUps = recordedExchanges().filter(({ parent }) => parent);

/** The exchanges before one, oldest first. */
const before = ({ parent }: Exchange): Exchange[] => (parent ? [...before(parent), parent] : []);

/** What our log would hold when the recorded request was made. */
function logOf(exchange: Exchange): Log {
  const log = new Log();
  for (const { fresh, response, request } of before(exchange)) {
    log.append(fresh.map((item) => ({ item })));
    const stored = request.store !== false && response.store && response.status === "completed";
    log.append(response.output.map((item) => ({ item, origin: origin(response.id, "first", { stored }) })));
  }
  log.append(exchange.fresh.map((item) => ({ item })));
  return log;
}

/** A strict server that was there when the exchanges took place. */
function witness(exchange: Exchange): Stateful {
  const server = stateful();
  for (const { request, response } of exchange.earlier) server.learn(request, response);
  return server;
}

const asRequest = ({ previous_response_id, input, store }: Plan): CreateResponse => ({
  input,
  store,
  ...(previous_response_id && { previous_response_id }),
});

/** The plan that says all of it again, as most clients do every time. */
function replay(log: Log, store: boolean): Plan {
  const fork = log.fork();
  // Nothing is stood in for, but the chain is broken.
  fork.compact({ to: 0 });
  return plan(fork, target(), { store, hoist: false });
}

// Reviewed: where the recorded client sent something else than we would, and why.
const leavesOutReasoning = "the client leaves out reasoning that it was given; we send it back";
const leavesOutCalls = "the client leaves out the server-side call; we send it back";
const masked = "the recorder masked what the model had written";
const respelt = "the recorder wrote the same text in other characters";
const missing = "the exchange between the two is not among the recordings";
const parsed = "the client parsed the arguments and wrote them again, with the date in another form";
const differences: Readonly<Record<string, string>> = {
  "fantasy--azure-gpt-5-mini-thinking--02: we send reasoning": leavesOutReasoning,
  "fantasy--azure-gpt-5-mini-thinking-streaming--02: we send reasoning": leavesOutReasoning,
  "fantasy--openai-gpt-5-thinking--02: we send reasoning": leavesOutReasoning,
  "fantasy--openai-gpt-5-thinking-streaming--02: we send reasoning": leavesOutReasoning,
  "fantasy--openai-o4-mini-thinking--02: we send reasoning": leavesOutReasoning,
  "fantasy--openai-o4-mini-thinking-streaming--02: we send reasoning": leavesOutReasoning,
  "mastra--core-src-agent-tests-stream-e2e--12: they send function_call_output": missing,
  "mastra--core-src-agent-tests-stream-e2e--12: they send item_reference": missing,
  "mastra--core-src-agent-tests-stream-e2e--12: we send function_call_output": missing,
  "mastra--schema-compat-src-provider-compats-openai-e2e--05: they send function_call": parsed,
  "mastra--schema-compat-src-provider-compats-openai-e2e--05: we send function_call": parsed,
  "mastra--schema-compat-src-provider-compats-openai-reasoning-e2e--05: they send function_call": parsed,
  "mastra--schema-compat-src-provider-compats-openai-reasoning-e2e--05: we send function_call": parsed,
  "opencode--native-openai-oauth-tool-loop--02: they send function_call": masked,
  "opencode--native-openai-oauth-tool-loop--02: we send function_call": masked,
  "opencode--native-zen-tool-loop--02: they send function_call": masked,
  "opencode--native-zen-tool-loop--02: we send function_call": masked,
  "pydantic-ai--openai-responses-compact-stateful-mode-stream--04: they send assistant": respelt,
  "pydantic-ai--openai-responses-compact-stateful-mode-stream--04: we send assistant": respelt,
  "pydantic-ai--openai-responses-model-file-search-tool--05: we send file_search_call": leavesOutCalls,
  "pydantic-ai--openai-responses-model-retry--02: they send assistant":
    "the client sends an empty message that the model did not write",
  "ruby-llm--providers-bedrock-mantle-responses-chat-calls-tools-thro-71fae2--02: we send reasoning": leavesOutReasoning,
};

// Everywhere: ids, statuses and log probabilities of messages and calls are left out; text stands in the form in which it was said.

describe("recorded sessions", () => {
  test("there are some of each kind", () => {
    expect(followUps.length).toBeGreaterThan(90);
    expect(followUps.filter(({ request }) => request.previous_response_id).length).toBeGreaterThan(8);
    expect(followUps.filter(({ request }) => request.store === false).length).toBeGreaterThan(20);
  });

  test("our next request is taken by a strict server, chained and in full", () => {
    const refused = followUps.flatMap((exchange) => {
      const log = logOf(exchange);
      const store = exchange.request.store !== false;
      const plans = [plan(log, target(), { store }), replay(log, store)];
      return plans.flatMap((made) => {
        const error = witness(exchange).check(asRequest(made));
        return error ? [`${exchange.id}, ${made.reason}: ${error.message}`] : [];
      });
    });
    expect(refused).toEqual([]);
  });

  test("what we send is lawful, to the same provider and to any other", () => {
    const others = [
      target(),
      target("second"),
      target("third", { stores: false }),
      target("fourth", { stores: false, encrypts: false }),
    ];
    const unlawful = followUps.flatMap((exchange) => others.flatMap((other) => planLaw(logOf(exchange), other) ?? []));
    expect(unlawful).toEqual([]);
  });

  test("where the client chained, we chain to the same response with the same items", () => {
    for (const exchange of followUps.filter(({ request }) => request.previous_response_id)) {
      const made = plan(logOf(exchange), target(), { hoist: false });
      expect(made.previous_response_id).toBe(exchange.request.previous_response_id);
      expect(inBriefs(made.input)).toEqual(inBriefs(exchange.items));
    }
  });

  test("where the client sent everything, so do we, but for reviewed differences", () => {
    const found = followUps
      .filter(({ request }) => !request.previous_response_id)
      .flatMap((exchange) => compare(exchange, replay(logOf(exchange), exchange.request.store !== false).input));
    expect(found.toSorted()).toEqual(Object.keys(differences).toSorted());
  });
});

/** What only one side says; what both say must come in the same order. */
function compare({ id, items }: Exchange, ours: readonly InputItem[]): string[] {
  const [theirs, own] = [inBriefs(items), inBriefs(ours)];
  const [theirSet, ownSet] = [new Set(theirs), new Set(own)];
  const order = (list: string[], other: Set<string>): string => list.filter((item) => other.has(item)).join();
  const name = id.slice(id.indexOf("/") + 1);
  const only = (side: string, list: string[], other: Set<string>): string[] =>
    list.filter((item) => !other.has(item)).map((item) => `${name}: ${side} ${JSON.parse(item)[0]}`);
  const disorder = order(theirs, ownSet) === order(own, theirSet) ? [] : [`${name}: another order`];
  return [...new Set([...only("they send", theirs, ownSet), ...only("we send", own, theirSet), ...disorder])];
}
