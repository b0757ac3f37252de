import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Agent } from "../../src/agent/agent.ts";
import { Chat } from "../../src/agent/chat.ts";
import { memorySessions } from "../../src/conversation/memory-sessions.ts";
import type { SessionStore } from "../../src/conversation/log-records.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { user } from "../../src/model/construct.ts";
import type { InputItem } from "../../src/model/index.ts";
import { foldLaw, lifecycleLaw } from "../../src/testing/laws.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { scripted } from "../../src/testing/scripted.ts";
import { tool } from "../../src/tools/define.ts";
import { all, counting, keeping, ledger, offlineAgent, saidIn } from "./chat-support.ts";

const call = (call_id: string, name: string, input: object = {}): InputItem => ({
  type: "function_call",
  call_id,
  name,
  arguments: JSON.stringify(input),
});

describe("a chat", () => {
  test("remembers", async () => {
    const chat = offlineAgent().agent.chat();
    await chat.send("My name is Ada.");
    expect((await chat.send("What is my name?")).text).toBe("Your name is Ada.");
    expect(saidIn(chat.items)).toEqual(["My name is Ada.", "What is my name?"]);
  });

  test("sends only what is new where the provider keeps responses, also between the steps of a turn", async () => {
    const { paid, pay } = ledger();
    const { agent, requests } = offlineAgent({ tools: [pay], instructions: "Be brief." });
    const chat = agent.chat();
    await chat.send("Hello");
    const { text } = await chat.send('[[call:pay {"to":"Ada"}]] Pay Ada.');
    expect(text).toContain("Paid Ada.");
    expect(paid).toEqual(["Ada"]);
    expect(requests.map(({ input }) => input?.length)).toEqual([1, 1, 1]);
    expect(requests.map(({ previous_response_id }) => previous_response_id !== undefined)).toEqual([false, true, true]);
    for (const { instructions } of requests) expect(instructions).toBe("Be brief.");
  });

  test("sends all of it to a provider that keeps nothing", async () => {
    const respond = scripted(["One", "Two", "Three"]);
    const chat = new Agent({ model: respond }).chat();
    for (const word of ["a", "b", "c"]) await chat.send(word);
    expect(respond.requests.map(({ input }) => input?.length)).toEqual([1, 3, 5]);
  });

  test("gives the same views of a turn as an agent does, lawfully", async () => {
    const { pay } = ledger();
    const { agent } = offlineAgent({ tools: [pay] });
    const stream = agent.chat().stream('[[call:pay {"to":"Ada"}]] Pay Ada.');
    const events = await all(stream);
    const pieces = await all(stream.text());
    expect(lifecycleLaw(events)).toBeUndefined();
    expect(foldLaw(events)).toBeUndefined();
    expect((await stream.reply).text).toBe(pieces.join("").replace(/^[^]*?(?=The pay)/, ""));
  });

  test("gives typed output", async () => {
    const chat = offlineAgent().agent.chat();
    const { output } = await chat.send("How warm is it in Oslo?", {
      output: z.object({ city: z.string(), celsius: z.number() }),
    });
    expect(output.city).toBe("Oslo");
    expect((await chat.send("What did I say?")).text).toContain("How warm is it in Oslo?");
  });

  test("takes one turn at a time, and says so", async () => {
    const chat = offlineAgent().agent.chat();
    const first = chat.send("[[slow:5]] One two three.");
    await expect(chat.send("Me too!")).rejects.toMatchObject({ code: "BAD_REQUEST", vendorCode: "chat_busy" });
    await expect(chat.undo()).rejects.toMatchObject({ vendorCode: "chat_busy" });
    await first;
    expect((await chat.send("What did I say?")).text).toContain("One two three.");
    expect(saidIn(chat.items)).not.toContain("Me too!");
  });

  test("begins a turn when somebody reads, with what has been said by then", async () => {
    const chat = offlineAgent().agent.chat();
    const later = chat.stream("What did I say?");
    await chat.send("Blue.");
    expect((await later.reply).text).toContain("Blue.");
  });

  test("goes on with the agent as it is now: another model, another provider", async () => {
    const first = keeping(offline({ newId: counting() }), "first");
    const second = keeping(offline({ newId: counting() }), "second");
    const agent = new Agent({ model: first.upstream });
    const chat = agent.chat();
    await chat.send("My name is Ada.");
    agent.model = second.upstream;
    expect((await chat.send("What is my name?")).text).toBe("Your name is Ada.");
    expect(second.requests[0]?.previous_response_id).toBeUndefined();
    agent.model = first.upstream;
    await chat.send("Hello again.");
    // What the second said is new to the first.
    expect(first.requests[1]?.input).toHaveLength(3);
  });

  test("stays with the agent that it was handed to", async () => {
    const billing = new Agent({ name: "billing", model: scripted(["Billing here.", "Still billing."]) });
    const front = new Agent({ name: "front", model: scripted([[call("c1", "transfer_to_billing")]]), handovers: [billing] });
    const chat = front.chat();
    expect((await chat.send("My bill is wrong.")).text).toBe("Billing here.");
    expect((await chat.send("Hello?")).text).toBe("Still billing.");
  });
});

