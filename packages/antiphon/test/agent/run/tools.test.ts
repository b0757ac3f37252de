import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { finishReason, outcome } from "../../../src/core/views.ts";
import { user, type CreateResponse, type InputItem, type ResponseEvent } from "../../../src/model/index.ts";
import { run } from "../../../src/agent/loop/run.ts";
import type { RunOptions } from "../../../src/agent/loop/run-options.ts";
import { scripted } from "../../../src/testing/scripted.ts";
import type { ToolSource } from "../../../src/tools/tool.ts";
import { askedWith, call, counting, deferred, judged, notes, outputsIn, play, tool, type Played } from "./support.ts";

const asked: CreateResponse = { input: "Go." };

/** Plays one step with these calls, then an answer. */
const playCalls = async (calls: InputItem[], options: RunOptions): Promise<Played> =>
  play(scripted([calls, "Done."]), asked, options);
const statuses = (events: ResponseEvent[]): unknown[] =>
  notes(events, "tool_done").map((event) => [Reflect.get(event, "call_id"), Reflect.get(event, "status")]);

describe("calls of one step", () => {
  test("run side by side, and are answered in the order of the calls", async () => {
    const gates = { a: deferred(), b: deferred(), c: deferred() };
    const started: string[] = [];
    const wait = tool("wait", async ({ on }: { on: "a" | "b" | "c" }) => {
      started.push(on);
      if (started.length === 3) gates.c.resolve();
      await gates[on].promise;
      if (on === "c") gates.b.resolve();
      if (on === "b") gates.a.resolve();
      return on;
    });
    const calls = [call("1", "wait", { on: "a" }), call("2", "wait", { on: "b" }), call("3", "wait", { on: "c" })];
    const { events, response } = await playCalls(calls, { tools: [wait] });
    expect(started).toEqual(["a", "b", "c"]);
    expect(statuses(events)).toEqual([
      ["3", "ok"],
      ["2", "ok"],
      ["1", "ok"],
    ]);
    expect(outputsIn(response.output)).toEqual([
      ["1", "a"],
      ["2", "b"],
      ["3", "c"],
    ]);
  });

  test.each([1, 2, 5])("run at most %i at a time", async (maxParallel) => {
    let now = 0;
    let most = 0;
    const busy = tool("busy", async () => {
      most = Math.max(most, (now += 1));
      await new Promise((resolve) => setTimeout(resolve, 2));
      now -= 1;
    });
    const calls = Array.from({ length: 7 }, (_, index) => call(`c${index}`, "busy"));
    const { response } = await playCalls(calls, { tools: [busy], maxParallel });
    expect(most).toBe(maxParallel);
    expect(outputsIn(response.output)).toHaveLength(7);
  });

  test("tell what they do from a generator that never waits, too", async () => {
    const steps = tool("steps", function* () {
      yield "halfway";
      return "finished";
    });
    const { events, response } = await playCalls([call("c1", "steps")], { tools: [steps] });
    expect(notes(events, "tool_progress").map((event) => Reflect.get(event, "data"))).toEqual(["halfway"]);
    expect(outputsIn(response.output)).toEqual([["c1", "finished"]]);
  });

  test("tell what they do while they do it", async () => {
    const heard = deferred();
    const steps = tool("steps", async function* () {
      yield { done: 1, of: 2 };
      await heard.promise;
      yield { done: 2, of: 2 };
      return "finished";
    });
    const events: ResponseEvent[] = [];
    for await (const event of run(scripted([[call("c1", "steps")], "Done."]), asked, { tools: [steps], newId: counting() })) {
      events.push(event);
      // Were progress held back until the tool is done, this would wait for ever.
      if (event.type === "antiphon:tool_progress") heard.resolve();
    }
    const { response } = judged(events);
    expect(notes(events, "tool_progress")).toMatchObject([
      { call_id: "c1", name: "steps", data: { done: 1, of: 2 } },
      { call_id: "c1", name: "steps", data: { done: 2, of: 2 } },
    ]);
    expect(outputsIn(response.output)).toEqual([["c1", "finished"]]);
  });

  test("tell when they start and how they ended", async () => {
    const { types } = await playCalls([call("c1", "ok")], { tools: [tool("ok", () => "yes")] });
    const at = types.indexOf("antiphon:tool_started");
    expect(types.slice(at - 1, at + 4)).toEqual([
      "antiphon:step",
      "antiphon:tool_started",
      "antiphon:tool_done",
      "response.output_item.added",
      "response.output_item.done",
    ]);
  });

  test("are given the context, their call's id and name", async () => {
    const seen: unknown[] = [];
    const who = tool("who", (_: never, { context, call_id, name }) => void seen.push([context, call_id, name]));
    await playCalls([call("c1", "who")], {
      tools: [who],
      context: { user: "Ada" },
      beforeTool: (_, { context }) => void seen.push(context),
      afterTool: (_, __, { context }) => void seen.push(context),
    });
    expect(seen).toEqual([{ user: "Ada" }, [{ user: "Ada" }, "c1", "who"], { user: "Ada" }]);
  });
});

