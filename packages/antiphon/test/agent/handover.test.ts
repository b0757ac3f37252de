import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Agent } from "../../src/agent/agent.ts";
import { RunError } from "../../src/agent/run-error.ts";
import { user } from "../../src/model/construct.ts";
import type { ResponseEvent } from "../../src/model/index.ts";
import { foldLaw, lifecycleLaw } from "../../src/testing/laws.ts";
import { scripted, type ScriptedTurn } from "../../src/testing/scripted.ts";
import { tool } from "../../src/tools/define.ts";
import { all, call, failure, said, weather } from "./support.ts";

/** A front desk that can hand over to billing, which can hand back. */
function office(desk: readonly ScriptedTurn[], billing: readonly ScriptedTurn[]) {
  const models = { desk: scripted(desk), billing: scripted(billing) };
  const refund = tool({ name: "refund", input: z.object({ amount: z.number() }), run: ({ amount }) => `Refunded ${amount}.` });
  const agents = {
    billing: new Agent({
      name: "billing",
      description: "Knows about money.",
      model: models.billing,
      instructions: "You do the bills.",
      tools: [refund],
      temperature: 0,
    }),
    desk: new Agent({ name: "desk", model: models.desk, instructions: "You greet.", tools: [weather] }),
  };
  agents.desk.handovers = [agents.billing];
  agents.billing.handovers = [agents.desk];
  return { ...agents, models };
}

const toBilling = call("t1", "transfer_to_billing");
const toDesk = call("t2", "transfer_to_desk");

/** The out-of-band events that tell of hand-overs. */
const handovers = (events: readonly ResponseEvent[]): unknown[] =>
  events.flatMap((event) => (event.type === "antiphon:handover" ? [[event["from"], event["to"]]] : []));

describe("a hand-over", () => {
  test("goes on with the other agent's model, instructions and tools, and the same history", async () => {
    const { desk, models } = office([[said("One moment."), toBilling]], [[call("r1", "refund", { amount: 5 })], "Done."]);
    const stream = desk.stream("I want my money back.");
    const events = await all(stream);
    const reply = await stream.reply;
    expect(reply.text).toBe("Done.");
    expect(handovers(events)).toEqual([["desk", "billing"]]);
    expect(lifecycleLaw(events) ?? foldLaw(events)).toBeUndefined();
    const [first] = models.billing.requests;
    expect(first).toMatchObject({ instructions: "You do the bills.", temperature: 0 });
    expect(first?.tools?.map((entry) => Reflect.get(entry, "name"))).toEqual(["refund", "transfer_to_desk"]);
    expect(first?.input).toMatchObject([
      user("I want my money back."),
      { type: "message", role: "assistant" },
      { type: "function_call", name: "transfer_to_billing" },
      { type: "function_call_output", call_id: "t1", output: "The conversation was transferred to billing." },
    ]);
    expect(models.desk.requests[0]?.tools).toContainEqual(
      expect.objectContaining({ name: "transfer_to_billing", description: expect.stringContaining("Knows about money.") }),
    );
    expect(reply.steps).toHaveLength(3);
    expect(reply.items).toHaveLength(6);
    expect(desk.stats().requests).toBe(1);
    const tokens = reply.steps.map(({ response }) => response.usage!.total_tokens);
    expect(reply.usage.total_tokens).toBe(tokens.reduce((sum, count) => sum + count));
  });

  test("can go back and forth, within the limit of steps", async () => {
    const turns = Array.from({ length: 20 });
    const { desk } = office(
      turns.map((_, index) => [call(`b${index}`, "transfer_to_billing")]),
      turns.map((_, index) => [call(`d${index}`, "transfer_to_desk")]),
    );
    const stream = desk.stream("Hello", { maxSteps: 5 });
    const events = await all(stream);
    const reply = await stream.reply;
    expect(reply.response.incomplete_details).toEqual({ reason: "max_steps" });
    expect(reply.steps).toHaveLength(5);
    expect(handovers(events)).toHaveLength(4);
    expect(lifecycleLaw(events) ?? foldLaw(events)).toBeUndefined();
  });

  test("holds in later turns: the items tell who is in charge", async () => {
    const { desk, models } = office([[toBilling]], ["Done.", "Again done.", [toDesk]]);
    const first = await desk.send("Money, please.");
    const second = await desk.send([...first.history, user("More, please.")]);
    expect(second.text).toBe("Again done.");
    expect(models.desk.requests).toHaveLength(1);
  });

  test("gives the output that was asked for, whoever answers", async () => {
    const { desk } = office([[toBilling]], ["nonsense", '{"refunded":5}']);
    const reply = await desk.send("Money, please.", { output: z.object({ refunded: z.number() }) });
    expect(reply.output).toEqual({ refunded: 5 });
  });

  test("waits while a call beside it waits, and takes place after", async () => {
    const { desk, models } = office([[call("w1", "weather", { city: "Oslo" }), toBilling]], ["Done."]);
    const waiting = desk.with({ tools: [{ ...weather, needsApproval: () => true }] });
    const paused = await waiting.send("Money, and the weather?");
    expect(paused.pending).toMatchObject([{ name: "weather" }]);
    const reply = await waiting.resume(JSON.parse(JSON.stringify(paused)), { decisions: { w1: { action: "continue" } } });
    expect(reply.text).toBe("Done.");
    expect(models.desk.requests).toHaveLength(1);
    expect(reply.items.map(({ type }) => type)).toEqual(["function_call_output", "message"]);
  });

  test("does not take place where the caller's rule ends the run", async () => {
    const { desk, models } = office([[toBilling]], ["Done."]);
    const reply = await desk.send("Money, please.", { stopWhen: () => true });
    expect(reply.steps).toHaveLength(1);
    expect(models.billing.requests).toEqual([]);
  });

  test("that cannot begin ends the run as failed, with what had come", async () => {
    const { desk, billing } = office([[said("One moment."), toBilling]], []);
    billing.model = "nobody:nothing";
    const stream = desk.stream("Money, please.");
    const events = await all(stream);
    expect(lifecycleLaw(events) ?? foldLaw(events)).toBeUndefined();
    const error = await failure(stream.reply, RunError);
    expect(error.message).toContain("nobody");
    expect(error.reply.items).toHaveLength(3);
  });

  test("shows a rule all steps, of whichever agent", async () => {
    const counts: number[] = [];
    const { desk } = office([[toBilling]], [[call("r1", "refund", { amount: 5 })], "Done."]);
    await desk.send("Money, please.", { stopWhen: (steps) => counts.push(steps.length) > 9 });
    expect(counts).toEqual([1, 2]);
  });
});