describe("a turn that does not end well", () => {
  test("that is stopped leaves what had come, and the next one goes on", async () => {
    const chat = offlineAgent().agent.chat();
    const stream = chat.stream("[[slow:2]] [[say:one two three four five]]");
    for await (const _ of stream.text()) break;
    expect((await chat.send("What did I say?")).finish).toBe("stop");
    expect(saidIn(chat.items)).toHaveLength(2);
  });

  test("that is stopped while a tool runs is answered as interrupted, and the tool does not run again", async () => {
    let runs = 0;
    const stop = new AbortController();
    const slow = tool({ name: "slow", run: () => ((runs += 1), stop.abort(), new Promise(() => {})) });
    const chat = new Agent({ model: scripted([[call("c1", "slow")], "Sorry."]), tools: [slow] }).chat();
    expect((await chat.send("Go", { signal: stop.signal })).finish).toBe("cancelled");
    expect(chat.pending).toMatchObject([{ call_id: "c1", name: "slow" }]);
    expect((await chat.resume()).text).toBe("Sorry.");
    expect(runs).toBe(1);
    expect(JSON.stringify(chat.items)).toContain("interrupted");
  });

  test("that left calls behind can be talked past", async () => {
    const stop = new AbortController();
    const slow = tool({ name: "slow", run: () => (stop.abort(), new Promise(() => {})) });
    const model = scripted([[call("c1", "slow")], "Fine."]);
    const chat = new Agent({ model, tools: [slow] }).chat();
    await chat.send("Go", { signal: stop.signal });
    expect((await chat.send("Never mind.")).text).toBe("Fine.");
    expect((model.requests[1]!.input as InputItem[]).map(({ type }) => type)).toEqual([
      "message",
      "function_call",
      "function_call_output",
      "message",
    ]);
  });

  test("that fails loses nothing, and is asked again without saying it twice", async () => {
    const { paid, pay } = ledger();
    const failure = new AntiphonError("SERVER_ERROR", "Down.");
    const model = scripted([failure, [call("c1", "pay", { to: "Ada" })], failure, "Done."]);
    const chat = new Agent({ model, tools: [pay] }).chat();
    await expect(chat.send("Pay Ada.")).rejects.toMatchObject({ code: "SERVER_ERROR" });
    await expect(chat.send("Pay Ada.")).rejects.toMatchObject({ code: "SERVER_ERROR" });
    expect((await chat.resume()).text).toBe("Done.");
    expect(saidIn(chat.items)).toEqual(["Pay Ada."]);
    expect(paid).toEqual(["Ada"]);
  });

  test("keeps what tools gave before the rest was stopped", async () => {
    const stop = new AbortController();
    const { paid, pay } = ledger();
    const slow = tool({ name: "slow", run: () => (setTimeout(() => stop.abort(), 5), new Promise(() => {})) });
    const model = scripted([[call("c1", "pay", { to: "Ada" }), call("c2", "slow")], "Sorry."]);
    const chat = new Agent({ model, tools: [pay, slow] }).chat();
    await chat.send("Go", { signal: stop.signal });
    await chat.resume();
    expect(paid).toEqual(["Ada"]);
    const outputs = (model.requests[1]!.input as InputItem[]).flatMap((item) => ("output" in item ? [String(item.output)] : []));
    expect(outputs).toEqual(["Paid Ada.", expect.stringContaining("interrupted")]);
  });
});

