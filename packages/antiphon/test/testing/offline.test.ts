import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { collect } from "../../src/core/collect.ts";
import { batchesOf } from "../../src/core/respond.ts";
import { finishReason, functionCalls, outcome, refusal, text, thinking } from "../../src/core/views.ts";
import type { CreateResponse, InputItem, ResponseEvent } from "../../src/model/index.ts";
import { assistant, functionCallOutput, system, user } from "../../src/model/index.ts";
import { foldLaw, lifecycleLaw } from "../../src/testing/laws.ts";
import { directiveNames } from "../../src/testing/offline/directives.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { ask, errorOf, eventsOf, now, weather } from "./ask-offline.ts";

describe("the offline model", () => {
  const directives = [
    "",
    ...directiveNames.filter((name) => name !== "error" && name !== "slow").map((name) => `[[${name}]]`),
    "[[call:get_weather]]",
    "[[long:40]]",
  ];
  const requests = fc.record({
    input: fc
      .tuple(
        fc.constantFrom(...directives),
        fc.oneof(fc.string(), fc.constantFrom("Weather in Oslo and Rome?", "Hello", "What is 2+3?")),
      )
      .map((parts) => parts.join(" ")),
    reasoning: fc.constantFrom<CreateResponse["reasoning"]>(
      null,
      { effort: "none" },
      { effort: "high" },
      { effort: "low", summary: "auto" },
    ),
    include: fc.constantFrom<CreateResponse["include"]>(null, ["reasoning.encrypted_content"]),
    tools: fc.constantFrom<CreateResponse["tools"]>(null, [weather], [weather, { type: "custom", name: "shout" }]),
    tool_choice: fc.constantFrom<CreateResponse["tool_choice"]>(null, "auto", "none"),
    parallel_tool_calls: fc.boolean(),
    max_output_tokens: fc.option(fc.nat(60)),
    text: fc.constantFrom<CreateResponse["text"]>(
      null,
      { format: { type: "json_object" } },
      { format: { type: "json_schema", name: "x", schema: weather.parameters } },
    ),
  });

  it("speaks lawfully, whatever it is asked", async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const events = await eventsOf(offline({ now }), request);
        expect(lifecycleLaw(events)).toBeUndefined();
        expect(foldLaw(events)).toBeUndefined();
      }),
      { numRuns: 400 },
    );
  });

  it("gives the same events for the same request, also of another instance", async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        expect(await eventsOf(offline({ now }), request)).toEqual(await eventsOf(offline({ now }), structuredClone(request)));
      }),
      { numRuns: 50 },
    );
  });

  it("gives different ids for different requests, and the same for a plain and a streamed one", async () => {
    const ids = await Promise.all(
      [{ input: "a" }, { input: "b" }, { input: "a", stream: true }, { input: "a", stream: false }].map(
        async (request) => (await collect(offline()(request))).id,
      ),
    );
    expect(ids[0]).not.toBe(ids[1]);
    expect(ids[2]).toBe(ids[0]);
    expect(ids[3]).toBe(ids[0]);
  });

  it("takes ids, time and name from its options", async () => {
    let count = 0;
    const response = await ask("Hi", {}, offline({ model: "parrot", now, newId: (prefix) => `${prefix}-${(count += 1)}` }));
    expect(response).toMatchObject({ id: "resp-1", model: "parrot", created_at: now(), completed_at: now() });
    expect(response.output[0]?.id).toBe("msg-2");
    expect(text(response)).toContain("parrot");
  });

  it("counts tokens so that the figures agree", async () => {
    const { usage } = await ask("Hello", { reasoning: { effort: "high" } });
    const quiet = (await ask("Hello")).usage;
    expect(usage!.output_tokens_details.reasoning_tokens).toBe(usage!.output_tokens - quiet!.output_tokens);
    expect(usage!.total_tokens).toBe(usage!.input_tokens + usage!.output_tokens);
    expect(quiet!.input_tokens).toBeGreaterThan(0);
    expect((await ask("Hello, ".repeat(100))).usage!.input_tokens).toBeGreaterThan(quiet!.input_tokens);
  });

  it("streams in deltas of `chunk` tokens", async () => {
    const deltas = async (chunk: number) =>
      (await eventsOf(offline({ chunk }), { input: "[[long:40]]" })).filter(({ type }) => type === "response.output_text.delta")
        .length;
    expect([await deltas(1), await deltas(4), await deltas(100)]).toEqual([40, 10, 1]);
  });
});

