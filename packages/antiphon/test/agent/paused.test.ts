import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Agent } from "../../src/agent/agent.ts";
import type { AgentOptions, SendOptions } from "../../src/agent/agent-options.ts";
import { Chat } from "../../src/agent/chat.ts";
import type { Reply, ReplyJson } from "../../src/agent/reply.ts";
import { memoryJournal } from "../../src/agent/loop/journal.ts";
import type { Decision } from "../../src/agent/loop/run-options.ts";
import { memorySessions } from "../../src/conversation/memory-sessions.ts";
import { finishReason } from "../../src/core/views.ts";
import type { InputItem } from "../../src/model/index.ts";
import { foldLaw, lifecycleLaw } from "../../src/testing/laws.ts";
import { scripted, type Scripted, type ScriptedTurn } from "../../src/testing/scripted.ts";
import { tool } from "../../src/tools/define.ts";
import { all, call, failure } from "./support.ts";

const approve: Decision = { action: "continue" };
const deny: Decision = { action: "refuse", reason: "Too much." };
const answer: Decision = { action: "replace", output: "Paid by hand." };

const three = ["Ann", "Bob", "Cleo"].map((to, index) => call(`p${index + 1}`, "pay", { to }));

/** An agent whose payments need approval, and a record of the payments. */
function payer(turns: readonly ScriptedTurn[] = [three, "Done."], options: Partial<AgentOptions> = {}) {
  const paid: string[] = [];
  const pay = tool({
    name: "pay",
    input: z.object({ to: z.string() }),
    approval: true,
    run: ({ to }) => {
      paid.push(to);
      return `Paid ${to}.`;
    },
  });
  const model = scripted(turns);
  return { paid, pay, model, agent: new Agent({ model, tools: [pay], ...options }) };
}

const throughJson = (reply: Reply): ReplyJson => JSON.parse(JSON.stringify(reply));

const idsOf = (calls: readonly { call_id: string }[]): string[] => calls.map(({ call_id }) => call_id);

/** The outputs that a model was sent in a request, by `call_id`. */
const outputsIn = (model: Scripted, request: number): Record<string, unknown> => {
  const input: readonly InputItem[] = Array.isArray(model.requests[request]?.input) ? model.requests[request].input : [];
  return Object.fromEntries(input.flatMap((item) => (item.type === "function_call_output" ? [[item.call_id, item.output]] : [])));
};

function expectPaused(reply: Reply, pending: readonly string[]): void {
  expect(reply.finish).toBe("tool_calls");
  expect(idsOf(reply.pending)).toEqual(pending);
  expect(finishReason(reply.response)).toBe("tool_calls");
  expect(reply.text).toBe("");
}