describe("calls that wait for consent", () => {
  const paused = (store?: SessionStore) => {
    const { paid, pay } = ledger({ approval: true });
    const model = scripted([[call("c1", "pay", { to: "Ada" })], "Done."]);
    const agent = new Agent({ model, tools: [pay] });
    return { agent, paid, chat: agent.chat({ ...(store && { store }), id: "s" }) };
  };
  const agreed = { decisions: { c1: { action: "continue" } } } as const;

  test("are named, and go on when it is given", async () => {
    const { chat, paid } = paused();
    expect((await chat.send("Pay Ada.")).finish).toBe("tool_calls");
    expect(paid).toEqual([]);
    expect((await chat.resume(agreed)).text).toBe("Done.");
    expect(paid).toEqual(["Ada"]);
    expect(chat.pending).toEqual([]);
  });

  test("go on from JSON", async () => {
    const { agent, chat, paid } = paused();
    await chat.send("Pay Ada.");
    const copy = Chat.from(agent, JSON.stringify(chat));
    expect(copy.pending).toMatchObject([{ call_id: "c1" }]);
    await copy.resume(agreed);
    expect(paid).toEqual(["Ada"]);
  });

  test("go on from a store, once, whoever tries", async () => {
    const store = memorySessions();
    const { agent, chat, paid } = paused(store);
    await chat.send("Pay Ada.");
    const [one, other] = await Promise.all([Chat.from(agent, store, "s"), Chat.from(agent, store, "s")]);
    const outcomes = await Promise.allSettled([one.resume(agreed), other.resume(agreed)]);
    expect(paid).toEqual(["Ada"]);
    expect(outcomes.map(({ status }) => status)).toContain("fulfilled");
  });

  test("of the same name in different turns are different calls", async () => {
    const { paid, pay } = ledger();
    const turn = [call("call_0", "pay", { to: "Ada" })];
    const chat = new Agent({ model: scripted([turn, "Done.", turn, "Done."]), tools: [pay] }).chat({ store: memorySessions() });
    await chat.send("Pay Ada.");
    await chat.send("Again.");
    expect(paid).toEqual(["Ada", "Ada"]);
  });
});

describe("requests for approval of a remote MCP call", () => {
  const request = { type: "mcp_approval_request", id: "mcpr_1", server_label: "docs", name: "write", arguments: "{}" } as const;
  const asked = async () => {
    const store = memorySessions();
    const { upstream, requests } = keeping(scripted([[request], "Fine."]));
    const agent = new Agent({ model: upstream });
    const chat = agent.chat({ store, id: "s" });
    const reply = await chat.send("Write it down.");
    return { agent, chat, reply, requests, store };
  };

  test("are pending in the reply, in the chat and in a chat that is reopened", async () => {
    const { agent, chat, reply, store } = await asked();
    const reopened = await Chat.from(agent, store, "s");
    for (const { pending } of [reply, chat, Chat.from(agent, JSON.stringify(chat)), reopened])
      expect(pending).toMatchObject([{ type: "mcp_approval_request", call_id: "mcpr_1", name: "write" }]);
  });

  test("are answered by a decision", async () => {
    const { agent, store, requests } = await asked();
    const chat = await Chat.from(agent, store, "s");
    expect((await chat.resume({ decisions: { mcpr_1: { action: "continue" } } })).text).toBe("Fine.");
    expect(requests[1]?.input).toEqual([{ type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true }]);
    expect(chat.pending).toEqual([]);
  });

  test("are declined by another message, so that none stays open in the provider's chain", async () => {
    const { chat, requests } = await asked();
    expect((await chat.send("Never mind.")).text).toBe("Fine.");
    expect(requests[1]).toMatchObject({
      previous_response_id: expect.any(String),
      input: [{ type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: false }, { content: "Never mind." }],
    });
    expect(chat.pending).toEqual([]);
  });
});

