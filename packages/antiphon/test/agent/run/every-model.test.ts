import { describe, expect, test } from "vitest";
import type { Respond } from "../../../src/core/respond.ts";
import { finishReason, outcome, text } from "../../../src/core/views.ts";
import { inputType } from "../../../src/model/guards.ts";
import type { CreateResponse, InputItem, ResponseEvent } from "../../../src/model/index.ts";
import { memoryJournal } from "../../../src/agent/loop/journal.ts";
import { pausedRun, resume, type PausedRun } from "../../../src/agent/loop/paused-run.ts";
import { run } from "../../../src/agent/loop/run.ts";
import type { Decision } from "../../../src/agent/loop/run-options.ts";
import { offline } from "../../../src/testing/offline/index.ts";
import { scripted, type ScriptedTurn } from "../../../src/testing/scripted.ts";
import { tool as define } from "../../../src/tools/define.ts";
import { wireNames } from "../../wires/chain.ts";
import { call, eventsOf, judged, notes, outputsIn, play } from "./support.ts";
import { behindWire } from "./wire-model.ts";

const bothCities: CreateResponse = { model: "test-model", input: "What is the weather in Oslo and Rome?" };
const order = (call: string): CreateResponse => ({ model: "test-model", input: `Now [[call:${call}]]` });

/** The offline model's manners in a script: it calls what it is told to, and then repeats what the tools said. */
const mannered: ScriptedTurn = ({ input }, turn) => {
  const items = input as InputItem[];
  const since = items.slice(items.findLastIndex((item) => "role" in item && item.role === "user") + 1);
  const results = since.filter((item) => inputType(item) === "function_call_output");
  if (results.length > 0) return `The tools say: ${JSON.stringify(results)}`;
  const ordered = /\[\[call:(\w+) (.*?)\]\]/.exec(JSON.stringify(items).replaceAll('\\"', '"'));
  if (ordered) return [call(`call_${turn}`, ordered[1]!, ordered[2])];
  return [call(`call_${turn}a`, "weather", { city: "Oslo" }), call(`call_${turn}b`, "weather", { city: "Rome" })];
};
const inScript = (): Respond => scripted(Array.from({ length: 30 }, () => mannered));

/** The model, telling what it is asked: on its own side of the wire, if there is one. */
const heard =
  (model: Respond, requests: CreateResponse[]): Respond =>
  (request, options) => {
    requests.push(structuredClone(request));
    return model(request, options);
  };

const models: Record<string, (requests?: CreateResponse[]) => Respond | Promise<Respond>> = {
  "the offline model": (requests = []) => heard(offline(), requests),
  "a scripted model": (requests = []) => heard(inScript(), requests),
};
for (const wire of wireNames) {
  models[`the offline model behind ${wire}`] = (requests = []) => behindWire(wire, heard(offline(), requests));
  models[`a scripted model behind ${wire}`] = (requests = []) => behindWire(wire, heard(inScript(), requests));
}

const input = {
  type: "object",
  properties: { city: { type: "string" }, unit: { type: "string", enum: ["C", "F"] } },
  required: ["city"],
};
const weatherTool = (give: (city: string) => unknown, more = {}) =>
  define<{ city: string }>({
    name: "weather",
    description: "Tells the weather in a city.",
    input,
    run: ({ city }) => give(city),
    ...more,
  });
const weather = weatherTool((city) => `Sunny in ${city}`);

