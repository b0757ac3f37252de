import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Agent } from "../../src/agent/agent.ts";
import { RunError } from "../../src/agent/run-error.ts";
import type { Respond } from "../../src/core/respond.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { foldLaw, lifecycleLaw } from "../../src/testing/laws.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { scripted } from "../../src/testing/scripted.ts";
import { all, call, failure, said, thought, weather } from "./support.ts";

/** A model that says when its stream is opened and closed, and how many events were read of it. */
function watched(respond: Respond): { respond: Respond; opened: number; closed: number; read: number } {
  const seen = { opened: 0, closed: 0, read: 0, respond };
  seen.respond = (request, options) => ({
    async *[Symbol.asyncIterator]() {
      seen.opened += 1;
      try {
        for await (const event of respond(request, options)) {
          seen.read += 1;
          yield event;
        }
      } finally {
        seen.closed += 1;
      }
    },
  });
  return seen;
}

const long = "[[long:200]]";

describe("one reading", () => {
  test("serves any number of views at the same time", async () => {
    const model = watched(offline());
    const stream = new Agent({ model: model.respond, reasoning: { effort: "low" } }).stream(long);
    const [text, thoughts, events, items, reply] = await Promise.all([
      all(stream.text()),
      all(stream.thinking()),
      all(stream),
      all(stream.items()),
      stream.reply,
    ]);
    expect(model.opened).toBe(1);
    expect(text.join("")).toBe(reply.text);
    expect(thoughts.join("")).toBe(reply.thinking);
    expect(items).toEqual(reply.items);
    expect(lifecycleLaw(events) ?? foldLaw(events)).toBeUndefined();
  });

  test("serves a view that is asked for late from the beginning", async () => {
    const model = watched(offline());
    const stream = new Agent({ model: model.respond }).stream(long);
    const reply = await stream.reply;
    expect((await all(stream.text())).join("")).toBe(reply.text);
    expect((await all(stream.text())).join("")).toBe(reply.text);
    expect(model.opened).toBe(1);
  });

  test("gives a reader that comes late the same events, however they were kept", async () => {
    const stream = new Agent({ model: offline(), reasoning: { effort: "low" }, tools: [weather] }).stream(long);
    const [live, together] = await Promise.all([all(stream), all(stream)]);
    const late = await all(stream);
    expect(together).toEqual(live);
    expect(late).toEqual(live);
    expect(lifecycleLaw(late) ?? foldLaw(late)).toBeUndefined();
  });

  test("does not begin before somebody reads", async () => {
    const model = watched(offline());
    const stream = new Agent({ model: model.respond }).stream(long);
    stream.text();
    await Promise.resolve();
    expect(model.opened).toBe(0);
    await stream.reply;
    expect(model.opened).toBe(1);
  });

  test("goes no faster than its fastest reader", async () => {
    const model = watched(offline());
    const events = new Agent({ model: model.respond }).stream(long)[Symbol.asyncIterator]();
    for (let count = 0; count < 5; count += 1) await events.next();
    expect(model.read).toBeLessThan(10);
    await events.return?.();
  });
});

describe("leaving", () => {
  test("closes the model when the last reader leaves, and the reply is what had come", async () => {
    const model = watched(offline());
    const stream = new Agent({ model: model.respond }).stream(long);
    let text = "";
    for await (const delta of stream.text()) {
      text += delta;
      if (text.length > 50) break;
    }
    expect(model.closed).toBe(1);
    const reply = await stream.reply;
    expect(reply).toMatchObject({ finish: "cancelled", text });
    expect(reply.usage.estimated).toBe(true);
    const events = await all(stream);
    expect(lifecycleLaw(events) ?? foldLaw(events)).toBeUndefined();
  });

  test("closes nothing while another reads on", async () => {
    const model = watched(offline());
    const stream = new Agent({ model: model.respond }).stream(long);
    const reply = stream.reply;
    for await (const _ of stream.text()) break;
    expect(model.closed).toBe(0);
    expect((await reply).finish).toBe("stop");
  });

  test("before the first event leaves nothing but an error, also where the model heeds no signal", async () => {
    const silent: Respond = () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) });
    const stream = new Agent({ model: silent }).stream("Hello");
    const batches = stream.batches();
    void batches.next();
    await batches.return?.();
    expect((await failure(stream.reply)).code).toBe("ABORTED");
  });
});

describe("failures", () => {
  test("that nobody awaits end no process", async () => {
    const stream = new Agent({ model: scripted([new AntiphonError("RATE_LIMIT", "Slow down.")]) }).stream("Hello");
    const unhandled: unknown[] = [];
    const note = (reason: unknown): unknown => unhandled.push(reason);
    process.on("unhandledRejection", note);
    void stream.reply;
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
    expect((await failure(stream.reply)).code).toBe("RATE_LIMIT");
  });

  test("reach every view: thrown before the first event, and at the end of what had come after it", async () => {
    const early = new Agent({ model: scripted([new AntiphonError("RATE_LIMIT", "Slow down.")]) }).stream("Hello");
    expect((await failure(all(early.text()))).code).toBe("RATE_LIMIT");
    expect((await failure(all(early))).code).toBe("RATE_LIMIT");

    const late = new Agent({ model: offline() }).stream("[[fail:server_error]] [[say:One two three four]]");
    let text = "";
    const reading = (async () => {
      for await (const delta of late.text()) text += delta;
    })();
    expect((await failure(reading, RunError)).reply.text).toBe("One two");
    expect(text).toBe("One two");
    expect((await all(late)).at(-1)?.type).toBe("response.failed");
  });
});

describe("views", () => {
  test("show the progress of a provider's tools, in the shape of the reply's metadata", async () => {
    const search = {
      type: "web_search_call",
      id: "ws_1",
      status: "completed",
      action: { type: "search", query: "Oslo" },
    } as const;
    const stream = new Agent({ model: scripted([[search, said("Found.")]]) }).stream("Search.");
    const told = await all(stream.progress());
    expect(told.length).toBeGreaterThan(0);
    for (const step of told) expect(step["web_search"]).toHaveLength(1);
    expect(told.flatMap((step) => step["web_search"])).toEqual((await stream.reply).metadata["web_search"]);
  });

  test("show items when they are final, tool results among them", async () => {
    const model = scripted([[thought("Hm."), call("c1", "weather", { city: "Oslo" })], "Sunny."]);
    const stream = new Agent({ model, tools: [weather] }).stream("Weather?");
    const types = (await all(stream.items())).map(({ type }) => type);
    expect(types).toEqual(["reasoning", "function_call", "function_call_output", "message"]);
  });

  test("show a typed output as it grows, as one object", async () => {
    const output = z.object({ title: z.string(), tags: z.array(z.string()) });
    const model = scripted(['{"title": "A day in Oslo", "tags": ["city", "north"]}']);
    const stream = new Agent({ model }).stream("Tag it.", { output });
    const seen: string[] = [];
    const values = new Set<unknown>();
    for await (const partial of stream.partial()) {
      seen.push(JSON.stringify(partial));
      values.add(partial);
    }
    expect(values.size).toBe(1);
    expect(seen.length).toBeGreaterThan(3);
    expect(seen.at(-1)).toBe('{"title":"A day in Oslo","tags":["city","north"]}');
    expect(seen.every((text, index) => index === 0 || text.length >= seen[index - 1]!.length)).toBe(true);
  });
});