describe("an agent that is resumed with some of its calls decided", () => {
  test.each<[string, (reply: Reply) => Reply | ReplyJson]>([
    ["as it is", (reply) => reply],
    ["through JSON", throughJson],
  ])("reports the undecided calls as pending, and runs each approved call once, %s", async (_, passed) => {
    const { agent, paid, model } = payer();
    const first = await agent.send("Pay everybody.");
    expectPaused(first, ["p1", "p2", "p3"]);
    const second = await agent.resume(passed(first), { decisions: { p2: approve } });
    expectPaused(second, ["p1", "p3"]);
    expect(second.response.status).toBe("incomplete");
    expect(paid).toEqual(["Bob"]);
    const third = await agent.resume(passed(second), { decisions: { p3: deny } });
    expectPaused(third, ["p1"]);
    expect(model.requests).toHaveLength(1);
    const last = await agent.resume(passed(third), { decisions: { p1: answer } });
    expect(last.finish).toBe("stop");
    expect(last.text).toBe("Done.");
    expect(paid).toEqual(["Bob"]);
    expect(outputsIn(model, 1)).toEqual({
      p1: "Paid by hand.",
      p2: "Paid Bob.",
      p3: "The call was declined and did not run: Too much.",
    });
  });

  test("stays paused when it is resumed without decisions", async () => {
    const { agent, paid, model } = payer();
    const paused = await agent.send("Pay everybody.");
    expectPaused(await agent.resume(paused), ["p1", "p2", "p3"]);
    expectPaused(await agent.resume(throughJson(paused), { decisions: {} }), ["p1", "p2", "p3"]);
    expect(paid).toEqual([]);
    expect(model.requests).toHaveLength(1);
  });

  test("reports the same as a stream, which is valid", async () => {
    const { agent } = payer();
    const paused = await agent.send("Pay everybody.");
    const stream = agent.stream(paused.history, { decisions: { p1: approve } });
    const events = await all(stream);
    expect(lifecycleLaw(events) ?? foldLaw(events)).toBeUndefined();
    expect(events.map(({ type }) => type)).toContain("antiphon:paused");
    expect(events.at(-1)?.type).toBe("response.incomplete");
    expectPaused(await stream.reply, ["p2", "p3"]);
  });

  test("reports the same as a model", async () => {
    const { agent } = payer();
    const { history } = await agent.send("Pay everybody.");
    const [last] = (await all(agent.respond({ input: history }))).slice(-1);
    expect(last).toMatchObject({ response: { status: "incomplete", incomplete_details: { reason: "tool_calls" } } });
  });

  test("does not ask again for a typed answer while a call is pending", async () => {
    const { agent, model } = payer([three.slice(0, 2), '{"total":2}']);
    const options = { output: z.object({ total: z.number() }) };
    const paused = await agent.send("Pay everybody.", options);
    const second = await agent.resume(paused, { ...options, decisions: { p1: approve } });
    expectPaused(second, ["p2"]);
    expect(model.requests).toHaveLength(1);
    const { output } = await agent.resume(second, { ...options, decisions: { p2: approve } });
    expect(output).toEqual({ total: 2 });
  });

  test("runs an approved call once with a journal, however often the same run is resumed", async () => {
    const { agent, paid } = payer([three.slice(0, 2), "Done.", "Done."]);
    const paused = await agent.send("Pay everybody.");
    const journal = memoryJournal();
    await agent.resume(paused, { journal, decisions: { p1: approve } });
    const again = await agent.resume(paused, { journal, decisions: { p1: approve } });
    expectPaused(again, ["p2"]);
    await agent.resume(again, { journal, decisions: { p2: approve } });
    expect(paid).toEqual(["Ann", "Bob"]);
  });

  test("hands over only when no call is pending", async () => {
    const billing = new Agent({ name: "billing", model: scripted(["Billing here."]) });
    const transfer = call("t1", "transfer_to_billing");
    const { agent, model } = payer([[...three.slice(0, 2), transfer]], { handovers: [billing] });
    const paused = await agent.send("Pay everybody.");
    const second = await agent.resume(throughJson(paused), { decisions: { p1: approve } });
    expectPaused(second, ["p2"]);
    const last = await agent.resume(throughJson(second), { decisions: { p2: approve } });
    expect(last.text).toBe("Billing here.");
    expect(model.requests).toHaveLength(1);
  });

  test("pauses in the agent that was handed the conversation", async () => {
    const { agent: billing, paid } = payer([three.slice(0, 2), "Done."], { name: "billing" });
    const desk = new Agent({ name: "desk", model: scripted([[call("t1", "transfer_to_billing")]]), handovers: [billing] });
    const paused = await desk.send("Pay everybody.");
    const second = await desk.resume(throughJson(paused), { decisions: { p1: approve } });
    expectPaused(second, ["p2"]);
    expect((await desk.resume(throughJson(second), { decisions: { p2: deny } })).text).toBe("Done.");
    expect(paid).toEqual(["Ann"]);
  });

  test("keeps an agent that is a tool pending until it is approved", async () => {
    const poet = new Agent({ name: "poet", model: scripted(["The sea."]) });
    const verse = (id: string): InputItem => call(id, "poet", { task: "A line." });
    const model = scripted([[verse("v1"), verse("v2")], "Done."]);
    const agent = new Agent({ model, tools: [poet.asTool({ approval: true })] });
    const paused = await agent.send("Two verses.");
    const second = await agent.resume(throughJson(paused), { decisions: { v1: approve } });
    expectPaused(second, ["v2"]);
    expect((await agent.resume(throughJson(second), { decisions: { v2: deny } })).text).toBe("Done.");
    expect(outputsIn(model, 1)).toMatchObject({ v1: "The sea." });
  });

  test("needs the decisions about the calls inside a `parallel` call together", async () => {
    const uses = ["Ann", "Bob"].map((to) => ({ recipient_name: "functions.pay", parameters: { to } }));
    const { agent, paid } = payer([[call("m1", "parallel", { tool_uses: uses })], "Done."]);
    const paused = await agent.send("Pay both.");
    expectPaused(paused, ["m1.0", "m1.1"]);
    const second = await agent.resume(throughJson(paused), { decisions: { "m1.0": approve } });
    expectPaused(second, ["m1.0", "m1.1"]);
    expect(paid).toEqual([]);
    await agent.resume(throughJson(second), { decisions: { "m1.0": approve, "m1.1": approve } });
    expect(paid).toEqual(["Ann", "Bob"]);
  });
});