describe("a chat in a store", () => {
  test("is there before anything of it is shown", async () => {
    const store = memorySessions();
    const kept = async (): Promise<string[]> => saidIn((await Chat.from(agent, store, "s")).items);
    const { agent } = offlineAgent();
    const chat = agent.chat({ store, id: "s" });
    for await (const event of chat.stream("Hello")) {
      expect(await kept()).toEqual(["Hello"]);
      if (event.type !== "response.completed") continue;
      const reopened = await Chat.from(agent, store, "s");
      expect(reopened.items).toHaveLength(2);
    }
  });

  test("is opened and goes on, with all that it knew", async () => {
    const store = memorySessions();
    const { agent, requests } = offlineAgent();
    await (await Chat.from(agent, store, "s")).send("My name is Ada.");
    const again = await Chat.from(agent, store, "s");
    expect((await again.send("What is my name?")).text).toBe("Your name is Ada.");
    expect(requests[1]?.previous_response_id).toBeDefined();
    expect(await store.list()).toEqual(["s"]);
  });

  test("refuses a writer that does not know what another wrote", async () => {
    const store = memorySessions();
    const { agent } = offlineAgent();
    const [one, other] = [await Chat.from(agent, store, "s"), await Chat.from(agent, store, "s")];
    await one.send("Hello");
    await expect(other.send("Hi")).rejects.toMatchObject({ vendorCode: "session_conflict" });
    expect(saidIn((await Chat.from(agent, store, "s")).items)).toEqual(["Hello"]);
  });

  test("tells of a store that cannot be written to", async () => {
    const store = memorySessions();
    let full = false;
    const append: SessionStore["append"] = async (...record) =>
      full ? Promise.reject(new Error("No space.")) : store.append(...record);
    const { agent } = offlineAgent();
    const chat = agent.chat({ store: { ...store, append } });
    const events = [];
    for await (const event of chat.stream("Hello")) {
      full = true;
      events.push(event);
    }
    expect(events.at(-1)).toMatchObject({ type: "response.failed", response: { error: { message: "No space." } } });
    full = false;
    await chat.send("And now?");
    expect((await store.load(chat.id))?.records).toHaveLength(4);
  });
});