describe("what a tool gives", () => {
  const picture = { type: "input_image", image_url: "data:image/png;base64,AA==" };
  test.each<[string, unknown, unknown]>([
    ["text", "Sunny", "Sunny"],
    ["a number", 42, "42"],
    ["an object", { sun: true }, '{"sun":true}'],
    ["a list of values", [1, 2], "[1,2]"],
    ["pictures and text", [{ type: "input_text", text: "Here:" }, picture], [{ type: "input_text", text: "Here:" }, picture]],
  ])("reaches the model: %s", async (_, value, output) => {
    const model = scripted([[call("c1", "give")], "Done."]);
    await play(model, asked, { tools: [tool("give", () => value)] });
    expect(outputsIn(askedWith(model, 1))).toEqual([["c1", output]]);
  });

  test.each<[string, InputItem, Partial<RunOptions>, RegExp, string]>([
    ["an error", call("c1", "fail"), {}, /^Error: No such city\.$/, "error"],
    ["arguments that are no JSON", call("c1", "fail", "{oops"), {}, /^Error: .*JSON/, "error"],
    [
      "an unknown tool",
      call("c1", "faill"),
      {},
      /There is no tool named "faill"\. Did you mean "fail"\? Available tools: fail/,
      "error",
    ],
    ["a result that is no JSON", call("c1", "circular"), {}, /cannot be converted to JSON/, "ok"],
    ["a tool that takes too long", call("c1", "slow"), { toolTimeout: 5 }, /did not finish within 5 ms/, "timeout"],
    ["a tool beyond its own limit", call("c1", "impatient"), {}, /did not finish within 3 ms/, "timeout"],
    ["an endless generator", call("c1", "endless"), { toolTimeout: 5 }, /did not finish within 5 ms/, "timeout"],
    ["something thrown that is no error", call("c1", "odd"), {}, /^Error: Not today\.$/, "error"],
    ["something thrown that has no words", call("c1", "mute"), {}, /^Error: /, "error"],
  ])("reaches the model as words: %s", async (_, made, options, words, status) => {
    const circular: { self?: unknown } = {};
    circular.self = circular;
    const tools = [
      tool("fail", () => Promise.reject(new Error("No such city."))),
      tool("circular", () => circular),
      tool("slow", () => new Promise(() => {})),
      tool("impatient", () => new Promise(() => {}), { timeout: 3 }),
      tool("endless", async function* () {
        for (;;) {
          yield "more";
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      }),
      tool("odd", () => Promise.reject({ message: "Not today." })),
      tool("mute", () => Promise.reject(Object.create(null))),
    ];
    const { response, events } = await playCalls([made], { tools, ...options });
    expect(outputsIn(response.output)[0]?.[1]).toMatch(words);
    expect(statuses(events)).toEqual([["c1", status]]);
    expect(response.status).toBe("completed");
  });

  test("is bounded where it is an error, and shows no stack", async () => {
    const { response } = await playCalls([call("c1", "fail")], {
      tools: [tool("fail", () => Promise.reject(new Error("x".repeat(10_000))))],
    });
    const [[, words] = []] = outputsIn(response.output);
    expect(String(words).length).toBeLessThan(2_100);
    expect(words).not.toContain(".ts:");
  });

  test("has no time limit where the limit is nought", async () => {
    const slow = tool("slow", () => new Promise((resolve) => setTimeout(resolve, 20, "late")), { timeout: 0 });
    const { response } = await playCalls([call("c1", "slow")], { tools: [slow], toolTimeout: 1 });
    expect(outputsIn(response.output)).toEqual([["c1", "late"]]);
  });
});

describe("hooks", () => {
  const echo = tool("echo", (input: unknown) => input);

  test("are asked in the order of the calls: before all, then after each", async () => {
    const log: string[] = [];
    const logged = tool("logged", async ({ wait }: { wait: number }, { call_id }) => {
      await new Promise((resolve) => setTimeout(resolve, wait));
      log.push(`run ${call_id}`);
    });
    await playCalls([call("1", "logged", { wait: 6 }), call("2", "logged", { wait: 1 })], {
      tools: [logged],
      beforeTool: async ({ call_id }) => {
        log.push(`before ${call_id}`);
      },
      afterTool: ({ call_id }) => void log.push(`after ${call_id}`),
    });
    expect(log).toEqual(["before 1", "before 2", "run 2", "run 1", "after 1", "after 2"]);
  });

  test.each<[string, ReturnType<NonNullable<RunOptions["beforeTool"]>>, unknown, string]>([
    ["continue", { action: "continue" }, '{"a":1}', "ok"],
    ["continue with other input", { action: "continue", input: { b: 2 } }, '{"b":2}', "ok"],
    ["replace", { action: "replace", output: { canned: true } }, '{"canned":true}', "replaced"],
    [
      "refuse",
      { action: "refuse", reason: "Not on Sundays." },
      "The call was declined and did not run: Not on Sundays.",
      "refused",
    ],
    ["refuse without a reason", { action: "refuse" }, "The call was declined and did not run.", "refused"],
  ])("may %s", async (_, decision, output, status) => {
    const { response, events } = await playCalls([call("c1", "echo", { a: 1 })], { tools: [echo], beforeTool: () => decision });
    expect(outputsIn(response.output)).toEqual([["c1", output]]);
    expect(statuses(events)).toEqual([["c1", status]]);
  });

  test("may change what a tool gave, also where it failed", async () => {
    const fail = tool("fail", () => Promise.reject(new Error("secret")));
    const { response } = await playCalls([call("c1", "echo", { a: 1 }), call("c2", "fail"), call("c3", "echo", 3)], {
      tools: [echo, fail],
      afterTool: ({ call_id }, output) => (call_id === "c3" ? undefined : { call_id, was: output }),
    });
    expect(outputsIn(response.output)).toEqual([
      ["c1", '{"call_id":"c1","was":{"a":1}}'],
      ["c2", '{"call_id":"c2","was":"Error: secret"}'],
      ["c3", "3"],
    ]);
  });
});

describe("stopping a run", () => {
  test("while a tool that ignores its signal is at work ends it at once, without its result", async () => {
    const controller = new AbortController();
    const late = deferred<string>();
    let signal: AbortSignal | undefined;
    const deaf = tool("deaf", (_: never, context) => {
      signal = context.signal;
      return late.promise;
    });
    const events: ResponseEvent[] = [];
    const options = { tools: [deaf, tool("quick", () => "there")], signal: controller.signal, newId: counting() };
    for await (const event of run(scripted([[call("c1", "deaf"), call("c2", "quick")], "Done."]), asked, options)) {
      events.push(event);
      if (event.type === "antiphon:tool_done") controller.abort();
    }
    late.resolve("too late");
    const { response } = judged(events);
    expect(signal?.aborted).toBe(true);
    expect(outcome(response)).toEqual({ state: "cancelled" });
    // The call that had finished keeps its answer, though the one before it has none.
    expect(outputsIn(response.output)).toEqual([["c2", "there"]]);
  });

  test("before the calls of a step runs none of them", async () => {
    const controller = new AbortController();
    let ran = 0;
    const events: ResponseEvent[] = [];
    const options = { tools: [tool("count", () => (ran += 1))], signal: controller.signal, newId: counting() };
    for await (const event of run(scripted([[call("c1", "count")], "Done."]), asked, options)) {
      events.push(event);
      if (event.type === "antiphon:step") controller.abort();
    }
    expect(outcome(judged(events).response)).toEqual({ state: "cancelled" });
    expect(ran).toBe(0);
  });

  test("counts the tokens of the step that was stopped", async () => {
    const controller = new AbortController();
    const events: ResponseEvent[] = [];
    const options = { tools: [tool("ok", () => "yes")], signal: controller.signal, newId: counting() };
    for await (const event of run(scripted([[call("c1", "ok")], "One two three four"]), asked, options)) {
      events.push(event);
      if (event.type === "response.output_text.delta") controller.abort();
    }
    const { response } = judged(events);
    const usages = notes(events, "step").map((event) => (event as never as { response: typeof response }).response.usage);
    expect(usages).toHaveLength(2);
    expect(response.usage?.total_tokens).toBe((usages[0]?.total_tokens ?? 0) + (usages[1]?.total_tokens ?? 0));
    expect(response.usage?.estimated).toBe(true);
  });

  test("before it began throws", async () => {
    const model = scripted(["Never."]);
    await expect(play(model, asked, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "ABORTED" });
  });

  test("by leaving tells the tools", async () => {
    let signal: AbortSignal | undefined;
    const deaf = tool("deaf", (_: never, context) => {
      signal = context.signal;
      return new Promise(() => {});
    });
    for await (const event of run(scripted([[call("c1", "deaf")]]), asked, { tools: [deaf] }))
      if (event.type === "antiphon:tool_started") break;
    expect(signal?.aborted).toBe(true);
  });

  test.each<[string, (stopped: () => Promise<never>) => RunOptions]>([
    ["beforeTool", (stopped) => ({ beforeTool: stopped })],
    ["afterTool", (stopped) => ({ afterTool: stopped })],
    ["stopWhen", (stopped) => ({ stopWhen: stopped })],
    ["prepareStep", (stopped) => ({ prepareStep: (steps) => (steps.length > 0 ? stopped() : undefined) })],
    ["a source of tools", (stopped) => ({ tools: [ok, sourceThatStops(stopped)] })],
  ])("does not wait for %s", async (_, options) => {
    const controller = new AbortController();
    const { signal } = controller;
    const stopped = (): Promise<never> => {
      controller.abort();
      return new Promise(() => {});
    };
    const { response } = await playCalls([call("c1", "ok")], { tools: [ok], signal, ...options(stopped) });
    expect(finishReason(response)).toBe("cancelled");
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  const ok = tool("ok", () => "yes");
  /** A source that answers once, and then only stops the run. */
  function sourceThatStops(stopped: () => Promise<never>): ToolSource {
    let asks = 0;
    return { listTools: async () => (asks++ === 0 ? [] : stopped()) };
  }
});

describe("the parallel pseudo-tool", () => {
  const uses = (...names: string[]) => ({
    tool_uses: names.map((recipient_name, index) => ({ recipient_name, parameters: { index } })),
  });
  const echo = tool("echo", (input: unknown) => input);

  test.each(["parallel", "multi_tool_use.parallel"])("%s runs the calls inside, and answers as one", async (name) => {
    const { response, events } = await playCalls([call("c1", name, uses("functions.echo", "echo", "nothing"))], {
      tools: [echo],
    });
    const [[, output] = []] = outputsIn(response.output);
    expect(JSON.parse(String(output))).toEqual([
      { recipient_name: "echo", output: '{"index":0}' },
      { recipient_name: "echo", output: '{"index":1}' },
      { recipient_name: "nothing", output: expect.stringContaining('There is no tool named "nothing"') },
    ]);
    expect(outputsIn(response.output)).toHaveLength(1);
    expect(statuses(events)).toEqual([
      ["c1.2", "error"],
      ["c1.0", "ok"],
      ["c1.1", "ok"],
    ]);
  });

  test("keeps the parts of what is inside", async () => {
    const picture = { type: "input_image", image_url: "data:image/png;base64,AA==" };
    const { response } = await playCalls([call("c1", "parallel", uses("echo", "draw"))], {
      tools: [echo, tool("draw", () => [picture])],
    });
    expect(outputsIn(response.output)).toEqual([
      [
        "c1",
        [
          { type: "input_text", text: "echo:" },
          { type: "input_text", text: '{"index":0}' },
          { type: "input_text", text: "draw:" },
          picture,
        ],
      ],
    ]);
  });

  test("waits as a whole where one of the calls inside must wait", async () => {
    let ran = 0;
    const careful = tool("careful", () => (ran += 1), { needsApproval: () => true });
    const counted = tool("counted", () => (ran += 1));
    const { response, events } = await playCalls([call("c1", "parallel", uses("counted", "careful"))], {
      tools: [careful, counted],
    });
    expect(ran).toBe(0);
    expect(finishReason(response)).toBe("tool_calls");
    expect(notes(events, "paused")).toMatchObject([{ pending: [{ call_id: "c1.1", name: "careful" }] }]);
    const input = [...response.output];
    const resumed = await play(
      scripted(["Done."]),
      { input },
      {
        tools: [careful, counted],
        decisions: { "c1.1": { action: "continue" } },
      },
    );
    expect(ran).toBe(2);
    expect(resumed.response.status).toBe("completed");
  });

  test("runs nothing of a call that was cut off", async () => {
    const cut = { ...call("c1", "parallel", uses("echo")), status: "incomplete" as const };
    const { response } = await play(scripted(["Again."]), { input: [user("Go."), cut] }, { tools: [echo] });
    expect(outputsIn(response.output)).toEqual([["c1", expect.stringContaining("cut off")]]);
  });

  test("is a tool like any other where somebody made one", async () => {
    const { response } = await playCalls([call("c1", "parallel", uses("echo"))], {
      tools: [echo, tool("parallel", () => "mine")],
    });
    expect(outputsIn(response.output)).toEqual([["c1", "mine"]]);
  });
});
