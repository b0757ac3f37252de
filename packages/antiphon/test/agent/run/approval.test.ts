import { describe, expect, test } from "vitest";
import { collect } from "../../../src/core/collect.ts";
import { finishReason, text } from "../../../src/core/views.ts";
import { assistant, functionTool, user, type CreateResponse, type InputItem } from "../../../src/model/index.ts";
import { memoryJournal } from "../../../src/agent/loop/journal.ts";
import { pausedRun, resume, type PausedRun } from "../../../src/agent/loop/paused-run.ts";
import { itemsAfter, pendingCalls } from "../../../src/agent/loop/run-items.ts";
import type { Decision, RunOptions } from "../../../src/agent/loop/run-options.ts";
import { offline } from "../../../src/testing/offline/index.ts";
import { scripted } from "../../../src/testing/scripted.ts";
import { askedWith, call, counting, eventsOf, judged, notes, outputsIn, play, tool, type Played } from "./support.ts";

const asked: CreateResponse = { input: "Pay the bills.", instructions: "Be careful." };

/** A tool that must be approved, and what it did. */
function payments() {
  const paid: unknown[] = [];
  const pay = tool("pay", (input: { to: string }) => (paid.push(input), `Paid ${input.to}`), { needsApproval: () => true });
  const look = tool("look", () => "42 left");
  return { paid, tools: [pay, look] };
}

const calls = [call("p1", "pay", { to: "Ann" }), call("l1", "look"), call("p2", "pay", { to: "Bob" })];

async function pauseAt(tools: RunOptions["tools"]): Promise<{ played: Played; paused: PausedRun }> {
  const played = await play(scripted([calls]), asked, { tools });
  const paused = pausedRun(asked, played.response);
  expect(paused).toBeDefined();
  // Through text, as another process would get it.
  return { played, paused: JSON.parse(JSON.stringify(paused)) };
}

const resumed = async (paused: PausedRun, options: RunOptions, turns = ["Done."]): Promise<Played & { input: InputItem[] }> => {
  const model = scripted(turns);
  const played = judged(await eventsOf(resume(model, paused, { newId: counting(), now: () => 1, ...options })));
  return { ...played, input: askedWith(model, 0) };
};

