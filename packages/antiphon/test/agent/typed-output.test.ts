import { type } from "arktype";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Agent } from "../../src/agent/agent.ts";
import { OutputError, RefusalError, RunError } from "../../src/agent/run-error.ts";
import { AntiphonError } from "../../src/core/error.ts";
import type { Loss } from "../../src/core/loss.ts";
import type { Respond } from "../../src/core/respond.ts";
import type { CreateResponse } from "../../src/model/index.ts";
import { foldLaw, lifecycleLaw } from "../../src/testing/laws.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { scripted, type Scripted } from "../../src/testing/scripted.ts";
import { runs } from "../support/runs.ts";
import { all, call, failure, refused, said, thought, weather } from "./support.ts";

const city = z.object({ city: z.string(), celsius: z.number() });
const oslo = '{"city":"Oslo","celsius":4}';

describe("a schema", () => {
  test("binds the answer, in strict form", async () => {
    const model = scripted([oslo]);
    const { output } = await new Agent({ model }).send("Oslo?", { output: city });
    expect(output).toEqual({ city: "Oslo", celsius: 4 });
    expect(model.requests[0]?.text?.format).toMatchObject({
      type: "json_schema",
      name: "answer",
      strict: true,
      schema: { type: "object", required: ["city", "celsius"], additionalProperties: false },
    });
  });

  test("may be the agent's own, and of any library or none", async () => {
    const json = {
      type: "object",
      properties: { city: { type: "string" }, celsius: { type: "number" }, unit: { type: "string", default: "C" } },
      required: ["city"],
    };
    const own = new Agent({ model: scripted([oslo]), output: type({ city: "string", celsius: "number" }) });
    expect((await own.send("Oslo?")).output).toEqual({ city: "Oslo", celsius: 4 });
    const plain = new Agent({ model: scripted(['{"city":"Oslo","celsius":null,"unit":null}']), output: json });
    expect((await plain.send("Oslo?")).output).toEqual({ city: "Oslo", unit: "C" });
  });

  const roots: readonly [name: string, schema: z.ZodType, written: string, value: unknown][] = [
    ["a union", z.union([z.object({ a: z.string() }), z.object({ b: z.number() })]), '{"value":{"b":2}}', { b: 2 }],
    ["a list", z.array(z.string()), '{"value":["a","b"]}', ["a", "b"]],
    ["a choice", z.enum(["yes", "no"]), '{"value":"no"}', "no"],
    ["a number", z.number(), '{"value":0}', 0],
    ["a truth", z.boolean(), '{"value":false}', false],
    ["a list that the model did not wrap", z.array(z.string()), '["a"]', ["a"]],
  ];
  test.each(roots)("may have %s at its root", async (_, output, written, value) => {
    const model = scripted([written]);
    const stream = new Agent({ model }).stream("Go.", { output });
    expect((await stream.reply).output).toEqual(value);
    expect(model.requests[0]?.text?.format).toMatchObject({ schema: { type: "object" } });
    if (written.includes("value")) expect((await all(stream.partial())).at(-1)).toEqual(value);
  });

  test("transforms what it reads, as its library does", async () => {
    const output = z.object({ city: z.string().transform((name) => name.toUpperCase()), note: z.string().optional() });
    const agent = new Agent({ model: scripted(['{"city":"Oslo","note":null}']) });
    expect((await agent.send("Oslo?", { output })).output).toEqual({ city: "OSLO" });
  });

  test("that no wire takes is an error before anything is sent", async () => {
    const model = scripted([]);
    const output = z.object({ when: z.date() });
    expect((await failure(Promise.resolve().then(() => new Agent({ model }).send("Go.", { output })))).code).toBe(
      "INVALID_SCHEMA",
    );
    expect(model.requests).toEqual([]);
  });

  test("reads the last message alone, whatever was said before a tool was used", async () => {
    const model = scripted([[said("I will look at {it}."), call("c1", "weather", { city: "Oslo" })], oslo]);
    const stream = new Agent({ model, tools: [weather] }).stream("Oslo?", { output: city });
    const last = (await all(stream.partial())).at(-1);
    expect((await stream.reply).output).toEqual({ city: "Oslo", celsius: 4 });
    expect(last).toEqual({ city: "Oslo", celsius: 4 });
  });
});

