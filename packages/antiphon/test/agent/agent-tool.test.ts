import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Agent } from "../../src/agent/agent.ts";
import type { Middleware } from "../../src/core/respond.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { scripted } from "../../src/testing/scripted.ts";
import { all, call, refused, weather } from "./support.ts";

describe("an agent as a tool", () => {
  test("answers in the other's run, and what it took is counted there once", async () => {
    const scout = new Agent({ name: "scout", description: "Finds things out.", model: offline(), tools: [weather] });
    const model = scripted([[call("c1", "scout", { task: "What is the weather in Oslo?" })], "Sunny, I hear."]);
    const agent = new Agent({ model, tools: [scout.asTool()] });
    const reply = await agent.send("Weather?");
    expect(reply.text).toBe("Sunny, I hear.");
    expect(reply.steps[0]?.outputs).toMatchObject([{ output: expect.stringContaining("It is sunny in Oslo.") }]);
    const inner = scout.stats().usage.total_tokens;
    expect(inner).toBeGreaterThan(0);
    expect(reply.usage.total_tokens).toBe(reply.response.usage!.total_tokens + inner);
    expect(agent.stats().usage.total_tokens).toBe(reply.response.usage!.total_tokens);
    expect(model.requests[0]?.tools).toMatchObject([{ name: "scout", description: "Finds things out.", strict: true }]);
  });

  test.each([
    ["scout-2", {}, "scout-2"],
    ["My Helper", {}, "my_helper"],
    ["Übersetzer: DE → EN", {}, "bersetzer_de_en"],
    ["My Helper", { name: "helper" }, "helper"],
  ])("is called what it may be called: %s", (name, options, called) => {
    expect(new Agent({ name, model: "offline" }).asTool(options).name).toBe(called);
  });

  test("is refused, by its own name, where that has no letters for it", () => {
    expect(() => new Agent({ name: "研究", model: "offline" }).asTool()).toThrow(/unlike "研究"/);
  });

  test("passes the count on through agents inside agents", async () => {
    const inner = new Agent({ name: "inner", model: scripted(["Deep."]) });
    const middle = new Agent({
      name: "middle",
      model: scripted([[call("m1", "inner", { task: "Go." })], "Middle."]),
      tools: [inner.asTool()],
    });
    const outer = new Agent({ model: scripted([[call("o1", "middle", { task: "Go." })], "Top."]), tools: [middle.asTool()] });
    const reply = await outer.send("Go.");
    const total = [inner, middle, outer].reduce((sum, agent) => sum + agent.stats().usage.total_tokens, 0);
    expect(reply.usage.total_tokens).toBe(total);
  });

  test("adds up cost where every price is known, and names none else", async () => {
    const prices = () => ({ input: 1_000_000, output: 1_000_000 });
    const ask = async (inner: Agent) => {
      const respond = scripted([[call("c1", "inner", { task: "Go." })], "Yes."]);
      return new Agent({ model: { name: "test", model: "m", respond }, prices, tools: [inner.asTool()] }).send("Go.");
    };
    const priced = { name: "test", model: "m", respond: scripted(["Deep."]) };
    const reply = await ask(new Agent({ name: "inner", model: priced, prices }));
    expect(reply.cost).toBe(reply.usage.input_tokens + reply.usage.output_tokens);
    expect((await ask(new Agent({ name: "inner", model: scripted(["Deep."]) }))).cost).toBeUndefined();
  });

  test("takes the input and gives the output that its schemas say", async () => {
    const judge = new Agent({
      name: "judge",
      model: scripted([(request) => JSON.stringify({ verdict: JSON.stringify(request.input) })]),
    });
    const typed = judge.with({ output: z.object({ verdict: z.string() }) }).asTool({
      name: "judge_it",
      description: "Judges.",
      input: z.object({ left: z.string(), right: z.string() }),
      prompt: (input) => `Compare ${JSON.stringify(input)}`,
    });
    const model = scripted([[call("c1", "judge_it", { left: "a", right: "b" })], "Judged."]);
    const reply = await new Agent({ model, tools: [typed] }).send("Go.");
    expect(reply.steps[0]?.outputs[0]).toMatchObject({ output: expect.stringContaining("Compare") });
    expect(reply.steps[0]?.outputs[0]).toMatchObject({ output: expect.stringMatching(/^\{"verdict":/) });
  });

  test("tells the model why there is no answer: failed, declined, or waiting for somebody", async () => {
    const asking = async (inner: Agent): Promise<unknown> => {
      const model = scripted([[call("c1", "inner", { task: "Go." })], "I see."]);
      const reply = await new Agent({ model, tools: [inner.with({ name: "inner" }).asTool()] }).send("Go.");
      expect(reply.text).toBe("I see.");
      expect(reply.usage.total_tokens).toBeGreaterThan(reply.response.usage!.total_tokens);
      return Reflect.get(reply.steps[0]!.outputs[0]!, "output");
    };
    expect(await asking(new Agent({ model: offline(), instructions: "x" }).with({ middleware: [failing] }))).toContain("Error: ");
    expect(await asking(new Agent({ model: scripted([[refused("No.")]]) }))).toBe("inner declined: No.");
    const cautious = { ...weather, needsApproval: () => true };
    const waits = new Agent({ model: scripted([[call("w1", "weather", { city: "Oslo" })]]), tools: [cautious] });
    expect(await asking(waits)).toContain('its call of "weather" requires a decision');
  });

  test("is stopped with the run that uses it", async () => {
    const controller = new AbortController();
    const scout = new Agent({ name: "scout", model: offline() });
    const model = scripted([[call("c1", "scout", { task: "[[slow:20]] [[long:500]]" })]]);
    const agent = new Agent({ model, tools: [scout.asTool({ events: true })] });
    const stream = agent.stream("Go.", { signal: controller.signal });
    let told = 0;
    for await (const event of stream) if (event.type === "antiphon:tool_progress" && (told += 1) === 5) controller.abort();
    expect((await stream.reply).finish).toBe("cancelled");
    expect(told).toBeGreaterThanOrEqual(5);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(scout.stats()).toMatchObject({ requests: 1, steps: 1 });
  });

  test("shows its events as the progress of its call, where that is asked for", async () => {
    const scout = new Agent({ name: "scout", model: scripted(["Found it."]) });
    const model = scripted([[call("c1", "scout", { task: "Go." })], "Good."]);
    const events = await all(new Agent({ model, tools: [scout.asTool({ events: true })] }).stream("Go."));
    const told = events.flatMap((event) =>
      event.type === "antiphon:tool_progress" ? [Reflect.get(event["data"] as object, "type")] : [],
    );
    expect(told).toContain("response.output_text.delta");
    expect(told.at(-1)).toBe("antiphon:agent_done");
  });
});

/** Makes every answer fail half-way. */
const failing: Middleware = (next) => (request, options) =>
  next({ ...request, input: "[[fail:server_error]] [[say:One two]]" }, options);
