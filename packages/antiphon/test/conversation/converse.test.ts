import { describe, expect, test } from "vitest";
import { collect } from "../../src/core/collect.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { outcome, text } from "../../src/core/views.ts";
import { converse, type ConverseOptions } from "../../src/conversation/converse.ts";
import type { SessionStore } from "../../src/conversation/log-records.ts";
import { Log } from "../../src/conversation/log.ts";
import { memorySessions } from "../../src/conversation/memory-sessions.ts";
import { openLog } from "../../src/conversation/persist.ts";
import { functionCallOutput, functionTool, user } from "../../src/model/construct.ts";
import { isTerminal } from "../../src/model/guards.ts";
import type { CreateResponse, ResponseEvent } from "../../src/model/index.ts";
import { resumeLaw } from "../../src/testing/conversation-laws.ts";
import { foldLaw, lifecycleLaw } from "../../src/testing/laws.ts";
import { scripted, type ScriptedTurn } from "../../src/testing/scripted.ts";
import { stateful, type StatefulOptions } from "../../src/testing/stateful/index.ts";
import { ask, called, eventsOf, outline, said, target, thought } from "./support.ts";

/** A conversation with a simulated server that speaks, and thinks before it does. */
function talk(options: StatefulOptions = {}, more: Partial<ConverseOptions> = {}) {
  const server = stateful({
    answer: ({ newId, seal, context }) => {
      const id = newId("rs");
      const blob = seal(id);
      return [thought(id, blob ? { encrypted_content: blob } : {}), said(`Answer ${context.length}`, newId("msg"))];
    },
    ...options,
  });
  const log = new Log();
  const respond = converse({ log, target: server.target, ...more })(server.respond);
  return { server, log, respond };
}

function script(turns: readonly ScriptedTurn[], more: Partial<ConverseOptions> = {}) {
  const model = scripted(turns);
  const log = new Log();
  return { model, log, respond: converse({ log, target: target(), ...more })(model) };
}

const recovered = (events: readonly ResponseEvent[]): unknown[] =>
  events.flatMap((event) => (event.type === "antiphon:recovered" ? [Reflect.get(event, "recovery")] : []));

