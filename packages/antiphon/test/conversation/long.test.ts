import { expect, test } from "vitest";
import { Agent } from "../../src/agent/agent.ts";
import { Chat } from "../../src/agent/chat.ts";
import { memorySessions } from "../../src/conversation/memory-sessions.ts";
import type { LogRecord, SessionStore } from "../../src/conversation/log-records.ts";
import { estimateTokens } from "../../src/conversation/token-count.ts";
import type { Respond } from "../../src/core/respond.ts";
import type { CreateResponse, InputItem } from "../../src/model/index.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { scripted } from "../../src/testing/scripted.ts";
import { tool } from "../../src/tools/define.ts";
import { runs } from "../support/runs.ts";
import { counting, keeping } from "./chat-support.ts";
import { asksForSummary, wordsIn } from "./context-support.ts";

const turns = runs(200, 2_000);
const budget = 4_000;

/** A model that keeps, of what it is to summarise, what somebody said about themselves: facts survive as in a careful summary. */
const secretary: Respond = (request, call) => {
  const facts = new Set(
    wordsIn(request)
      .join()
      .match(/My name is \w+|The code is \w+/g),
  );
  return scripted([`${[...facts].join(". ")}.`])(request, call);
};

const question = "What is the code?";
const asksForCode = (request: CreateResponse): boolean => wordsIn(request).at(-1) === JSON.stringify(question);

/** A model that reads what it is sent, and nothing else. */
const reader: Respond = (request, call) => {
  const known = `${request.instructions} ${wordsIn(request).join()}`;
  return scripted([/The code is (\w+)/.exec(known)?.[1] ?? "I do not know."])(request, call);
};

/** What one turn cost. */
interface Cost {
  /** Tokens that were sent, about. */
  tokens: number;
  /** Items that were sent. */
  items: number;
  /** Items that the loop handed down. */
  handed: number;
  /** Characters that were stored. */
  stored: number;
  requests: number;
}

/** A long conversation with tools; what each turn cost. */
async function live(stores: boolean) {
  const answers = offline({ newId: counting() });
  let cost: Cost = { tokens: 0, items: 0, handed: 0, stored: 0, requests: 0 };
  const watched: Respond = (request, call) => {
    cost.requests += 1;
    cost.items += request.input?.length ?? 0;
    cost.tokens += estimateTokens(JSON.stringify([request.input, request.instructions]));
    if (asksForCode(request)) return reader(request, call);
    return asksForSummary(request) ? secretary(request, call) : answers(request, call);
  };
  const kept = memorySessions();
  const store: SessionStore = {
    ...kept,
    append: (id, at, records: readonly LogRecord[]) => {
      cost.stored += JSON.stringify(records).length;
      return kept.append(id, at, records);
    },
  };
  const dice = tool({
    name: "dice",
    description: "Throws dice.",
    run: () => `You threw ${(cost.requests * 7) % 6}. ${"Rattle. ".repeat(30)}`,
  });
  const handed = (request: CreateResponse): void => void (cost.handed += (request.input as InputItem[]).length);
  const { upstream } = keeping(watched);
  const agent = new Agent({
    model: stores ? upstream : watched,
    tools: [dice],
    instructions: "Play.",
    prepareStep: (_, request) => handed(request),
  });
  const chat = agent.chat({ store, id: "long", context: { budget } });
  const costs: Cost[] = [];
  await chat.send("My name is Ada. The code is swordfish. Remember both.");
  for (let turn = 1; turn < turns; turn += 1) {
    cost = { tokens: 0, items: 0, handed: 0, stored: 0, requests: 0 };
    await chat.send(`Turn ${turn}: [[call:dice {}]] throw the dice, and tell me about ${"the weather ".repeat(5)}`);
    costs.push(cost);
    expect(chat.stats().context?.totalTokens).toBeLessThan(budget);
  }
  return { chat, agent, store: kept, costs };
}

test.each([
  ["keeps responses", true],
  ["keeps nothing", false],
])(
  `${turns} turns with tools stay within their budget, at a flat cost, and a fact stays known, at a provider that %s`,
  async (_, stores) => {
    const { chat, agent, store, costs } = await live(stores);
    expect(chat.stats().context?.compactions).toBeGreaterThan(turns / 40);
    expect(chat.stats().context?.summarised).toBeGreaterThan(turns);

    // The fact is in none of the messages that are sent any more.
    expect(chat.log.compacted?.summary).toContain("The code is swordfish");
    const recent = chat.log.items.slice(chat.log.compacted?.to);
    expect(JSON.stringify(recent)).not.toContain("swordfish");
    expect((await chat.send(question)).text).toBe("swordfish");

    // The last quarter costs what the second did, in every respect.
    const quarter = Math.floor(costs.length / 4);
    for (const what of ["tokens", "items", "handed", "stored", "requests"] as const) {
      const sum = (part: readonly Cost[]): number => part.reduce((total, cost) => total + cost[what], 0);
      const [early, late] = [sum(costs.slice(quarter, 2 * quarter)), sum(costs.slice(-quarter))];
      expect(Math.abs(late / early - 1), `${what}: ${early} and then ${late}`).toBeLessThan(0.2);
    }

    // All of it is there when it is opened again, and it goes on from the summary.
    const again = await Chat.from(agent, store, "long", { context: { budget } });
    expect(again.log.turns).toHaveLength(turns + 1);
    expect((await again.send(question)).text).toBe("swordfish");
  },
);