describe("a run that needs approval", () => {
  test("ends with the calls pending, and the others answered", async () => {
    const { paid, tools } = payments();
    const { played } = await pauseAt(tools);
    expect(played.output).toEqual(["function_call", "function_call", "function_call", "function_call_output: 42 left"]);
    expect(played.response.status).toBe("completed");
    expect(finishReason(played.response)).toBe("tool_calls");
    expect(notes(played.events, "paused")).toMatchObject([
      { pending: [{ call_id: "p1", name: "pay", type: "function_call", written: '{"to":"Ann"}' }, { call_id: "p2" }] },
    ]);
    expect(paid).toEqual([]);
  });

  test("is JSON that holds all that is needed to go on", async () => {
    const { paused } = await pauseAt(payments().tools);
    expect(paused).toMatchObject({
      version: 1,
      request: { instructions: "Be careful." },
      pending: [{ call_id: "p1" }, { call_id: "p2" }],
    });
    expect(paused.items.map((item) => item.type)).toEqual([
      "message",
      "function_call",
      "function_call",
      "function_call",
      "function_call_output",
    ]);
    expect(paused.items.at(-1)).toEqual({ type: "function_call_output", call_id: "l1", output: "42 left" });
  });

  test.each<[string, Record<string, Decision>, unknown[], [string, unknown][]]>([
    [
      "approved",
      { p1: { action: "continue" }, p2: { action: "continue" } },
      [{ to: "Ann" }, { to: "Bob" }],
      [
        ["l1", "42 left"],
        ["p1", "Paid Ann"],
        ["p2", "Paid Bob"],
      ],
    ],
    [
      "edited, and one refused",
      { p1: { action: "continue", input: { to: "Cleo" } }, p2: { action: "refuse", reason: "Too dear." } },
      [{ to: "Cleo" }],
      [
        ["l1", "42 left"],
        ["p1", "Paid Cleo"],
        ["p2", "The call was declined and did not run: Too dear."],
      ],
    ],
    [
      "replaced",
      { p1: { action: "replace", output: "Paid by hand" }, p2: { action: "replace", output: { by: "hand" } } },
      [],
      [
        ["l1", "42 left"],
        ["p1", "Paid by hand"],
        ["p2", '{"by":"hand"}'],
      ],
    ],
  ])("goes on when its calls are %s", async (_, decisions, done, outputs) => {
    const { paid, tools } = payments();
    const { paused } = await pauseAt(tools);
    const { response, input } = await resumed(paused, { tools, decisions });
    expect(paid).toEqual(done);
    expect(outputsIn(input)).toEqual(outputs);
    expect(text(response)).toBe("Done.");
    expect(finishReason(response)).toBe("stop");
  });

  test("waits on where only some calls are decided, and asks the model when all are", async () => {
    const { paid, tools } = payments();
    const { paused } = await pauseAt(tools);
    const half = await resumed(paused, { tools, decisions: { p2: { action: "continue" }, p1: { action: "pause" } } });
    expect(half.input).toEqual([]);
    expect(half.output).toEqual(["function_call_output: Paid Bob"]);
    expect(half.response).toMatchObject({ status: "incomplete", usage: { total_tokens: 0 } });
    expect(finishReason(half.response)).toBe("tool_calls");
    expect(notes(half.events, "paused")).toMatchObject([{ pending: [{ call_id: "p1" }] }]);
    const again = pausedRun({ ...paused.request, input: paused.items }, half.response);
    const whole = await resumed(again!, { tools, decisions: { p1: { action: "continue" } } });
    expect(paid).toEqual([{ to: "Bob" }, { to: "Ann" }]);
    expect(text(whole.response)).toBe("Done.");
  });

  test("pauses again where nothing was decided", async () => {
    const { paid, tools } = payments();
    const { paused } = await pauseAt(tools);
    const { response } = await resumed(paused, { tools });
    expect(response.output).toEqual([]);
    expect(paid).toEqual([]);
  });

  test("needs none where a hook has let the call pass", async () => {
    const { paid, tools } = payments();
    await play(scripted([[call("p1", "pay", { to: "Ann" })], "Done."]), asked, {
      tools,
      beforeTool: () => ({ action: "continue" }),
    });
    expect(paid).toEqual([{ to: "Ann" }]);
  });

  test("runs nothing on a decision that is none", async () => {
    const { paid, tools } = payments();
    const { paused } = await pauseAt(tools);
    // As text from elsewhere may have it.
    const decisions = JSON.parse('{"p1":{"action":"reject"}}');
    const { response } = await resumed(paused, { tools, decisions });
    expect(response).toMatchObject({ status: "failed", error: { code: "bad_request" } });
    expect(paid).toEqual([]);
  });

  test("waits where a tool says yes in other words", async () => {
    const paid: unknown[] = [];
    const pay = tool("pay", (input) => paid.push(input), { needsApproval: () => "yes" as unknown as boolean });
    const { response } = await play(scripted([[call("p1", "pay")]]), asked, { tools: [pay] });
    expect(finishReason(response)).toBe("tool_calls");
    expect(paid).toEqual([]);
  });

  test("runs with nothing where nothing is what was approved", async () => {
    const { paid, tools } = payments();
    const { paused } = await pauseAt(tools.map((one) => ({ ...one, read: (written: unknown) => written })));
    const read = tools.map((one) => ({ ...one, read: (written: unknown) => written ?? { to: "nobody" } }));
    const decisions: Record<string, Decision> = { p1: { action: "continue", input: null }, p2: { action: "refuse" } };
    await resumed(paused, { tools: read, decisions });
    expect(paid).toEqual([{ to: "nobody" }]);
  });

  test("asks nobody about a call that cannot be read", async () => {
    const { tools } = payments();
    const { response } = await play(scripted([[call("p1", "pay", "{")], "Done."]), asked, { tools });
    expect(outputsIn(response.output)).toEqual([["p1", expect.stringContaining("Error: ")]]);
  });

  test("works on a model that refuses unanswered calls", async () => {
    const { paid, tools } = payments();
    const request: CreateResponse = { input: '[[call:pay {"to":"Ann"}]]' };
    const model = offline();
    const first = await play(model, request, { tools });
    const paused = pausedRun(request, first.response)!;
    const { response } = judged(
      await eventsOf(resume(model, paused, { tools, decisions: { [paused.pending[0]!.call_id]: { action: "continue" } } })),
    );
    expect(paid).toEqual([{ to: "Ann" }]);
    expect(text(response)).toContain("Paid Ann");
  });

  test("of another version is not read", () => {
    expect(() => resume(scripted([]), { version: 2 } as never)).toThrow(/version 2/);
  });

  test("waits also where the provider gives each response's calls the same ids", async () => {
    const { paid, tools } = payments();
    const { response } = await play(scripted([[call("call_0", "look")], [call("call_0", "pay", { to: "Ann" })]]), asked, {
      tools,
    });
    expect(finishReason(response)).toBe("tool_calls");
    const paused = pausedRun(asked, response)!;
    expect(paused.pending).toMatchObject([{ call_id: "call_0", name: "pay" }]);
    await resumed(paused, { tools, decisions: { call_0: { action: "continue" } } });
    expect(paid).toEqual([{ to: "Ann" }]);
  });

  test("that ended has nothing to resume", async () => {
    const { response } = await play(scripted(["Hello."]), asked);
    expect(pausedRun(asked, response)).toBeUndefined();
  });

  test("sends the provider only what it has not seen, where that keeps the conversation", async () => {
    const { tools } = payments();
    const { paused } = await pauseAt(tools);
    const kept = { ...paused, request: { ...paused.request, conversation: "conv_1" } };
    const { input } = await resumed(kept, { tools, decisions: { p1: { action: "refuse" }, p2: { action: "refuse" } } });
    expect(outputsIn(input).map(([id]) => id)).toEqual(["l1", "p1", "p2"]);
    expect(input).toHaveLength(3);
  });
});