describe("converse", () => {
  test("chains, and sends the instructions every time", async () => {
    const { server, respond } = talk();
    await ask(respond, "One", { instructions: "Be brief." });
    await ask(respond, "Two", { instructions: "Be brief." });
    const [first, second] = server.requests;
    expect(first).toMatchObject({ input: [user("One")], instructions: "Be brief.", store: true });
    expect(first).not.toHaveProperty("previous_response_id");
    expect(second).toMatchObject({ input: [user("Two")], instructions: "Be brief.", previous_response_id: expect.any(String) });
    expect(outline(server.context)).toEqual(["user", "reasoning", "assistant", "user"]);
  });

  test("sends only outputs inside a loop that sends everything every time", async () => {
    const { server, respond } = talk({
      answer: ({ newId, context }) =>
        context.length === 1 ? [called("call_1"), called("call_2")] : [said("Done", newId("msg"))],
    });
    const input = [user("Time?")];
    const first = await ask(respond, input);
    const outputs = [functionCallOutput("call_1", "12:00"), functionCallOutput("call_2", "13:00")];
    const second = await ask(respond, [...input, ...first.output, ...outputs]);
    expect(text(second)).toBe("Done");
    expect(server.requests[1]?.input).toEqual(outputs);
  });

  test("replays reasoning with its blobs where nothing is to be stored", async () => {
    const { server, log, respond } = talk();
    await ask(respond, "One", { store: false });
    await ask(respond, "Two", { store: false });
    expect(server.requests[1]).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
    expect(outline(server.requests[1]?.input as never)).toEqual(["user", "reasoning", "assistant", "user"]);
    expect(log.entries[1]?.origin).toMatchObject({ stored: false, provider: "stateful", tokens: expect.any(Number) });
  });

  test("learns that a provider keeps nothing though it was asked to", async () => {
    const forgetful: ScriptedTurn = async (request) => ({ ...(await collect(scripted(["Hello"])(request))), store: false });
    const { model, respond } = script([forgetful, "Hello"]);
    await ask(respond, "One");
    await ask(respond, "Two");
    expect(model.requests[0]).toMatchObject({ store: true });
    expect(model.requests[1]).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
    expect(outline(model.requests[1]?.input as never)).toEqual(["user", "assistant", "user"]);
  });

  test("goes to another provider and back", async () => {
    const { server, log, respond } = talk({ name: "first" });
    const other = stateful({ name: "second" });
    const elsewhere = converse({ log, target: other.target })(other.respond);
    await ask(respond, "One");
    expect(outcome(await ask(elsewhere, "Two"))).toEqual({ state: "completed" });
    expect(outcome(await ask(respond, "Three"))).toEqual({ state: "completed" });
    expect(server.requests[1]?.previous_response_id).toBeDefined();
    expect(server.context.filter((item) => "role" in item && item.role === "user")).toHaveLength(3);
  });

  test("passes lawful streams on", async () => {
    const { server, respond } = talk();
    await ask(respond, "One");
    server.forget();
    const events = await eventsOf(respond, { input: "Two" });
    expect(lifecycleLaw(events)).toBeUndefined();
    expect(foldLaw(events)).toBeUndefined();
  });

  test("keeps the question when the answer fails, and says it once when it is asked again", async () => {
    const { log, respond, model } = script([new AntiphonError("SERVER_ERROR", "Down."), "Hello"]);
    await expect(ask(respond, "Hi")).rejects.toThrow("Down.");
    expect(log.items).toEqual([user("Hi")]);
    await ask(respond, "Hi");
    expect(model.requests[1]?.input).toEqual([user("Hi")]);
    expect(outline(log.items)).toEqual(["user", "assistant"]);
  });

  test("keeps nothing of a response that failed", async () => {
    const whole = await eventsOf(scripted(["Half an answer"]), {});
    const { log, respond } = script([whole.slice(0, 6)]);
    expect((await eventsOf(respond, { input: "Hi" })).at(-1)?.type).toBe("response.failed");
    expect(outline(log.items)).toEqual(["user"]);
  });

  test("closes the calls of an answer that was cut off", async () => {
    const cut: ScriptedTurn = async (request) => ({
      ...(await collect(scripted([[called("call_1")]])(request))),
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
    });
    const { log, respond, model } = script([cut, "Hello"]);
    await ask(respond, "Hi");
    expect(outline(log.items)).toEqual(["user", "function_call", "function_call_output"]);
    expect(log.entries[1]?.origin?.stored).toBe(false);
    await ask(respond, "Go on");
    expect(model.requests[1]).not.toHaveProperty("previous_response_id");
  });

  test("does not chain to an answer during which something else was said", async () => {
    const { log, respond } = talk();
    const stream = respond({ input: "One" })[Symbol.asyncIterator]();
    await stream.next();
    log.append([{ item: user("By the way") }]);
    while (!(await stream.next()).done);
    expect(log.entries.at(-1)?.origin?.stored).toBe(false);
  });

  test("refuses a chain of the caller's own", async () => {
    const { respond } = talk();
    await expect(ask(respond, "Hi", { previous_response_id: "resp_1" })).rejects.toMatchObject({
      code: "BAD_REQUEST",
      param: "previous_response_id",
    });
  });

  test("asks nobody when the signal has fired, and takes nothing down", async () => {
    const { log, server, respond } = talk();
    const signal = AbortSignal.abort();
    await expect(collect(respond({ input: "Hi" }, { signal }))).rejects.toMatchObject({ code: "ABORTED" });
    expect(log.entries).toEqual([]);
    expect(server.requests).toEqual([]);
  });
});

