import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Agent } from "../../src/agent/agent.ts";
import type { ModelChoice } from "../../src/agent/resolve-model.ts";
import { RefusalError, RunError } from "../../src/agent/run-error.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { tool } from "../../src/tools/define.ts";
import { wireNames } from "../wires/chain.ts";
import { all, behind, failure, weather } from "./support.ts";

// One suite, whatever answers: the offline model itself, by its name, and behind a server of every wire.
const models: Readonly<Record<string, () => ModelChoice | Promise<ModelChoice>>> = {
  "the offline model": () => offline(),
  "a model string": () => "offline",
  ...Object.fromEntries(wireNames.map((wire) => [`a server of the ${wire} wire`, () => behind(wire, offline())])),
};

describe.each(Object.entries(models))("an agent on %s", (name, choose) => {
  const agentWith = async (options: Partial<ConstructorParameters<typeof Agent>[0]> = {}): Promise<Agent> =>
    new Agent({ model: await choose(), ...options });

  test("answers", async () => {
    const reply = await (await agentWith()).send("What is 6 * 7?");
    expect(reply.text).toBe("6 * 7 = 42");
    expect(reply).toMatchObject({ finish: "stop", pending: [], warnings: [] });
    expect(reply.items.map(({ type }) => type)).toEqual(["message"]);
    expect(reply.usage.total_tokens).toBeGreaterThan(0);
  });

  test("calls tools and answers with what they gave", async () => {
    const reply = await (await agentWith({ tools: [weather] })).send("What is the weather in Oslo?");
    expect(reply.text).toContain("It is sunny in Oslo.");
    expect(reply.items.map(({ type }) => type)).toEqual(["function_call", "function_call_output", "message"]);
    expect(reply.steps).toHaveLength(2);
    expect(reply.steps[0]?.outputs).toMatchObject([{ type: "function_call_output", output: "It is sunny in Oslo." }]);
  });

  test("answers calls that were made together, in their order", async () => {
    const slow = tool({
      name: "weather",
      description: "Tells the weather in a city.",
      input: z.object({ city: z.string() }),
      run: async ({ city }) => {
        await new Promise((resolve) => setTimeout(resolve, city === "Oslo" ? 20 : 0));
        return city;
      },
    });
    const reply = await (await agentWith({ tools: [slow] })).send("What is the weather in Oslo and Rome?");
    expect(reply.steps[0]?.outputs).toMatchObject([{ output: "Oslo" }, { output: "Rome" }]);
  });

  test("streams the same text that the reply has", async () => {
    const stream = (await agentWith()).stream("Repeat after me: one two three four");
    const deltas = await all(stream.text());
    expect(deltas.length).toBeGreaterThan(0);
    expect(deltas.join("")).toBe((await stream.reply).text);
  });

  test("tells what it thinks apart from what it says", async () => {
    const stream = (await agentWith({ reasoning: { effort: "high" } })).stream("What is 6 * 7?");
    const thoughts = await all(stream.thinking());
    const reply = await stream.reply;
    expect(reply.thinking).toContain("6 * 7");
    expect(thoughts.join("")).toBe(reply.thinking);
    expect(reply.thinking_details.map(({ type }) => type)).toContain("reasoning");
    expect(reply.text).toBe("6 * 7 = 42");
  });

  test("gives a typed output", async () => {
    const output = z.object({ city: z.string(), celsius: z.number(), note: z.string().optional() });
    const reply = await (await agentWith()).send("How warm is it in Oslo?", { output });
    expect(reply.output.city).toBe("Oslo");
    expect(reply.output.celsius).toBeTypeOf("number");
  });

  test("gives a typed output after tools were used", async () => {
    const output = z.object({ city: z.string(), report: z.string() });
    const reply = await (await agentWith({ tools: [weather] })).send("What is the weather in Oslo?", { output });
    expect(reply.items.map(({ type }) => type)).toEqual(["function_call", "function_call_output", "message"]);
    expect(reply.output.city).toBe("Oslo");
  });

  test("gives a list as its output, and shows it while it grows", async () => {
    const stream = (await agentWith()).stream("Name some cities.", { output: z.array(z.object({ city: z.string() })).min(1) });
    const seen = (await all(stream.partial())).at(-1);
    const { output } = await stream.reply;
    expect(output[0]?.city).toBeTypeOf("string");
    expect(seen).toEqual(output);
  });

  test("keeps what had come when a run fails", async () => {
    const error = await failure((await agentWith()).send("[[fail:server_error]] [[say:One two three four]]"), RunError);
    expect(error.code).toBe("SERVER_ERROR");
    expect(error.reply.text).toBe("One two");
    expect(error.reply.finish).toBe("error");
  });

  test("keeps what had come when an answer stops short", async () => {
    const reply = await (await agentWith()).send("[[stop]] [[say:One two three four]]");
    expect(reply).toMatchObject({ text: "One two", finish: "length" });
  });

  test("ends as cancelled, with what had come, when it is stopped", async () => {
    const stream = (await agentWith()).stream("[[slow:10]] [[long:500]]");
    for await (const text of stream.text()) if (text) stream.abort();
    const reply = await stream.reply;
    expect(reply.finish).toBe("cancelled");
    expect(reply.text.length).toBeGreaterThan(0);
    expect(reply.usage.total_tokens).toBeGreaterThan(0);
  });

  test("waits for approval, and goes on from JSON", async () => {
    let runs = 0;
    const remove = tool({
      name: "remove",
      description: "Removes a file.",
      input: z.object({ file: z.string() }),
      approval: true,
      run: ({ file }) => `${file} is gone (${(runs += 1)}).`,
    });
    const agent = await agentWith({ tools: [remove] });
    const paused = await agent.send('Please remove the file "notes.txt".');
    expect(paused).toMatchObject({ finish: "tool_calls", pending: [{ name: "remove" }] });
    expect(runs).toBe(0);
    const kept = JSON.parse(JSON.stringify(paused)) as typeof paused;
    const reply = await agent.resume(kept, { decisions: { [kept.pending[0]!.call_id]: { action: "continue" } } });
    expect(reply.text).toContain("is gone (1).");
    expect(reply.pending).toEqual([]);
  });
});

// Gemini's API has no field for a refusal: its servers send it as text.
const refusing = Object.entries(models).filter(([name]) => !name.includes("gemini"));

test.each(refusing)("an agent on %s returns a refusal as a refusal", async (_, choose) => {
  const agent = new Agent({ model: await choose() });
  const reply = await agent.send("[[refuse:Not that.]]");
  expect(reply).toMatchObject({ finish: "refusal", refusal: "Not that.", text: "" });
  const error = await failure(agent.send("[[refuse:Not that.]]", { output: z.object({ a: z.string() }) }), RefusalError);
  expect(error).toMatchObject({ code: "CONTENT_POLICY", refusal: "Not that." });
});