describe("its answers", () => {
  const cases: [string, string | RegExp][] = [
    ["What is 2+3?", "2 + 3 = 5"],
    ["what's (4 - 1) * 2.5 divided by 3", "(4 - 1) * 2.5 / 3 = 2.5"],
    ["-2 ^ 2 + 0.1", /= -3\.9$/],
    ["2^3^2", /= 512$/],
    ["Repeat after me: the cat", "the cat"],
    ['say "hi there" twice', "hi there hi there"],
    ["How many words are in: one two three", "3 words."],
    ["Hello", /^Hello! I am the offline model/],
    ["Who are you?", /^I am the offline model/],
    ["Tell me about dragons", /^You wrote 4 words: “Tell me about dragons”\. I am/],
    ["What happened on 2026-04-24?", /^You wrote/],
    ["", /^You wrote nothing\./],
  ];
  it.each(cases)("answers %j", async (input, expected) => {
    expect(text(await ask(input))).toMatch(
      expected instanceof RegExp ? expected : new RegExp(`^${expected.replace(/[()*+.^]/g, "\\$&")}$`),
    );
  });

  it("remembers what was said earlier in the input", async () => {
    const history = [user("My name is Ada."), assistant("Hello Ada."), user("What is my name?")];
    expect(text(await ask(history))).toBe("Your name is Ada.");
    expect(text(await ask([...history, assistant("Ada."), user("What did I ask first?")]))).toBe("You said: “My name is Ada.”");
  });

  it("tells what it was told by instructions, system and developer messages", async () => {
    const said = text(await ask([system("Be brief."), user("Hm")], { instructions: "Be kind." }));
    expect(said).toContain("“Be kind.” and “Be brief.”");
  });

  it("acknowledges images and files", async () => {
    const content = [
      { type: "input_text" as const, text: "Look" },
      { type: "input_image" as const, image_url: "data:image/png;base64,AAAA" },
      { type: "input_file" as const, filename: "report.pdf", file_data: "data:application/pdf;base64,AAAA" },
    ];
    expect(text(await ask([user(content)]))).toMatch(/^I see 1 image and 1 file \(report\.pdf\)\./);
  });

  it("does not count an attachment's bytes as tokens", async () => {
    const image = (bytes: number) => [user([{ type: "input_image", image_url: `data:image/png;base64,${"A".repeat(bytes)}` }])];
    expect((await ask(image(10))).usage!.input_tokens).toBe((await ask(image(100_000))).usage!.input_tokens);
  });

  it("copes with a very long message in good time", async () => {
    const response = await ask(`what is ${"a@".repeat(50_000)}`);
    expect(response.status).toBe("completed");
  });
});

describe("its reasoning", () => {
  it("thinks aloud where an effort is given, and more the greater it is", async () => {
    const length = async (effort: "none" | "low" | "medium" | "high" | "xhigh") =>
      thinking(await ask("Hello", { reasoning: { effort } })).length;
    const lengths = [
      await length("none"),
      await length("low"),
      await length("medium"),
      await length("high"),
      await length("xhigh"),
    ];
    expect(lengths[0]).toBe(0);
    expect(lengths).toEqual([...new Set(lengths)].toSorted((a, b) => a - b));
    expect((await ask("Hello")).output.map(({ type }) => type)).toEqual(["message"]);
  });

  it("gives a summary instead where one is asked for", async () => {
    const { output } = await ask("Hello", { reasoning: { effort: "high", summary: "detailed" } });
    expect(output[0]).toMatchObject({ type: "reasoning", summary: [{ type: "summary_text" }, {}, {}] });
    expect(output[0]).not.toHaveProperty("content");
  });

  it("seals its thoughts on request, and takes back only what it sealed", async () => {
    const request: CreateResponse = { reasoning: { effort: "low" }, include: ["reasoning.encrypted_content"] };
    const { output } = await ask("Hello", request);
    const [thought] = output;
    if (thought?.type !== "reasoning") throw new Error("There is no reasoning item.");
    expect(thought.encrypted_content).toBeTypeOf("string");
    expect((await ask([user("Hello"), ...output, user("And?")], request)).status).toBe("completed");
    const foreign: InputItem[] = [
      user("Hello"),
      { ...thought, encrypted_content: `${thought.encrypted_content}x` },
      user("And?"),
    ];
    expect(await errorOf(ask(foreign))).toMatchObject({
      code: "INVALID_ENCRYPTED_CONTENT",
      vendorCode: "invalid_encrypted_content",
    });
  });
});

