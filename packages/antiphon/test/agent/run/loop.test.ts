import { describe, expect, test } from "vitest";
import { collect } from "../../../src/core/collect.ts";
import { AntiphonError } from "../../../src/core/error.ts";
import { expand } from "../../../src/core/expand.ts";
import { fromBatches, type CallOptions, type Respond } from "../../../src/core/respond.ts";
import { addUsage } from "../../../src/core/usage.ts";
import { finishReason, outcome, text } from "../../../src/core/views.ts";
import {
  assistant,
  functionTool,
  user,
  type CreateResponse,
  type ResponseEvent,
  type Tool,
  type Usage,
} from "../../../src/model/index.ts";
import { looping, run } from "../../../src/agent/loop/run.ts";
import type { RunOptions } from "../../../src/agent/loop/run-options.ts";
import { scripted } from "../../../src/testing/scripted.ts";
import { askedWith, call, eventsOf, judged, notes, outputsIn, play, tool } from "./support.ts";

const weather = tool("weather", ({ city }: { city: string }) => `Sunny in ${city}`);
const asked: CreateResponse = { input: "What is the weather?" };

describe("a run", () => {
  test("is one response: the items of every step, with the outputs of its calls between", async () => {
    const model = scripted([[call("c1", "weather", { city: "Oslo" })], "It is sunny."]);
    const { response, output, types } = await play(model, asked, { tools: [weather] });
    expect(output).toEqual(["function_call", "function_call_output: Sunny in Oslo", "message"]);
    expect(text(response)).toBe("It is sunny.");
    expect(finishReason(response)).toBe("stop");
    expect(response.id).toBe("run_run_1");
    expect(types.filter((type) => /created|in_progress|completed$/.test(type))).toEqual([
      "response.created",
      "response.in_progress",
      "response.completed",
    ]);
  });

  test("asks every step with all items so far, instructions and tools included", async () => {
    const model = scripted([[call("c1", "weather", { city: "Oslo" })], [call("c2", "weather", { city: "Rome" })], "Done."]);
    await play(model, { ...asked, instructions: "Be brief.", temperature: 0 }, { tools: [weather] });
    expect(model.requests.map(({ input }) => (input as unknown[]).length)).toEqual([1, 3, 5]);
    expect(model.requests[2]).toMatchObject({
      instructions: "Be brief.",
      temperature: 0,
      tools: [weather.definition],
      input: [
        { role: "user", content: "What is the weather?" },
        { type: "function_call", call_id: "c1" },
        { type: "function_call_output", call_id: "c1", output: "Sunny in Oslo" },
        { type: "function_call", call_id: "c2" },
        { type: "function_call_output", call_id: "c2", output: "Sunny in Rome" },
      ],
    });
    expect(askedWith(model, 1)[2]).not.toHaveProperty("id");
  });

  test("hands the same objects to the model step after step", async () => {
    const lists: unknown[][] = [];
    const model = scripted([[call("c1", "weather")], [call("c2", "weather")], "Done."]);
    const watching: Respond = (request, options) => {
      lists.push(request.input as unknown[]);
      return model(request, options);
    };
    await play(watching, { input: [user("Hello")] }, { tools: [weather] });
    expect(lists[2]?.slice(0, 3)).toEqual(lists[1]);
    lists[1]?.forEach((item, index) => expect(lists[2]?.[index]).toBe(item));
  });

  test("without tools is the model's own answer under another id", async () => {
    const { events, response } = await play(scripted(["Hello there."]), asked);
    const plain = await eventsOf(scripted(["Hello there."])(asked));
    const standard = events.filter(({ type }) => !type.includes(":"));
    expect(standard.map(({ type, sequence_number }) => [type, sequence_number])).toEqual(
      plain.map(({ type, sequence_number }) => [type, sequence_number]),
    );
    expect(response).toMatchObject({ status: "completed", id: "run_run_1" });
  });

  test("passes the batches of its first step on without copying them", async () => {
    const events = expand(await collect(scripted(["One two three"])(asked)));
    const batches = [events.slice(0, 2), events.slice(2, -1), events.slice(-1)];
    const model: Respond = () => fromBatches(() => batches.values() as never);
    const seen: ResponseEvent[][] = [];
    const stream = run(model, asked).batches!();
    for (let next = await stream.next(); !next.done; next = await stream.next()) seen.push(next.value);
    expect(seen[1]).toBe(batches[1]);
  });

  test("tells of each step's own response", async () => {
    const model = scripted([[call("c1", "weather")], "Done."]);
    const { events } = await play(model, asked, { tools: [weather] });
    const steps = notes(events, "step");
    expect(steps).toMatchObject([{ index: 0 }, { index: 1 }]);
    const ids = steps.map((event) => (event as { response?: { id: string } }).response?.id);
    expect(new Set([...ids, "run_run_1"]).size).toBe(3);
  });

  test("sums the usage of its requests", async () => {
    const model = scripted([[call("c1", "weather")], "Done."]);
    const { events, response } = await play(model, asked, { tools: [weather] });
    const [first, second] = notes(events, "step").map(
      (event) => (event as never as { response: { usage: Usage } }).response.usage,
    );
    expect(response.usage).toEqual(addUsage(first!, second!));
  });

  test("is itself a model, which another run can ask", async () => {
    const inner = looping({ tools: [weather] })(
      scripted([[call("c1", "weather", { city: "Oslo" }), call("c2", "clock")], "Noon and sun."]),
    );
    const clock = tool("clock", () => "12:00");
    const { output, response } = await play(inner, asked, { tools: [clock] });
    expect(output).toEqual([
      "function_call",
      "function_call",
      "function_call_output: Sunny in Oslo",
      "function_call_output: 12:00",
      "message",
    ]);
    expect(text(response)).toBe("Noon and sun.");
  });

  test("as a middleware keeps its own settings where the caller says nothing", async () => {
    const heard: (CallOptions | undefined)[] = [];
    const model: Respond = (request, options) => (heard.push(options), scripted(["Hi."])(request, options));
    const settings = { retry: { retries: 0 }, headers: { a: "1" } };
    await play(looping(settings)(model), asked, {});
    expect(heard).toMatchObject([settings]);
  });

  test("throws what goes wrong before its first event", async () => {
    const model = scripted([new AntiphonError("RATE_LIMIT", "Slow down.")]);
    await expect(eventsOf(run(model, asked))).rejects.toMatchObject({ code: "RATE_LIMIT" });
  });

  test("fails with everything so far when a later step is refused", async () => {
    const model = scripted([[call("c1", "weather")], new AntiphonError("RATE_LIMIT", "Slow down.")]);
    const { response, output } = await play(model, asked, { tools: [weather] });
    expect(outcome(response)).toMatchObject({ state: "failed", error: { code: "RATE_LIMIT" } });
    expect(output).toHaveLength(2);
  });

  test("fails lawfully when a model throws in the middle of an answer", async () => {
    const whole = await eventsOf(scripted(["One two three four"])(asked));
    const first = scripted([[call("c1", "weather")]]);
    let turn = 0;
    const model: Respond = (request, options) => {
      if ((turn += 1) === 1) return first(request, options);
      return {
        async *[Symbol.asyncIterator]() {
          for (const event of whole.slice(0, 6)) yield event;
          throw new Error("The cable was cut.");
        },
      };
    };
    const { response } = await play(model, asked, { tools: [weather] });
    expect(outcome(response)).toMatchObject({ state: "failed", error: { message: "The cable was cut." } });
    expect(text(response)).not.toBe("");
    expect(response.usage?.estimated).toBe(true);
  });

  test("calls a stream without an end truncated", async () => {
    const whole = await eventsOf(scripted(["One two three"])(asked));
    const model: Respond = () => fromBatches(() => [whole.slice(0, 5)].values() as never);
    const { response } = await play(model, asked);
    expect(outcome(response)).toMatchObject({ state: "truncated" });
  });

  test("keeps the reason of a step that stopped short, and runs none of its calls", async () => {
    let ran = 0;
    const cut = { ...call("c1", "weather", '{"city":"Os'), status: "incomplete" as const };
    const partial = await collect(scripted([[call("c0", "weather")]])(asked));
    const response = {
      ...partial,
      status: "incomplete" as const,
      incomplete_details: { reason: "max_output_tokens" },
      output: [...partial.output, { ...cut, id: "fc_9" }] as never,
    };
    const counted = tool("weather", () => (ran += 1));
    const played = await play(scripted([response]), asked, { tools: [counted] });
    expect(outcome(played.response)).toEqual({ state: "incomplete", reason: "max_output_tokens" });
    expect(ran).toBe(0);
  });

  test("lets go of the model when its reader leaves", async () => {
    let left = false;
    const model: Respond = () => ({
      async *[Symbol.asyncIterator]() {
        try {
          yield* await eventsOf(scripted(["One two three"])(asked));
        } finally {
          left = true;
        }
      },
    });
    for await (const event of run(model, asked)) if (event.type.endsWith(".delta")) break;
    expect(left).toBe(true);
  });
});