describe("fork, undo and compact", () => {
  test("a fork goes its own way", async () => {
    const chat = offlineAgent().agent.chat();
    await chat.send("My name is Ada.");
    const fork = chat.fork();
    await fork.send("My name is Bob.");
    expect((await fork.send("What is my name?")).text).toBe("Your name is Bob.");
    expect((await chat.send("What is my name?")).text).toBe("Your name is Ada.");
    expect(fork.id).not.toBe(chat.id);
  });

  test("a fork can be of any point, and is kept under its own id", async () => {
    const store = memorySessions();
    const chat = offlineAgent().agent.chat({ store, id: "trunk" });
    for (const word of ["one", "two", "three"]) await chat.send(word);
    const fork = chat.fork({ at: chat.log.turns[1]!.from, id: "branch" });
    await fork.send("another");
    expect(saidIn((await Chat.from(chat.agent, store, "branch")).items)).toEqual(["one", "another"]);
    expect(saidIn((await Chat.from(chat.agent, store, "trunk")).items)).toEqual(["one", "two", "three"]);
  });

  test("undoing takes the last turn back, also in the store, and the chain goes on from the one before", async () => {
    const store = memorySessions();
    const { agent, requests } = offlineAgent();
    const chat = agent.chat({ store, id: "s" });
    await chat.send("My name is Ada.");
    await chat.send("My name is Bob.");
    await chat.undo();
    expect((await chat.send("What is my name?")).text).toBe("Your name is Ada.");
    expect(requests.at(-1)?.previous_response_id).toBe(requests[1]?.previous_response_id);
    const reopened = await Chat.from(agent, store, "s");
    expect(saidIn(reopened.items)).toEqual(["My name is Ada.", "What is my name?"]);
    await reopened.undo(2);
    expect(reopened.items).toEqual([]);
    await reopened.undo();
    expect((await Chat.from(agent, store, "s")).items).toEqual([]);
  });

  test("compacting now writes a summary, which can be undone", async () => {
    const { agent, requests } = offlineAgent();
    const chat = agent.chat({ context: { summarise: async ({ items }) => `${items.length} items.` } });
    for (let turn = 0; turn < 10; turn += 1) await chat.send(`Turn ${turn}`);
    expect(await chat.compact()).toMatchObject({ to: 14, summary: expect.stringContaining("14 items.") });
    await chat.send("Go on.");
    expect(requests.at(-1)?.instructions).toContain("14 items.");
    expect(requests.at(-1)?.input).toHaveLength(7);
    expect(chat.stats()).toMatchObject({ turns: 11, context: { compactions: 1, summarised: 14 } });
    await chat.restore();
    await chat.send("And now?");
    expect(requests.at(-1)?.input).toHaveLength(23);
    expect(chat.items).toHaveLength(24);
  });

  test("a short chat is not compacted, and one without a compactor never is", async () => {
    const { agent } = offlineAgent();
    const chat = agent.chat();
    await chat.send("Hello");
    expect(await chat.compact()).toBeUndefined();
    expect(await agent.chat({ context: false }).compact()).toBeUndefined();
  });
});

describe("stats", () => {
  test("tell how the chat stands", async () => {
    const { agent } = offlineAgent({ reasoning: { effort: "low" } });
    const chat = agent.chat();
    expect(chat.stats()).toMatchObject({ chained: false, turns: 0, messages: 0 });
    const { usage } = await chat.send("Hello");
    expect(chat.stats()).toMatchObject({
      provider: "acme",
      model: "acme-1",
      isGpt5Model: false,
      reasoningEffort: "low",
      messages: 2,
      turns: 1,
      chained: true,
      usage,
      context: { budget: 150_000, compactions: 0 },
      cache: { requests: 1, changes: 0 },
    });
  });

  test("have the budget of a model whose window is known", async () => {
    const chat = new Agent({ model: { ...keeping(offline()).upstream, model: "gpt-4" } }).chat();
    await chat.send("Hello");
    expect(chat.stats().context?.budget).toBeLessThan(8_192);
  });

  test("tell of the cache, whose key is the chat's id and whose guard can be left out", async () => {
    const { agent, requests } = offlineAgent();
    const chat = agent.chat({ id: "support-17" });
    await chat.send("Hello");
    await chat.send("Hello again", { instructions: "Be rude." });
    expect(requests.map(({ prompt_cache_key }) => prompt_cache_key)).toEqual(["support-17", "support-17"]);
    expect(chat.stats().cache).toMatchObject({ changes: 1, lastChange: { path: "instructions" } });
    const bare = agent.chat({ guard: false });
    await bare.send([user("Hello")]);
    expect(requests.at(-1)?.prompt_cache_key).toBeUndefined();
    expect(bare.stats().cache).toBeUndefined();
  });
});