describe("its directives", () => {
  it("says, echoes and goes on for long", async () => {
    expect(text(await ask("[[say:  just this]]"))).toBe("  just this");
    expect(text(await ask("[[echo]] What is 2+3?"))).toBe("What is 2+3?");
    expect(text(await ask("[[long:2000]]")).split(" ")).toHaveLength(2000);
  });

  it("refuses", async () => {
    const response = await ask("[[refuse:Not that.]]");
    expect(refusal(response)).toBe("Not that.");
    expect(finishReason(response)).toBe("refusal");
  });

  it.each(["max_output_tokens", "content_filter"])("stops for %s with half of the answer", async (reason) => {
    const response = await ask(`[[stop:${reason}]] [[say:one two three four]]`);
    expect(outcome(response)).toEqual({ state: "incomplete", reason });
    expect(text(response)).toBe("one two");
    expect(response.output[0]?.status).toBe("incomplete");
  });

  it("fails after some output", async () => {
    const response = await ask("[[fail:rate_limit_exceeded]] [[say:one two three four]]");
    expect(response).toMatchObject({ status: "failed", error: { code: "rate_limit_exceeded" } });
    expect(outcome(response)).toMatchObject({ state: "failed", error: { code: "RATE_LIMIT" } });
    expect(text(response)).toBe("one two");
  });

  it("breaks off as a cut stream does", async () => {
    expect(outcome(await ask("[[truncate]] Hello"))).toMatchObject({ state: "truncated", error: { code: "TRUNCATED" } });
  });

  it("throws before the first event", async () => {
    expect(await errorOf(ask("[[error:context_length_exceeded]]"))).toMatchObject({
      code: "CONTEXT_LENGTH_EXCEEDED",
      vendorCode: "context_length_exceeded",
    });
    expect(await errorOf(ask("[[error]]"))).toMatchObject({ code: "SERVER_ERROR" });
  });

  it("calls tools, known or not, with any arguments", async () => {
    const response = await ask('[[call:get_weather]] [[call:nope {"a":]] in Oslo', { tools: [weather] });
    expect(functionCalls(response).map(({ name, arguments: json }) => [name, json])).toEqual([
      ["get_weather", '{"city":"Oslo"}'],
      ["nope", '{"a":'],
    ]);
  });

  it("leaves what is no directive in the text", async () => {
    expect(text(await ask("[[echo]] [[nothing:here]] and [[toString]]"))).toBe("[[nothing:here]] and [[toString]]");
  });

  it("obeys only the last user message", async () => {
    expect(text(await ask([user("[[say:old]]"), assistant("old"), user("What is 1+1?")]))).toBe("1 + 1 = 2");
  });
});

describe("its limits", () => {
  it("stops at max_output_tokens, thoughts included", async () => {
    const response = await ask("Hello", { reasoning: { effort: "high" }, max_output_tokens: 20 });
    expect(response).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      usage: { output_tokens: 20 },
    });
    expect(response.output).toMatchObject([{ type: "reasoning", status: "incomplete" }]);
  });

  it("completes where the limit is just enough", async () => {
    const { usage } = await ask("Hello");
    expect((await ask("Hello", { max_output_tokens: usage!.output_tokens })).status).toBe("completed");
    expect((await ask("Hello", { max_output_tokens: usage!.output_tokens - 1 })).status).toBe("incomplete");
  });

  it("marks a call that the limit cut off", async () => {
    const response = await ask("Weather in Oslo?", { tools: [weather], max_output_tokens: 3 });
    expect(response.output).toMatchObject([{ type: "function_call", status: "incomplete" }]);
  });

  it("refuses more than its context window holds, unless it may truncate", async () => {
    const small = offline({ contextWindow: 50 });
    expect(await errorOf(ask("word ".repeat(100), {}, small))).toMatchObject({ code: "CONTEXT_LENGTH_EXCEEDED" });
    expect((await ask("word ".repeat(100), { truncation: "auto" }, small)).status).toBe("completed");
  });
});

