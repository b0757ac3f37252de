import { z } from "zod";
import { Agent } from "../../src/agent/agent.ts";
import type { AgentOptions } from "../../src/agent/agent-options.ts";
import type { CreateResponse, InputItem } from "../../src/model/index.ts";
import type { Respond } from "../../src/core/respond.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { tool } from "../../src/tools/define.ts";
import type { Upstream } from "../../src/transport/upstream.ts";

/** A provider that keeps responses, as far as anybody can tell, and the requests that it was sent. */
export function keeping(respond: Respond, name = "acme"): { upstream: Upstream; requests: CreateResponse[] } {
  const requests: CreateResponse[] = [];
  const watched: Respond = (request, call) => {
    requests.push(request);
    return respond(request, call);
  };
  const upstream = {
    name,
    model: `${name}-1`,
    respond: watched,
    preset: { name, wire: "local", stores: true, respond: () => watched },
  };
  return { upstream, requests };
}

/** An agent on the offline model, and the requests that the model was sent. */
export function offlineAgent(options: Partial<AgentOptions> = {}) {
  const { upstream, requests } = keeping(offline({ newId: counting() }));
  return { agent: new Agent({ model: upstream, ...options }), requests };
}

/** Ids that count: the offline model's own are a hash of the request, and two equal requests are two here. */
export function counting(): (prefix: string) => string {
  let count = 0;
  return (prefix) => `${prefix}_${(count += 1)}`;
}

/** A tool that writes down each time that it runs. */
export function ledger(options: { approval?: boolean } = {}) {
  const paid: string[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays somebody.",
    input: z.object({ to: z.string() }),
    run: ({ to }) => {
      paid.push(to);
      return `Paid ${to}.`;
    },
    ...options,
  });
  return { paid, pay };
}

/** What the user said, in order. */
export const saidIn = (items: readonly InputItem[]): string[] =>
  items.flatMap((item) => ("role" in item && item.role === "user" ? [String(item.content)] : []));

/** All that a loop over something gives. */
export async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}