describe("calls that the input leaves open", () => {
  const ok = tool("ok", () => "yes");

  test("of a tool that the caller runs itself pause the run, until the caller answers", async () => {
    const own = functionTool("lookup", "Looks up.", { type: "object", properties: {} });
    const request: CreateResponse = { ...asked, tools: [own] };
    const first = await play(scripted([[call("c1", "lookup"), call("c2", "ok")]]), request, { tools: [ok] });
    expect(finishReason(first.response)).toBe("tool_calls");
    const items = itemsAfter(request, first.response);
    expect(pendingCalls(items)).toMatchObject([{ call_id: "c1", name: "lookup" }]);
    const input = [...items, { type: "function_call_output" as const, call_id: "c1", output: "found" }];
    const second = await play(scripted(["Done."]), { ...request, input }, { tools: [ok] });
    expect(text(second.response)).toBe("Done.");
  });

  test("are dealt with where a killed run left them", async () => {
    const { output } = await play(scripted(["Done."]), { input: [user("Go."), call("c1", "ok")] }, { tools: [ok] });
    expect(output).toEqual(["function_call_output: yes", "message"]);
  });

  test("are history where somebody talked past them, unless they are decided about", async () => {
    const input = [user("Go."), call("c1", "ok"), assistant("Hm."), user("Never mind.")];
    const left = await play(scripted(["Fine."]), { input }, { tools: [ok] });
    expect(left.output).toEqual(["message"]);
    const decided = await play(scripted(["Fine."]), { input }, { tools: [ok], decisions: { c1: { action: "continue" } } });
    expect(decided.output).toEqual(["function_call_output: yes", "message"]);
  });

  test("do not run where they were cut off, and the model is told", async () => {
    const cut = { ...call("c1", "ok", '{"a'), status: "incomplete" as const };
    const { response, events } = await play(scripted(["Again."]), { input: [user("Go."), cut] }, { tools: [ok] });
    expect(outputsIn(response.output)).toEqual([["c1", expect.stringContaining("cut off")]]);
    expect(notes(events, "tool_done")).toMatchObject([{ status: "not_run" }]);
  });

  test("spend a tool choice that forces a call", async () => {
    const model = scripted(["Done."]);
    await play(model, { input: [user("Go."), call("c1", "ok")], tool_choice: "required" }, { tools: [ok] });
    expect(model.requests[0]?.tool_choice).toBe("auto");
  });
});