describe("what ends a run, and what steers it", () => {
  const forever = Array.from({ length: 30 }, (_, index) => [call(`c${index}`, "weather")]);

  test("stops after so many requests, with every call answered", async () => {
    const { response } = await play(scripted(forever), asked, { tools: [weather], maxSteps: 3 });
    expect(outcome(response)).toEqual({ state: "incomplete", reason: "max_steps" });
    expect(outputsIn(response.output)).toHaveLength(3);
  });

  test("stops after twenty where nothing is said", async () => {
    const model = scripted(forever);
    await play(model, asked, { tools: [weather] });
    expect(model.requests).toHaveLength(20);
  });

  test("stops where the caller says so", async () => {
    const { response } = await play(scripted(forever), asked, {
      tools: [weather],
      stopWhen: (steps) => steps.length === 2 && steps.every(({ outputs }) => outputs.length === 1),
    });
    expect(response.status).toBe("completed");
    expect(outputsIn(response.output)).toHaveLength(2);
  });

  test("lets the caller change what a step asks", async () => {
    const model = scripted([[call("c1", "weather")], "Done."]);
    await play(
      model,
      { ...asked, model: "large" },
      {
        tools: [weather],
        prepareStep: (steps, request) => (steps.length > 0 ? { model: `${request.model}-again` } : undefined),
      },
    );
    expect(model.requests.map((request) => request.model)).toEqual(["large", "large-again"]);
  });

  test.each([
    ["required", "auto"],
    [{ type: "function", name: "weather" }, "auto"],
    [
      { type: "allowed_tools", mode: "required", tools: [] },
      { type: "allowed_tools", mode: "auto", tools: [] },
    ],
    ["none", "none"],
    ["auto", "auto"],
  ] as const)("sends the tool choice %j in the first step, then %j", async (tool_choice, later) => {
    const model = scripted([[call("c1", "weather")], "Done."]);
    await play(model, { ...asked, tool_choice } as CreateResponse, { tools: [weather] });
    expect(model.requests.map((request) => request.tool_choice)).toEqual([tool_choice, later]);
  });

  test("asks a model again that fell silent after tool results, once", async () => {
    const model = scripted([[call("c1", "weather")], "", "", "Never asked for."]);
    const { response } = await play(model, asked, { tools: [weather] });
    expect(model.requests).toHaveLength(3);
    expect(model.requests[2]?.input).toEqual(model.requests[1]?.input);
    expect(response.status).toBe("completed");
  });

  test("takes an empty answer for an answer where no tool was called", async () => {
    const model = scripted(["", "Never asked for."]);
    await play(model, asked, { tools: [weather] });
    expect(model.requests).toHaveLength(1);
  });

  test("sends only what is new where the provider keeps the conversation", async () => {
    const model = scripted([[call("c1", "weather", { city: "Oslo" })], "Done."]);
    await play(model, { ...asked, conversation: "conv_1" }, { tools: [weather] });
    expect(model.requests[1]?.input).toMatchObject([{ type: "function_call_output", call_id: "c1" }]);
    expect(model.requests[1]?.input).toHaveLength(1);
  });

  test.each<[string, RunOptions]>([
    ["prepareStep", { prepareStep: (steps: readonly unknown[]) => fail(steps.length > 0) }],
    ["beforeTool", { beforeTool: () => fail(true) }],
    ["afterTool", { afterTool: () => fail(true) }],
    ["stopWhen", { stopWhen: () => fail(true) ?? false }],
  ])("fails when %s throws", async (name, options) => {
    const { response } = await play(scripted([[call("c1", "weather")], "Done."]), asked, { tools: [weather], ...options });
    expect(outcome(response)).toMatchObject({
      state: "failed",
      error: { message: `\`${name}\` failed: Out of order.`, vendorCode: "hook_failed" },
    });
  });

  const fail = (now: boolean): undefined => {
    if (now) throw new Error("Out of order.");
    return undefined;
  };
});

