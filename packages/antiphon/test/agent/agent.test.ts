import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Agent } from "../../src/agent/agent.ts";
import { AntiphonError } from "../../src/core/error.ts";
import type { Middleware, Respond } from "../../src/core/respond.ts";
import { functionTool, user } from "../../src/model/construct.ts";
import { provider } from "../../src/providers/registry.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { scripted } from "../../src/testing/scripted.ts";
import { tool } from "../../src/tools/define.ts";
import { all, call, failure, said, thought, weather } from "./support.ts";

describe("what is said to an agent", () => {
  const sentBy = async (input: Parameters<Agent["send"]>[0]) => {
    const model = scripted(["Yes."]);
    await new Agent({ model }).send(input);
    return model.requests[0]?.input;
  };

  test("may be text", async () => {
    expect(await sentBy("Hello")).toEqual([user("Hello")]);
  });

  test("may be the parts of a message", async () => {
    const parts = [
      { type: "input_text" as const, text: "What is this?" },
      { type: "input_image" as const, image_url: "data:image/png;base64,iVBORw0KGgo=" },
    ];
    expect(await sentBy(parts)).toEqual([user(parts)]);
  });

  test("may be an item or a list of items", async () => {
    expect(await sentBy(user("Hello"))).toEqual([user("Hello")]);
    expect(await sentBy([user("Hello"), said("Hi."), user("Again")])).toEqual([user("Hello"), said("Hi."), user("Again")]);
  });
});

describe("what an agent sends", () => {
  test("is its options, in the spelling of the wire, in every step", async () => {
    const model = scripted([[call("c1", "weather", { city: "Oslo" })], "Sunny."]);
    const agent = new Agent({
      model,
      instructions: "Be brief.",
      tools: [weather],
      verbosity: "low",
      reasoning: { effort: "high" },
      temperature: 0,
      max_output_tokens: 50,
      metadata: { a: "b" },
      prompt_cache_key: "k",
      parallel_tool_calls: false,
      seed: 1,
    });
    await agent.send("Weather?");
    expect(model.requests).toHaveLength(2);
    for (const request of model.requests)
      expect(request).toMatchObject({
        instructions: "Be brief.",
        text: { verbosity: "low" },
        reasoning: { effort: "high" },
        temperature: 0,
        max_output_tokens: 50,
        metadata: { a: "b" },
        prompt_cache_key: "k",
        parallel_tool_calls: false,
        seed: 1,
        tools: [{ type: "function", name: "weather" }],
      });
  });

  test("holds nothing that nobody asked for", async () => {
    const model = scripted(["Yes."]);
    await new Agent({ model }).send("Hello");
    expect(model.requests[0]).toEqual({ input: [user("Hello")] });
  });

  test("is what one call says, where that says something else", async () => {
    const model = scripted(["Yes."]);
    const agent = new Agent({ model: scripted([]), temperature: 1, top_p: 0.5 });
    await agent.send("Hello", { model, temperature: 0, top_p: undefined, instructions: "Be kind." });
    expect(model.requests[0]).toEqual({ input: [user("Hello")], temperature: 0, top_p: 0.5, instructions: "Be kind." });
  });

  test("has instructions that are made of the context", async () => {
    const model = scripted(["Yes."]);
    const agent = new Agent<{ name: string }>({ model, instructions: async ({ name }) => `Speak to ${name}.` });
    await agent.send("Hello", { context: { name: "Ada" } });
    expect(model.requests[0]?.instructions).toBe("Speak to Ada.");
  });

  test("passes the middleware on every request, the first one outermost", async () => {
    const passed: string[] = [];
    const named =
      (name: string): Middleware =>
      (next) =>
      (request, options) => {
        passed.push(name);
        return next(request, options);
      };
    const model = scripted([[call("c1", "weather", { city: "Oslo" })], "Sunny."]);
    await new Agent({ model, tools: [weather], middleware: [named("a"), named("b")] }).send("Weather?");
    expect(passed).toEqual(["a", "b", "a", "b"]);
  });
});