describe("a journal", () => {
  const input = [user("Go."), call("c1", "count"), call("c2", "count")];
  const counter = (more = {}) => {
    const ran: string[] = [];
    return { ran, tools: [tool("count", (_: never, { call_id }) => (ran.push(call_id), `did ${call_id}`), more)] };
  };

  test("keeps a call from running again when a run is resumed again", async () => {
    const { ran, tools } = counter();
    const journal = memoryJournal();
    const first = await play(scripted(["Done."]), { input }, { tools, journal });
    const second = await play(scripted(["Done."]), { input }, { tools, journal });
    expect(ran).toEqual(["c1", "c2"]);
    expect(outputsIn(second.response.output)).toEqual(outputsIn(first.response.output));
  });

  test.each([
    [false, ["c2"], /may or may not have taken effect/, "interrupted"],
    [true, ["c1", "c2"], /^did c1$/, "ok"],
  ])("that knows a call was begun, of an idempotent tool: %s", async (idempotent, expected, words, status) => {
    const { ran, tools } = counter({ idempotent });
    const journal = memoryJournal();
    expect(await journal.claim("c1")).toBe("run");
    const { response, events } = await play(scripted(["Done."]), { input }, { tools, journal });
    expect(ran).toEqual(expected);
    expect(outputsIn(response.output)[0]?.[1]).toMatch(words);
    expect(notes(events, "tool_done").map((event) => Reflect.get(event, "status"))).toContain(status);
  });

  test("tells calls of two steps apart that have the same id, also when the run is resumed", async () => {
    const ran: unknown[] = [];
    const tools = [tool("note", (input: object) => (ran.push(input), `noted ${ran.length}`))];
    const journal = memoryJournal();
    const steps = [[call("call_0", "note", { step: 1 })], [call("call_0", "note", { step: 2 })]];
    const { response } = await play(scripted([...steps, "Done."]), asked, { tools, journal });
    expect(outputsIn(response.output).map(([, output]) => output)).toEqual(["noted 1", "noted 2"]);
    // As if it had been killed before the second output was kept.
    const killed = itemsAfter(asked, { ...response, output: response.output.slice(0, 3) });
    const again = await play(scripted(["Done."]), { input: killed }, { tools, journal });
    expect(outputsIn(again.response.output)).toEqual([["call_0", "noted 2"]]);
    expect(ran).toEqual([{ step: 1 }, { step: 2 }]);
  });

  test("tells parallel calls apart that have the same id", async () => {
    const ran: unknown[] = [];
    const tools = [tool("note", (input: { n: number }) => (ran.push(input.n), `noted ${input.n}`))];
    const step = (n: number): InputItem[] => [call("call_0", "note", { n }), call("call_0", "note", { n: n + 1 })];
    const journal = memoryJournal();
    const { response } = await play(scripted([step(1), step(3), "Done."]), asked, { tools, journal });
    expect(outputsIn(response.output).map(([, output]) => output)).toEqual(["noted 1", "noted 2", "noted 3", "noted 4"]);
    expect(ran).toEqual([1, 2, 3, 4]);
  });

  test("is told what a hook made of a result, not what the tool gave", async () => {
    const { tools } = counter();
    const journal = memoryJournal();
    await play(scripted(["Done."]), { input }, { tools, journal, afterTool: () => "[redacted]" });
    const again = await play(scripted(["Done."]), { input }, { tools, journal });
    expect(outputsIn(again.response.output)).toEqual([
      ["c1", "[redacted]"],
      ["c2", "[redacted]"],
    ]);
  });

  test("that cannot be written ends the run before anything runs", async () => {
    const { ran, tools } = counter();
    const broken = { claim: () => Promise.reject(new Error("Disk full.")), settle: async () => {} };
    const { response } = await play(scripted(["Done."]), { input }, { tools, journal: broken });
    expect(ran).toEqual([]);
    expect(response).toMatchObject({ status: "failed", error: { message: "Disk full." } });
  });

  test("of two runs at once lets each call run once", async () => {
    const { ran, tools } = counter();
    const journal = memoryJournal();
    await Promise.all([1, 2, 3].map(() => collect(resumeOf({ tools, journal }))));
    expect(ran.toSorted()).toEqual(["c1", "c2"]);
  });

  const resumeOf = (options: RunOptions) =>
    resume(scripted(["Done."]), { version: 1, request: {}, items: input, pending: [] }, options);
});