describe("its memory", () => {
  it("follows previous_response_id, tool results included", async () => {
    const respond = offline();
    const first = await collect(respond({ input: "My name is Ada. Weather in Oslo?", tools: [weather] }));
    const outputs = functionCalls(first).map(({ call_id }) => functionCallOutput(call_id, "Sunny"));
    const second = await collect(respond({ input: outputs, previous_response_id: first.id, tools: [weather] }));
    expect(text(second)).toBe("The get_weather tool says: Sunny");
    const third = await collect(respond({ input: "What is my name?", previous_response_id: second.id }));
    expect(text(third)).toBe("Your name is Ada.");
  });

  it("knows nothing of other instances and of what was not to be stored", async () => {
    const respond = offline();
    const kept = await collect(respond({ input: "Hello" }));
    const unkept = await collect(respond({ input: "Hello there", store: false }));
    for (const [model, id] of [
      [offline(), kept.id],
      [respond, unkept.id],
    ] as const)
      expect(await errorOf(collect(model({ input: "And?", previous_response_id: id })))).toMatchObject({
        code: "CHAIN_NOT_FOUND",
        param: "previous_response_id",
      });
  });

  it("keeps responses in a store of the caller's, for other instances to find", async () => {
    const store = new Map<string, InputItem[]>();
    const { id } = await ask("My name is Ada.", {}, offline({ store }));
    expect([...store.keys()]).toEqual([id]);
    expect(text(await ask("What is my name?", { previous_response_id: id }, offline({ store })))).toBe("Your name is Ada.");
  });

  it("forgets the oldest of many, and does not keep failures", async () => {
    const respond = offline();
    const { id } = await ask("Hello", {}, respond);
    const failed = await ask("[[fail]]", {}, respond);
    expect(await errorOf(ask("And?", { previous_response_id: failed.id }, respond))).toMatchObject({ code: "CHAIN_NOT_FOUND" });
    for (let index = 0; index < 999; index += 1) await ask(`[[say:${index}]]`, {}, respond);
    expect((await ask("And?", { previous_response_id: id, store: false }, respond)).status).toBe("completed");
    await ask("[[say:one more]]", {}, respond);
    expect(await errorOf(ask("And?", { previous_response_id: id }, respond))).toMatchObject({ code: "CHAIN_NOT_FOUND" });
  });

  it("resolves references to items that it kept", async () => {
    const respond = offline();
    const first = await ask("Hello", {}, respond);
    const reference = { type: "item_reference" as const, id: first.output[0]!.id };
    expect((await ask([user("Hello"), reference, user("And?")], {}, respond)).status).toBe("completed");
    expect(await errorOf(ask([{ type: "item_reference", id: "msg_nope" }], {}, respond))).toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("stopping it", () => {
  it("throws where it was stopped before it began", async () => {
    expect(await errorOf(collect(offline()({ input: "Hello" }, { signal: AbortSignal.abort() })))).toMatchObject({
      code: "ABORTED",
    });
  });

  it("ends lawfully with what was said, also while it waits", async () => {
    const stop = new AbortController();
    const events: ResponseEvent[] = [];
    for await (const event of offline({ delay: 60_000 })({ input: "Hello" }, { signal: stop.signal })) {
      events.push(event);
      if (event.type === "response.output_text.delta") setTimeout(() => stop.abort(), 1);
    }
    expect(lifecycleLaw(events)).toBeUndefined();
    expect(foldLaw(events)).toBeUndefined();
    expect(events.at(-1)).toMatchObject({
      type: "response.incomplete",
      response: { incomplete_details: { reason: "cancelled" }, usage: { output_tokens: 1 } },
    });
  });

  it("ends lawfully after any event", async () => {
    const length = (await eventsOf(offline(), { input: "[[long:30]]" })).length;
    for (let after = 1; after < length; after += 3) {
      const stop = new AbortController();
      const events: ResponseEvent[] = [];
      for await (const event of offline()({ input: "[[long:30]]" }, { signal: stop.signal }))
        if (events.push(event) === after) stop.abort();
      expect(lifecycleLaw(events)).toBeUndefined();
      expect(foldLaw(events)).toBeUndefined();
    }
  });

  it("pauses between deltas as a directive asks", async () => {
    const batches = batchesOf(offline()({ input: "[[slow:1]] [[say:one two three]]" }));
    const sizes: number[] = [];
    for (let next = await batches.next(); !next.done; next = await batches.next())
      sizes.push(next.value.filter(({ type }) => type === "response.output_text.delta").length);
    expect(sizes.filter((size) => size > 0)).toEqual([1, 1, 1]);
  });
});