describe("an agent's model", () => {
  test("is looked up when it is first asked, and the error comes then", async () => {
    const agent = new Agent({ model: "nobody:nothing" });
    expect((await failure(agent.send("Hello"))).message).toContain("nobody");
  });

  test("needs no key until it is asked", async () => {
    const agent = new Agent({ model: provider("openai:gpt-5.2", { env: {} }) });
    expect(agent.stats()).toMatchObject({ provider: "openai", model: "gpt-5.2", isGpt5Model: true, requests: 0 });
    const error = await failure(agent.send("Hello"));
    expect(error.code).toBe("AUTH_ERROR");
    expect(error.message).toContain("OPENAI_API_KEY");
  });

  test("is the same one in every run, so that what it keeps is found again", async () => {
    const agent = new Agent({ model: "offline" });
    const first = await agent.send("My name is Ada.");
    const reply = await agent.send("What is my name?", { previous_response_id: first.steps[0]!.response.id });
    expect(reply.text).toBe("Your name is Ada.");
  });

  test("can be changed, like how hard it thinks and how much it says", async () => {
    const model = scripted(["Yes."]);
    const agent = new Agent({ model: scripted([]) });
    agent.model = model;
    agent.reasoning = { effort: "xhigh" };
    agent.verbosity = "high";
    await agent.send("Hello");
    expect(model.requests[0]).toMatchObject({ reasoning: { effort: "xhigh" }, text: { verbosity: "high" } });
    expect(agent.stats()).toMatchObject({ reasoningEffort: "xhigh", verbosity: "high" });
  });

  test("is shared with a copy that differs otherwise", async () => {
    const model = scripted(["Yes.", "No."]);
    const agent = new Agent({ model, temperature: 1 });
    const copy = agent.with({ temperature: 0 });
    await copy.send("Hello");
    await agent.send("Hello");
    expect(model.requests.map(({ temperature }) => temperature)).toEqual([0, 1]);
  });
});

describe("stats", () => {
  test("count requests, tokens and money over all runs", async () => {
    const prices = () => ({ input: 1_000_000, output: 2_000_000 });
    const agent = new Agent({ model: "offline", tools: [weather], prices });
    const first = await agent.send("What is the weather in Oslo?");
    const second = await agent.send("What is 6 * 7?");
    const stats = agent.stats();
    expect(stats).toMatchObject({ provider: "offline", model: "offline", isGpt5Model: false, requests: 3, steps: 3 });
    expect(stats.usage.total_tokens).toBe(first.usage.total_tokens + second.usage.total_tokens);
    expect(first.cost).toBe(first.usage.input_tokens + 2 * first.usage.output_tokens);
    expect(stats.cost).toBeCloseTo(first.cost! + second.cost!);
  });

  test("name no cost where a price is unknown", async () => {
    const agent = new Agent({ model: "offline", prices: () => undefined });
    const reply = await agent.send("Hello");
    expect(reply.cost).toBeUndefined();
    expect(agent.stats()).not.toHaveProperty("cost");
  });
});

describe("a reply", () => {
  const model = () =>
    scripted([
      [thought("The user wants the weather.", "There is a tool."), said("Let me look."), call("c1", "weather", { city: "Oslo" })],
      [thought("Done."), said("It is sunny.")],
    ]);

  test("has the answer as its text, and everything as its items", async () => {
    const reply = await new Agent({ model: model(), tools: [weather] }).send("Weather?");
    expect(reply.text).toBe("It is sunny.");
    expect(reply.thinking).toBe("The user wants the weather.\n\nThere is a tool.\n\nDone.");
    expect(reply.thinking_details).toHaveLength(2);
    expect(reply.items.map(({ type }) => type)).toEqual([
      "reasoning",
      "message",
      "function_call",
      "function_call_output",
      "reasoning",
      "message",
    ]);
    expect(reply.response.output).toEqual(reply.items);
    expect(reply.usage).toEqual(reply.response.usage);
  });

  test("sets text apart that was said before and after a tool was used", async () => {
    const stream = new Agent({ model: model(), tools: [weather] }).stream("Weather?");
    expect((await all(stream.text())).join("")).toBe("Let me look.\n\nIt is sunny.");
    expect((await all(stream.thinking())).join("")).toBe((await stream.reply).thinking);
  });

  test("has the history to go on from, without ids that only the run knows", async () => {
    const next = scripted(["Fine."]);
    const reply = await new Agent({ model: model(), tools: [weather] }).send("Weather?");
    await new Agent({ model: next }).send([...reply.history, user("Thanks.")]);
    const sent = next.requests[0]?.input;
    expect(sent).toHaveLength(8);
    expect(Array.isArray(sent) && sent[4]).toEqual({
      type: "function_call_output",
      call_id: "c1",
      output: "It is sunny in Oslo.",
    });
  });

  test("is JSON, with response-level facts apart", async () => {
    const reply = await new Agent({ model: model(), tools: [weather] }).send("Weather?");
    const json = JSON.parse(JSON.stringify(reply));
    expect(json).toMatchObject({ version: 1, text: "It is sunny.", finish: "stop", pending: [], metadata: {}, files: [] });
    expect(json.response).toMatchObject({ id: reply.response.id, status: "completed" });
    expect(json.response).not.toHaveProperty("output");
  });

  test("has the text that came with a call that waits", async () => {
    const paused = await new Agent({ model: model(), tools: [{ ...weather, needsApproval: () => true }] }).send("Weather?");
    expect(paused).toMatchObject({ text: "Let me look.", finish: "tool_calls", pending: [{ name: "weather", call_id: "c1" }] });
  });

  test("tells what a provider's tools did and made", async () => {
    const picture = { type: "image_generation_call", id: "ig_1", status: "completed", result: "iVBORw0KGgo=" } as const;
    const reply = await new Agent({ model: scripted([[picture, said("Here.")]]) }).send("Draw.");
    expect(Object.keys(reply.metadata)).toEqual(["image_generation"]);
    expect(reply.files).toMatchObject([{ mimeType: "image/png" }]);
    expect(JSON.parse(JSON.stringify(reply)).files).toMatchObject([{ mimeType: "image/png", source: { item_id: "ig_1" } }]);
  });
});