describe("tools of a run", () => {
  test("from a source are asked for before every step", async () => {
    const lists = [[weather], [weather, tool("clock", () => "12:00")]];
    const source = { listTools: async () => lists.shift() ?? [] };
    const model = scripted([[call("c1", "weather", { city: "Oslo" })], "Done."]);
    await play(model, asked, { tools: [source] });
    expect(model.requests.map(({ tools }) => tools?.map((one) => "name" in one && one.name))).toEqual([
      ["weather"],
      ["weather", "clock"],
    ]);
  });

  test("from a source that cannot be reached fail the run, and are thrown before it began", async () => {
    const lists = [async () => [weather], () => Promise.reject(new Error("No server."))];
    const source = { listTools: () => lists.shift()!() };
    const { response } = await play(scripted([[call("c1", "weather")]]), asked, { tools: [source] });
    expect(outcome(response)).toMatchObject({ state: "failed", error: { code: "CONNECTION_ERROR", message: "No server." } });
    const gone = { listTools: () => Promise.reject(new Error("No server.")) };
    await expect(play(scripted([]), asked, { tools: [gone] })).rejects.toMatchObject({ code: "CONNECTION_ERROR" });
  });

  test("stand behind those of the request, each once", async () => {
    const model = scripted(["Hello."]);
    const own = functionTool("lookup", "Looks up.", { type: "object", properties: {} });
    await play(model, { ...asked, tools: [weather.definition, own] }, { tools: [weather, { type: "web_search" }] });
    expect(model.requests[0]?.tools).toEqual([own, weather.definition, { type: "web_search" }]);
  });

  test("of one namespace are sent together, and found by it", async () => {
    const inSpace = (name: string) => {
      const plain = tool(name, () => `crm ${name}`);
      return { ...plain, definition: { type: "namespace", name: "crm", tools: [plain.definition] } as never };
    };
    const model = scripted([[{ ...call("c1", "find"), namespace: "crm" } as never, call("c2", "find")], "Done."]);
    const { response } = await play(model, asked, { tools: [inSpace("find"), inSpace("store")] });
    expect(model.requests[0]?.tools).toMatchObject([{ name: "crm", tools: [{ name: "find" }, { name: "store" }] }]);
    expect(outputsIn(response.output)).toEqual([
      ["c1", "crm find"],
      ["c2", 'Error: There is no tool named "find". Available tools: crm.find, crm.store.'],
    ]);
  });

  test("of one name are an error that names it, before anything is asked", async () => {
    const model = scripted([]);
    const twice = (name: string) => ({ code: "BAD_REQUEST", param: "tools", message: expect.stringContaining(`"${name}"`) });
    const source = { listTools: async () => [tool("weather", () => "Rain.")] };
    const plain = (): Tool => functionTool("weather", "Tells the weather.", {});
    const shell = () => ({ ...tool("shell", () => "ran"), definition: { type: "local_shell" as const } });
    for (const tools of [
      [weather, plain()],
      [weather, source],
      [source, source],
    ])
      await expect(play(model, asked, { tools })).rejects.toMatchObject(twice("weather"));
    await expect(play(model, { ...asked, tools: [plain(), plain()] })).rejects.toMatchObject(twice("weather"));
    await expect(play(model, asked, { tools: [shell(), shell()] })).rejects.toMatchObject(twice("local_shell"));
    expect(model.requests).toEqual([]);
  });

  test("that stand there twice are the same tool", async () => {
    const model = scripted(["Hello."]);
    await play(model, asked, { tools: [weather, weather] });
    expect(model.requests[0]?.tools).toEqual([weather.definition]);
  });

  test("of the request that the run has too are declared once, also in a namespace", async () => {
    const model = scripted(["Hello."]);
    const space = (...names: string[]) => ({
      type: "namespace",
      name: "crm",
      tools: names.map((name) => tool(name, () => "").definition),
    });
    const find = { ...tool("find", () => "found"), definition: space("find") as never };
    const lookup = functionTool("lookup", "Looks up.", {});
    const tools = [lookup, space("find", "store")] as never;
    await play(model, { ...asked, tools }, { tools: [find, lookup] });
    expect(model.requests[0]?.tools).toMatchObject([
      { name: "crm", tools: [{ name: "store" }, { name: "find" }] },
      { name: "lookup" },
    ]);
  });

  test("that a message names between calls do not disturb the order of items", async () => {
    const model = scripted([[assistant("Let me look."), call("c1", "weather", { city: "Oslo" })], "Sunny."]);
    const { output } = await play(model, asked, { tools: [weather] });
    expect(output).toEqual(["message", "function_call", "function_call_output: Sunny in Oslo", "message"]);
  });

  test("judged: the support of these tests sees an unlawful stream", async () => {
    const events = await eventsOf(scripted(["One"])(asked));
    expect(() => judged(events.slice(0, -1))).toThrow(/undefined/);
  });
});