describe("an answer that does not fit", () => {
  const wrong = '{"city":"Oslo","celsius":"cold"}';

  test("is asked for once more, with what is wrong, and is no part of the history", async () => {
    const model = scripted([[thought("Hm."), said(wrong)], oslo]);
    const stream = new Agent({ model, tools: [weather], tool_choice: "auto" }).stream("Oslo?", { output: city });
    const events = await all(stream);
    const reply = await stream.reply;
    expect(reply.output).toEqual({ city: "Oslo", celsius: 4 });
    expect(reply.items.map(({ type }) => type)).toEqual(["message"]);
    expect(reply.history).toHaveLength(2);
    expect(reply.response.output).toHaveLength(3);
    expect(reply.steps).toHaveLength(2);
    expect(reply.usage.total_tokens).toBe(sumOf(reply.steps.map(({ response }) => response.usage!.total_tokens)));
    const sent = model.requests[1]?.input;
    expect(sent).toHaveLength(4);
    expect(JSON.stringify(sent)).toContain("/celsius: ");
    expect(lifecycleLaw(events) ?? foldLaw(events)).toBeUndefined();
    expect(events.filter(({ type }) => type === "antiphon:step").map((event) => Reflect.get(event, "index"))).toEqual([0, 1]);
    expect(events.filter(({ type }) => type === "antiphon:asked_again")).toHaveLength(1);
  });

  test("is an error the second time, with what could be read of it", async () => {
    const model = scripted([wrong, wrong, oslo]);
    const error = await failure(new Agent({ model }).send("Oslo?", { output: city }), OutputError);
    expect(error).toMatchObject({ name: "OutputError", code: "INVALID_OUTPUT", partial: { city: "Oslo", celsius: "cold" } });
    expect(error.advice).toContain("schema");
    expect(error.advice).not.toContain("base URL");
    expect(error.message).toContain("/celsius");
    expect(error.reply.usage.total_tokens).toBeGreaterThan(0);
    expect(model.requests).toHaveLength(2);
  });

  test("is not asked for again where no step is left", async () => {
    const model = scripted([wrong, oslo]);
    await failure(new Agent({ model, maxSteps: 1 }).send("Oslo?", { output: city }), OutputError);
    expect(model.requests).toHaveLength(1);
  });

  test("is sent on alone where the provider keeps the conversation", async () => {
    const model = scripted([wrong, oslo]);
    await new Agent({ model, conversation: "conv_1" }).send("Oslo?", { output: city });
    expect(model.requests[1]?.input).toMatchObject([{ role: "user", content: expect.stringContaining("/celsius") }]);
  });

  test("forces no tool a second time", async () => {
    const model = scripted([[call("c1", "weather", { city: "Oslo" })], wrong, oslo]);
    await new Agent({ model, tools: [weather], tool_choice: "required" }).send("Oslo?", { output: city });
    expect(model.requests.map(({ tool_choice }) => tool_choice)).toEqual(["required", "auto", "auto"]);
  });

  test("keeps the answer so far when asking again fails", async () => {
    const model = scripted([wrong, new AntiphonError("RATE_LIMIT", "Slow down.")]);
    const stream = new Agent({ model }).stream("Oslo?", { output: city });
    const events = await all(stream);
    expect(lifecycleLaw(events) ?? foldLaw(events)).toBeUndefined();
    const error = await failure(stream.reply, RunError);
    expect(error.code).toBe("RATE_LIMIT");
    expect(error.reply.usage.total_tokens).toBeGreaterThan(0);
  });

  test("is found among words", async () => {
    const agent = new Agent({ model: scripted([`Here you are:\n\`\`\`json\n${oslo}\n\`\`\``]) });
    const stream = agent.stream("Oslo?", { output: city });
    expect((await all(stream.partial())).at(-1)).toEqual({ city: "Oslo", celsius: 4 });
    expect((await stream.reply).output).toEqual({ city: "Oslo", celsius: 4 });
  });
});

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