describe("recovery", () => {
  const cases: [name: string, spoil: (server: ReturnType<typeof stateful>) => void, request: CreateResponse, kind: string][] = [
    ["a lost chain by sending everything", (server) => server.forget(), {}, "chain-lost"],
    ["refused blobs by sending none", (server) => server.rekey(), { store: false }, "blobs-refused"],
  ];
  for (const failsInStream of [false, true])
    for (const [name, spoil, request, kind] of cases)
      test(`answers ${name}, told ${failsInStream ? "inside a stream" : "by status"}`, async () => {
        const { server, log, respond } = talk({ failsInStream });
        await ask(respond, "One", request);
        spoil(server);
        const events = await eventsOf(respond, { ...request, input: "Two" });
        expect(recovered(events)).toEqual([kind]);
        expect(events.filter(({ type }) => type === "response.created")).toHaveLength(1);
        expect(events.at(-1)?.type).toBe("response.completed");
        expect(outline(log.items)).toEqual(["user", "reasoning", "assistant", "user", "reasoning", "assistant"]);
        expect(server.context.filter((item) => "role" in item && item.role === "user")).toHaveLength(2);
        expect(recovered(await eventsOf(respond, { ...request, input: "Three" }))).toEqual([]);
      });

  test("answers a refused item by sending the plainest form", async () => {
    for (const message of [
      "Duplicate item found with id rs_1.",
      "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    ]) {
      const { model, respond } = script([
        [thought("rs_1"), said("Hello")],
        new AntiphonError("BAD_REQUEST", message, { status: 400, param: "input" }),
        "Fine",
      ]);
      await ask(respond, "One");
      expect(recovered(await eventsOf(respond, { input: "Two" }))).toEqual(["items-refused"]);
      expect(model.requests[2]).not.toHaveProperty("previous_response_id");
      expect(outline(model.requests[2]?.input as never)).toEqual(["user", "assistant", "user"]);
    }
  });

  test("stops asking for blobs where the model has none", async () => {
    const { respond, server } = talk({ reasons: false }, { target: { ...stateful().target, encrypts: true } });
    const events = await eventsOf(respond, { input: "One", store: false });
    expect(recovered(events)).toEqual(["blobs-refused"]);
    await ask(respond, "Two", { store: false });
    expect(server.requests.map(({ include }) => include ?? [])).toEqual([["reasoning.encrypted_content"], [], []]);
  });

  test("answers a conversation that is too long by compacting it", async () => {
    const forced: boolean[] = [];
    const { server, log, respond } = talk(
      { contextWindow: 60, failsInStream: true },
      {
        compact: async (held, { force }) => {
          forced.push(force);
          return force ? { to: held.entries.length - 1, summary: "Some words." } : undefined;
        },
      },
    );
    await ask(respond, "One");
    const events = await eventsOf(respond, { input: `Two ${"and more ".repeat(15)}` });
    expect(recovered(events)).toEqual(["too-long"]);
    expect(events.map(({ type }) => type).slice(0, 2)).toEqual(["antiphon:compacted", "antiphon:recovered"]);
    expect(forced).toEqual([false, false, true]);
    expect(server.requests.at(-1)).toMatchObject({ instructions: "Some words.", input: [{ role: "user" }] });
    expect(log.compacted?.to).toBe(3);
    expect(log.items.filter((item) => "role" in item && item.role === "user")).toHaveLength(2);
  });

  test("gives up where nothing shorter can be made", async () => {
    const { respond } = talk({ contextWindow: 1 });
    await expect(ask(respond, "Far too long")).rejects.toMatchObject({ code: "CONTEXT_LENGTH_EXCEEDED" });
    const { respond: another } = talk(
      { contextWindow: 1 },
      { compact: async (_, { force }) => (force ? Promise.reject(new Error("No idea.")) : undefined) },
    );
    await expect(ask(another, "Far too long")).rejects.toMatchObject({ code: "CONTEXT_LENGTH_EXCEEDED" });
  });

  test("sends the conversation as it is where compacting fails, and says so", async () => {
    const { respond } = talk({}, { compact: () => Promise.reject(new Error("No idea.")) });
    const events = await eventsOf(respond, { input: "Hi" });
    expect(events[0]).toMatchObject({ type: "antiphon:compaction_failed", error: { message: "No idea." } });
    expect(events.at(-1)?.type).toBe("response.completed");
  });

  test("tries each way once, and gives the last error", async () => {
    const lost = new AntiphonError("CHAIN_NOT_FOUND", "Gone.");
    const blob = new AntiphonError("INVALID_ENCRYPTED_CONTENT", "Sealed.");
    const { model, respond } = script([[thought("rs_1", { encrypted_content: "x" }), said("Hello")], lost, blob, lost, "Never"]);
    await ask(respond, "One");
    await expect(ask(respond, "Two")).rejects.toThrow("Gone.");
    expect(model.requests).toHaveLength(4);
  });

  test("does not send the same again", async () => {
    const { model, respond } = script([new AntiphonError("INVALID_ENCRYPTED_CONTENT", "Sealed."), "Never"]);
    await expect(ask(respond, "One")).rejects.toThrow("Sealed.");
    expect(model.requests).toHaveLength(1);
  });

  test("does not learn from an error that its cure did not help against", async () => {
    const refused = new AntiphonError("BAD_REQUEST", "Unreadable.", { param: "input" });
    const { model, respond } = script([[thought("rs_1"), said("Hello")], refused, refused, "Fine"]);
    await ask(respond, "One");
    await expect(ask(respond, "Two")).rejects.toThrow("Unreadable.");
    await ask(respond, "Three");
    expect(model.requests[3]?.previous_response_id).toBeDefined();
  });

  test("leaves other errors to others", async () => {
    const { model, respond } = script([new AntiphonError("RATE_LIMIT", "Slow down.")]);
    await expect(ask(respond, "One")).rejects.toMatchObject({ code: "RATE_LIMIT" });
    expect(model.requests).toHaveLength(1);
  });
});

describe("persistence", () => {
  test("keeps the question before it is sent and the answer before it is shown", async () => {
    const sessions = memorySessions();
    const log = await openLog(sessions, "chat");
    const kept = async (): Promise<number> => (await sessions.load("chat"))?.records.length ?? 0;
    const seen: number[] = [];
    const model = scripted([
      async () => {
        seen.push(await kept());
        return "Hello";
      },
    ]);
    for await (const event of converse({ log, target: target(), sessions })(model)({ input: "Hi" }))
      if (isTerminal(event)) seen.push(await kept());
    expect(seen).toEqual([1, 2]);
  });

  test("goes on where another process stopped", async () => {
    const sessions = memorySessions();
    const server = stateful();
    const turn = async (input: string): Promise<void> => {
      const log = await openLog(sessions, "chat");
      await ask(converse({ log, target: server.target, sessions })(server.respond), input);
    };
    await turn("One");
    await turn("Two");
    expect(server.requests[1]?.previous_response_id).toBeDefined();
    expect((await openLog(sessions, "chat")).items.filter((item) => "role" in item && item.role === "user")).toHaveLength(2);
  });

  const failing = (at: number): SessionStore => {
    let count = 0;
    const store = memorySessions();
    return {
      ...store,
      append: (...args) => ((count += 1) === at ? Promise.reject(new Error("Disk full.")) : store.append(...args)),
    };
  };

  test("sends nothing that could not be kept", async () => {
    const { model, respond } = script(["Hello"], { sessions: failing(1) });
    await expect(ask(respond, "Hi")).rejects.toThrow("Disk full.");
    expect(model.requests).toEqual([]);
  });

  test("an answer that could not be kept is a failure, and is kept with the next turn", async () => {
    const sessions = failing(2);
    const { log, respond } = script(["Hello", "Again"], { sessions });
    const events = await eventsOf(respond, { input: "Hi" });
    expect(events.at(-1)).toMatchObject({ type: "response.failed", response: { error: { message: "Disk full." } } });
    expect(foldLaw(events)).toBeUndefined();
    await ask(respond, "Still there?");
    expect((await sessions.load(log.id))?.records).toHaveLength(4);
  });

  test("two writers of one session are found out", async () => {
    const sessions = memorySessions();
    const [one, two] = [await openLog(sessions, "chat"), await openLog(sessions, "chat")];
    await ask(converse({ log: one, target: target(), sessions })(scripted(["Hello"])), "One");
    const late = converse({ log: two, target: target(), sessions })(scripted(["Hello"]));
    await expect(ask(late, "Two")).rejects.toMatchObject({ vendorCode: "session_conflict" });
  });
});

describe("the abort law", () => {
  test("holds for conversations at every event", async () => {
    const tools = [functionTool("clock", "Tells the time.", { type: "object", properties: {} })];
    for (const seed of [1, 2, 3]) {
      const open = () =>
        talk({
          seed,
          answer: ({ newId, random }) => [
            thought(newId("rs")),
            random() < 0.5 ? called(newId("call")) : said("Hi", newId("msg")),
          ],
        });
      const held = () => {
        const { server, ...rest } = open();
        return { ...rest, target: server.target };
      };
      const count = (await eventsOf(open().respond, { input: "Hi" })).length;
      const positions = Array.from({ length: count }, (_, at) => at + 1);
      expect(await resumeLaw(held, { input: [user("Hi")], tools }, positions)).toBeUndefined();
    }
  });

  test("keeps what had come when a signal stops the answer", async () => {
    const { log, respond } = talk({ answer: ({ newId }) => [thought(newId("rs")), called("call_1"), called("call_2")] });
    const controller = new AbortController();
    for await (const event of respond({ input: "Hi" }, { signal: controller.signal }))
      if (event.type === "response.output_item.done" && event.item.type === "function_call") controller.abort();
    expect(outline(log.items)).toEqual(["user", "reasoning", "function_call", "function_call_output"]);
    expect(log.pending).toBe(false);
  });

  test("finds a conversation that loses the question", async () => {
    const forgetful = () => {
      const { server, log, respond } = talk();
      return { log: new Log(), respond, target: server.target, kept: log };
    };
    expect(await resumeLaw(forgetful, { input: "Hi" }, [1])).toContain("0 times");
  });
});