describe.each(Object.entries(models))("a run on %s", (_, open) => {
  test("answers two calls of one step in their order, and the model says what the tools said", async () => {
    const { response, events } = await play(await open(), bothCities, { tools: [weather] });
    expect(outputsIn(response.output).map(([, output]) => output)).toEqual(["Sunny in Oslo", "Sunny in Rome"]);
    expect(text(response)).toMatch(/Sunny in Oslo[^]*Sunny in Rome/);
    expect(finishReason(response)).toBe("stop");
    expect(notes(events, "step")).toHaveLength(2);
    expect(response.usage?.total_tokens).toBeGreaterThan(0);
  });

  test("tells the model of errors, bad arguments and unknown tools", async () => {
    const respond = await open();
    const failing = weatherTool(() => Promise.reject(new Error("The station is down.")));
    const failed = await play(respond, bothCities, { tools: [failing] });
    expect(text(failed.response)).toContain("The station is down.");
    const misread = await play(respond, order('weather {"town":"Oslo"}'), { tools: [weather] });
    expect(outputsIn(misread.response.output)[0]?.[1]).toContain("do not match its schema");
    const unknown = await play(respond, order('whether {"city":"Oslo"}'), { tools: [weather] });
    expect(text(unknown.response)).toMatch(/There is no tool named \\?"whether\\?"\. Did you mean \\?"weather/);
  });

  test("streams progress while tools run", async () => {
    const walking = define<{ city: string }>({
      name: "weather",
      description: "Tells the weather in a city.",
      input,
      async *run({ city }) {
        yield `Looking at ${city}`;
        return "Rain";
      },
    });
    const { events, types } = await play(await open(), bothCities, { tools: [walking] });
    expect(notes(events, "tool_progress").map((event) => Reflect.get(event, "data"))).toEqual([
      "Looking at Oslo",
      "Looking at Rome",
    ]);
    expect(types.indexOf("antiphon:tool_progress")).toBeLessThan(types.lastIndexOf("response.output_text.delta"));
  });

  test("passes pictures from tools on", async () => {
    const parts = [
      { type: "input_text", text: "The sky of today" },
      { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" },
    ];
    const requests: CreateResponse[] = [];
    const { response } = await play(await open(requests), order('weather {"city":"Oslo"}'), {
      tools: [weatherTool(() => parts)],
    });
    expect(outputsIn(response.output)[0]?.[1]).toEqual(parts);
    const received = JSON.stringify(requests[1]?.input);
    expect(received).toContain("The sky of today");
    expect(received).toContain("iVBORw0KGgo=");
  });

  test.each<[string, Decision, RegExp, string[]]>([
    ["approved", { action: "continue" }, /Sunny in/, ["Oslo", "Rome"]],
    ["edited", { action: "continue", input: { city: "Bonn" } }, /Sunny in Bonn/, ["Bonn", "Bonn"]],
    ["refused", { action: "refuse", reason: "Too cold." }, /declined and did not run: Too cold\./, []],
  ])("pauses for approval, becomes JSON, and goes on when it is %s", async (__, decision, said, ran) => {
    const asked: string[] = [];
    const careful = weatherTool((city) => (asked.push(city), `Sunny in ${city}`), { approval: true });
    const respond = await open();
    const first = await play(respond, bothCities, { tools: [careful] });
    expect(finishReason(first.response)).toBe("tool_calls");
    expect(asked).toEqual([]);
    const paused: PausedRun = JSON.parse(JSON.stringify(pausedRun(bothCities, first.response)));
    expect(paused.pending.map(({ name }) => name)).toEqual(["weather", "weather"]);
    const decisions = Object.fromEntries(paused.pending.map(({ call_id }) => [call_id, decision]));
    const journal = memoryJournal();
    const options = { tools: [careful], decisions, journal };
    const { response } = judged(await eventsOf(resume(respond, paused, options)));
    expect(asked).toEqual(ran);
    expect(text(response)).toMatch(said);
    judged(await eventsOf(resume(respond, paused, options)));
    expect(asked).toEqual(ran);
  });

  test("ends at once when it is stopped while a tool works", async () => {
    const controller = new AbortController();
    const stuck = weatherTool(() => new Promise(() => {}));
    const events: ResponseEvent[] = [];
    for await (const event of run(await open(), bothCities, { tools: [stuck], signal: controller.signal })) {
      events.push(event);
      if (event.type === "antiphon:tool_started") controller.abort();
    }
    expect(outcome(judged(events).response)).toEqual({ state: "cancelled" });
  });

  test("stops after so many steps", async () => {
    const { response } = await play(await open(), bothCities, { tools: [weather], maxSteps: 1 });
    expect(outcome(response)).toEqual({ state: "incomplete", reason: "max_steps" });
    expect(outputsIn(response.output)).toHaveLength(2);
  });
});