describe("a decision", () => {
  test("about an unknown call is an error that names it and the pending calls, and nothing runs", async () => {
    const { agent, paid, model } = payer();
    const paused = await agent.send("Pay everybody.");
    const decisions = { p1: approve, p9: approve };
    const error = await failure(agent.resume(throughJson(paused), { decisions }));
    expect(error).toMatchObject({ code: "BAD_REQUEST", param: "decisions" });
    expect(error.message).toContain("p9");
    expect(error.message).toContain('"p1", "p2", "p3"');
    await expect(all(agent.stream(paused.history, { decisions }))).rejects.toMatchObject({ code: "BAD_REQUEST" });
    expect(paid).toEqual([]);
    expect(model.requests).toHaveLength(1);
  });

  test("about a call that was answered before is an error", async () => {
    const { agent, paid } = payer();
    const paused = await agent.send("Pay everybody.");
    const second = await agent.resume(paused, { decisions: { p1: approve } });
    const error = await failure(agent.resume(second, { decisions: { p1: approve } }));
    expect(error.message).toContain('"p2", "p3"');
    expect(paid).toEqual(["Ann"]);
  });

  test("about a call is an error where none is pending", async () => {
    const { agent } = payer(["Hello."]);
    const error = await failure(agent.resume(await agent.send("Hi"), { decisions: { p1: approve } }));
    expect(error.message).toContain("There are no pending calls");
  });

  test("does not approve a later call that has the same id", async () => {
    const ask = (to: string): InputItem => call("call_0", "pay", { to });
    const { agent, paid } = payer([[ask("Ann")], [ask("Eve")]]);
    const paused = await agent.send("Pay Ann.");
    const second = await agent.resume(paused, { decisions: { call_0: approve } });
    expectPaused(second, ["call_0"]);
    expect(paid).toEqual(["Ann"]);
  });
});

describe("a chat that is resumed with some of its calls decided", () => {
  const opened = (options: SendOptions = {}) => {
    const store = memorySessions();
    const made = payer([three.slice(0, 2), "Done."]);
    return { ...made, store, options, chat: made.agent.chat({ store, id: "s" }) };
  };

  test("reports the others as pending until they are decided", async () => {
    const { chat, paid, model } = opened();
    expectPaused(await chat.send("Pay both."), ["p1", "p2"]);
    expectPaused(await chat.resume(), ["p1", "p2"]);
    expectPaused(await chat.resume({ decisions: { p1: approve } }), ["p2"]);
    expect(idsOf(chat.pending)).toEqual(["p2"]);
    const last = await chat.resume({ decisions: { p2: deny } });
    expect(last.text).toBe("Done.");
    expect(chat.pending).toEqual([]);
    expect(paid).toEqual(["Ann"]);
    expect(outputsIn(model, 1)).toMatchObject({ p1: "Paid Ann." });
  });

  test("does so after it was reopened from JSON and from its store", async () => {
    const { agent, chat, paid, store } = opened();
    await chat.send("Pay both.");
    const copy = Chat.from(agent, JSON.stringify(chat), { id: "copy" });
    expectPaused(await copy.resume({ decisions: { p2: approve } }), ["p1"]);
    const again = Chat.from(agent, JSON.stringify(copy));
    expect(idsOf(again.pending)).toEqual(["p1"]);
    const reopened = await Chat.from(agent, store, "s");
    expectPaused(await reopened.resume({ decisions: { p1: approve } }), ["p2"]);
    const twice = await Chat.from(agent, store, "s");
    expect(idsOf(twice.pending)).toEqual(["p2"]);
    expect((await twice.resume({ decisions: { p2: answer } })).text).toBe("Done.");
    expect(paid).toEqual(["Bob", "Ann"]);
  });

  test("streams the same", async () => {
    const { chat } = opened();
    await chat.send("Pay both.");
    const stream = chat.stream([], { decisions: { p1: approve } });
    const events = await all(stream);
    expect(lifecycleLaw(events) ?? foldLaw(events)).toBeUndefined();
    expectPaused(await stream.reply, ["p2"]);
  });

  test("rejects a decision about an unknown call, and changes nothing", async () => {
    const { chat, paid } = opened();
    await chat.send("Pay both.");
    const before = JSON.stringify(chat);
    const error = await failure(chat.resume({ decisions: { p1: approve, p7: approve } }));
    expect(error).toMatchObject({ code: "BAD_REQUEST", param: "decisions" });
    expect(error.message).toContain("p7");
    expect(error.message).toContain('"p1", "p2"');
    expect(JSON.stringify(chat)).toBe(before);
    expect(paid).toEqual([]);
    expect((await chat.resume({ decisions: { p1: deny, p2: deny } })).text).toBe("Done.");
  });
});