describe("limits and rules of a run", () => {
  const looping: Respond = (request, options) =>
    scripted([[call(`c${request.input?.length}`, "weather", { city: "Oslo" })]])(request, options);

  test("end it after so many steps", async () => {
    const reply = await new Agent({ model: looping, tools: [weather], maxSteps: 3 }).send("Weather?");
    expect(reply.finish).toBe("length");
    expect(reply.response.incomplete_details).toEqual({ reason: "max_steps" });
    expect(reply.steps).toHaveLength(3);
  });

  test("end it where the caller says so", async () => {
    const reply = await new Agent({ model: looping, tools: [weather] }).send("Weather?", {
      stopWhen: (steps) => steps.length === 2,
    });
    expect(reply.finish).toBe("stop");
    expect(reply.steps).toHaveLength(2);
  });

  test("are kept by a signal, which reaches the tools", async () => {
    const controller = new AbortController();
    let seen: AbortSignal | undefined;
    const slow = tool({
      name: "slow",
      input: z.object({}),
      run: (_, { signal }) =>
        new Promise((resolve) => {
          seen = signal;
          signal.addEventListener("abort", resolve);
          controller.abort();
        }),
    });
    const reply = await new Agent({ model: scripted([[call("c1", "slow")]]), tools: [slow] }).send("Go.", {
      signal: controller.signal,
    });
    expect(reply.finish).toBe("cancelled");
    expect(seen?.aborted).toBe(true);
  });

  test("throw where the signal has fired before anything was sent", async () => {
    const model = scripted(["Yes."]);
    const error = await failure(new Agent({ model }).send("Hello", { signal: AbortSignal.abort() }));
    expect(error.code).toBe("ABORTED");
  });
});

test("an agent that is asked as a model has the tools of the request too, and its own where both have one", async () => {
  const model = scripted(["Sunny."]);
  const agent = new Agent({ model, tools: [weather] });
  const lookup = functionTool("lookup", "Looks up.", {});
  await all(agent.respond({ input: "Hello", tools: [lookup, functionTool("weather", "Another.", {})] }));
  expect(model.requests[0]?.tools).toEqual([lookup, weather.definition]);
});

test("an agent that is asked as a model tells one lawful response, and runs what it can itself", async () => {
  const agent = new Agent({ model: offline(), tools: [weather], instructions: "Be brief." });
  const events = await all(agent.respond({ input: "What is the weather in Oslo?", temperature: 0 }));
  const last = events.at(-1);
  expect(last?.type).toBe("response.completed");
  const outer = new Agent({ model: agent.respond });
  expect((await outer.send("What is the weather in Oslo?")).text).toContain("sunny in Oslo");
});

test("an error before the first event is thrown as it is", async () => {
  const error = new AntiphonError("RATE_LIMIT", "Slow down.", { retryAfter: 1_000 });
  expect(await failure(new Agent({ model: scripted([error]) }).send("Hello"))).toBe(error);
});
