import { describe, expect, it } from "vitest";
import { collect } from "../../src/core/collect.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { outcome, text } from "../../src/core/views.ts";
import type { Respond } from "../../src/core/respond.ts";
import { assistant, user, type CreateResponse, type InputItem, type ResponseEvent } from "../../src/model/index.ts";
import { foldLaw, lifecycleLaw } from "../../src/testing/laws.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { scripted, type ScriptedTurn } from "../../src/testing/scripted.ts";

async function eventsOf(respond: Respond, request: CreateResponse = {}, signal?: AbortSignal): Promise<ResponseEvent[]> {
  const events: ResponseEvent[] = [];
  for await (const event of respond(request, signal ? { signal } : {})) events.push(event);
  return events;
}
const call = { type: "function_call" as const, call_id: "call_1", name: "clock", arguments: '{"zone":"UTC"}' };

describe("a scripted model", () => {
  it("takes one turn a call, and fails beyond the last", async () => {
    const respond = scripted(["one", "two"]);
    expect(text(await collect(respond({})))).toBe("one");
    expect(text(await collect(respond({})))).toBe("two");
    await expect(collect(respond({}))).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: "The script has 2 turns, but this is call 3.",
    });
  });

  it("keeps the requests as they were when they came", async () => {
    const respond = scripted(["one"]);
    const input: InputItem[] = [user("Hello")];
    await collect(respond({ input }));
    input.push(user("later"));
    expect(respond.requests).toEqual([{ input: [user("Hello")] }]);
  });

  it("fills in what items leave out", async () => {
    const response = await collect(
      scripted([[assistant("Let me see."), call, { type: "reasoning", summary: [{ type: "summary_text", text: "Hm" }] }]])({}),
    );
    expect(response.output).toMatchObject([
      {
        type: "message",
        status: "completed",
        role: "assistant",
        content: [{ type: "output_text", text: "Let me see.", annotations: [] }],
      },
      { ...call, status: "completed" },
      { type: "reasoning", summary: [{ text: "Hm" }] },
    ]);
    expect(new Set(response.output.map(({ id }) => id)).size).toBe(3);
    expect(response.usage!.total_tokens).toBe(response.usage!.input_tokens + response.usage!.output_tokens);
    expect(response.usage!.output_tokens_details.reasoning_tokens).toBe(1);
  });

  it("gives back a whole response", async () => {
    const whole = await collect(offline()({ input: "[[stop:content_filter]] Hello" }));
    expect(await collect(scripted([whole])({}))).toEqual(whole);
  });

  it("throws an error before the first event", async () => {
    await expect(collect(scripted([new AntiphonError("RATE_LIMIT", "Slow down.")])({}))).rejects.toMatchObject({
      code: "RATE_LIMIT",
    });
  });

  it("asks a function for its answer", async () => {
    const respond = scripted([(request, turn) => `${turn}: ${request.model}`, async () => [call]]);
    expect(text(await collect(respond({ model: "m" })))).toBe("0: m");
    expect((await collect(respond({}))).output).toMatchObject([call]);
  });

  it("is the same in every run", async () => {
    const turns: ScriptedTurn[] = ["Hello there", [call]];
    const run = async () => {
      const respond = scripted(turns);
      return [await eventsOf(respond), await eventsOf(respond)];
    };
    expect(await run()).toEqual(await run());
  });

  const answers: [string, ScriptedTurn][] = [
    ["text", "Hello there"],
    ["no text", ""],
    ["items", [call, assistant("Hi")]],
    ["no items", []],
  ];
  it.each(answers)("speaks lawfully in %s", async (_, turn) => {
    const events = await eventsOf(scripted([turn]));
    expect(lifecycleLaw(events)).toBeUndefined();
    expect(foldLaw(events)).toBeUndefined();
  });
});

describe("scripted events", () => {
  const recorded = () => eventsOf(offline(), { input: "Hello", reasoning: { effort: "low" } });

  it("are given back numbered anew, without changing the script", async () => {
    const events = await recorded();
    const shifted = events.map((event) => ({ ...event, sequence_number: event.sequence_number + 7 }));
    const before = structuredClone(shifted);
    expect(await eventsOf(scripted([shifted]))).toEqual(events);
    expect(shifted).toEqual(before);
  });

  it("end as a broken stream does where they have no end", async () => {
    const events = await recorded();
    const cut = await eventsOf(scripted([events.slice(0, 8)]));
    expect(lifecycleLaw(cut)).toBeUndefined();
    const last = cut.at(-1);
    expect(last?.type === "response.failed" && outcome(last.response)?.state).toBe("truncated");
  });

  it("that break the grammar of streams are refused by name", async () => {
    const events = await recorded();
    await expect(eventsOf(scripted([events.toSpliced(2, 1)]))).rejects.toMatchObject({
      code: "PROTOCOL",
      message: expect.stringContaining("item-open"),
    });
  });
});

describe("stopping a scripted model", () => {
  it("throws where it was stopped before it began", async () => {
    await expect(eventsOf(scripted(["Hi"]), {}, AbortSignal.abort())).rejects.toMatchObject({ code: "ABORTED" });
  });

  it("ends lawfully after any event", async () => {
    const length = (await eventsOf(scripted(["one two three"]))).length;
    for (let after = 1; after < length; after += 1) {
      const stop = new AbortController();
      const events: ResponseEvent[] = [];
      for await (const event of scripted(["one two three"])({}, { signal: stop.signal }))
        if (events.push(event) === after) stop.abort();
      expect(lifecycleLaw(events)).toBeUndefined();
      expect(foldLaw(events)).toBeUndefined();
      expect(events.at(-1)).toMatchObject({
        type: "response.incomplete",
        response: { incomplete_details: { reason: "cancelled" } },
      });
    }
  });
});