describe("no answer", () => {
  test("is a refusal where the model declines, never a parse error, and is not asked for again", async () => {
    const model = scripted([[refused("I would rather not.")], oslo]);
    const error = await failure(new Agent({ model }).send("Oslo?", { output: city }), RefusalError);
    expect(error).toMatchObject({ code: "CONTENT_POLICY", refusal: "I would rather not." });
    expect(error.reply.finish).toBe("refusal");
    expect(model.requests).toHaveLength(1);
  });

  test.each([
    ["max_output_tokens", "TRUNCATED"],
    ["content_filter", "CONTENT_POLICY"],
  ])("is an error that tells of %s, with the part that came", async (reason, code) => {
    const prompt = `[[stop:${reason}]] [[say:{"city":"Oslo","celsius":4,"note":"one two three four five six"}]]`;
    const error = await failure(new Agent({ model: offline() }).send(prompt, { output: city }), OutputError);
    expect(error.code).toBe(code);
    expect(error.message).toContain(reason);
    expect(error.partial).toMatchObject({ city: "Oslo" });
  });

  test("is no error while calls wait or where the run was stopped, but there is nothing to read", async () => {
    const waiting = { ...weather, needsApproval: () => true };
    const agent = new Agent({
      model: scripted([[call("c1", "weather", { city: "Oslo" })], oslo]),
      tools: [waiting],
      output: city,
    });
    const paused = await agent.send("Oslo?");
    expect(paused.finish).toBe("tool_calls");
    expect(() => paused.output).toThrow("waiting for decisions about its pending calls");
    const reply = await agent.resume(JSON.parse(JSON.stringify(paused)), { decisions: { c1: { action: "continue" } } });
    expect(reply.output).toEqual({ city: "Oslo", celsius: 4 });

    const stopped = new Agent({ model: offline() }).stream("[[slow:5]] [[long:500]]", { output: city });
    for await (const text of stopped.text()) if (text) break;
    const left = await stopped.reply;
    expect(left.finish).toBe("cancelled");
    expect(() => left.output).toThrow("cancelled");
  });
});

describe("a model that cannot be bound to a schema", () => {
  /** Says what its wire loses before anything is sent, as a connection does. */
  const losing = (model: Scripted, lost: (request: CreateResponse) => Loss[]): Respond & { sent: CreateResponse[] } => {
    const sent: CreateResponse[] = [];
    const respond: Respond = (request, options) => ({
      async *[Symbol.asyncIterator]() {
        const losses = lost(request);
        if (losses.length > 0) yield { type: "antiphon:loss", sequence_number: 0, losses };
        sent.push(request);
        yield* model(request, options);
      },
    });
    return Object.assign(respond, { sent });
  };
  const losesSchema = ({ text }: CreateResponse): Loss[] =>
    text?.format?.type === "json_schema" ? [{ path: "text.format", reason: "The wire has no schemas." }] : [];

  test("is asked in words, at no further request, and that is told", async () => {
    const model = losing(scripted([oslo]), losesSchema);
    const reply = await new Agent({ model, instructions: "Be brief." }).send("Oslo?", { output: city });
    expect(reply.output).toEqual({ city: "Oslo", celsius: 4 });
    expect(reply.warnings).toEqual([{ path: "text.format", reason: "The wire has no schemas." }]);
    expect(model.sent).toHaveLength(1);
    expect(model.sent[0]?.text?.format).toEqual({ type: "json_object" });
    expect(model.sent[0]?.instructions).toMatch(/^Be brief\.\n\n.*JSON Schema[^]*"celsius"/);
  });

  test("is asked in words at once where that is known of it", async () => {
    const respond = scripted([oslo]);
    const reply = await new Agent({ model: { name: "test", model: "gpt-4", respond } }).send("Oslo?", { output: city });
    expect(reply.output).toEqual({ city: "Oslo", celsius: 4 });
    expect(reply.warnings.map(({ path }) => path)).toEqual(["text.format"]);
    expect(respond.requests[0]?.text?.format).toEqual({ type: "json_object" });
  });

  test("is not asked at all where nothing may be lost", async () => {
    const model = losing(scripted([oslo]), losesSchema);
    expect((await failure(new Agent({ model, onLoss: "error" }).send("Oslo?", { output: city }))).code).toBe("UNSUPPORTED");
    expect(model.sent).toEqual([]);
  });
});

test("partial objects end as the output, whatever it is and however it is cut", async () => {
  const property = fc.asyncProperty(fc.json({ maxDepth: 3 }), async (text) => {
    const value: unknown = JSON.parse(text);
    const stream = new Agent({ model: scripted([`{"value":${text}}`]) }).stream("Go.", {
      output: z.object({ value: z.any() }),
    });
    const last = (await all(stream.partial())).at(-1);
    expect(last).toEqual({ value });
    expect((await stream.reply).output).toEqual(last);
  });
  await fc.assert(property, { numRuns: runs(50, 5_000) });
});
