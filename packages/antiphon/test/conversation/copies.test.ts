import { describe, expect, test } from "vitest";
import { Agent } from "../../src/agent/agent.ts";
import { run } from "../../src/agent/loop/run.ts";
import { converse } from "../../src/conversation/converse.ts";
import { Log } from "../../src/conversation/log.ts";
import { collect } from "../../src/core/collect.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { assistant, functionCallOutput, system, user } from "../../src/model/construct.ts";
import type { InputItem } from "../../src/model/index.ts";
import { scripted, type ScriptedTurn } from "../../src/testing/scripted.ts";
import { stateful } from "../../src/testing/stateful/index.ts";
import { tool } from "../../src/tools/define.ts";
import { ask, called, made, origin, outline, said, searched, target, thought } from "./support.ts";

const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** A conversation with a model that answers what the script says. */
function held(turns: readonly ScriptedTurn[], log = new Log()) {
  const model = scripted(turns);
  return { log, model, respond: converse({ log, target: target() })(model) };
}

/** Two turns, the first with reasoning and a call. */
function twoTurns(): Log {
  const log = new Log();
  log.append([{ item: system("Be brief.") }, { item: user("What is the time?") }]);
  log.append(made(origin("resp_1"), thought("rs_1", { encrypted_content: "blob" }), called("call_1")));
  log.append([{ item: functionCallOutput("call_1", "12:00") }]);
  log.append(made(origin("resp_2"), said("Noon.")));
  log.append([{ item: user("Thanks.") }]);
  log.append(made(origin("resp_3"), said("You are welcome.")));
  return log;
}

const withoutIds = (items: readonly InputItem[]): InputItem[] => items.map(({ id: _, ...item }) => item as InputItem);

/** What a request adds to the log. */
async function added(log: Log, input: readonly InputItem[]): Promise<InputItem[]> {
  const count = log.entries.length;
  const { respond } = held(["Well."], log);
  await ask(respond, [...input]);
  return log.items.slice(count, -1);
}

const next = user("And now?");

describe("items that are copies of the log's", () => {
  const copies: [name: string, of: (items: InputItem[]) => InputItem[]][] = [
    ["all of them", (items) => items],
    ["all of them, without ids", withoutIds],
    ["the first half", (items) => items.slice(0, 6)],
    ["the last half", (items) => items.slice(3)],
    [
      "those without reasoning and instructions",
      (items) => items.filter(({ type, ...item }) => type !== "reasoning" && Reflect.get(item, "role") !== "system"),
    ],
    ["only what the model made", (items) => items.slice(-1)],
    ["with other instructions in front", (items) => items.slice(1)],
    [
      "with their keys in another order",
      (items) => items.map((item) => Object.fromEntries(Object.entries(item).toReversed()) as unknown as InputItem),
    ],
    ["with answers as plain text", (items) => items.map((item) => (item.id === "msg_Noon." ? assistant("Noon.") : item))],
  ];

  test.each(copies)("are not added again: %s", async (_, of) => {
    const log = twoTurns();
    expect(await added(log, [...of(copyOf(log.items)), next])).toEqual([next]);
  });

  test("are recognized when nothing new follows them", async () => {
    const log = twoTurns();
    expect(await added(log, copyOf(log.items))).toEqual([]);
  });

  test("are recognized in a log that was read from JSON", async () => {
    const log = Log.from(JSON.stringify(twoTurns()));
    expect(await added(log, [...copyOf(twoTurns().items), next])).toEqual([next]);
  });

  test("are recognized among items that are the log's own", async () => {
    const log = twoTurns();
    const mixed = log.items.map((item, at) => (at % 2 === 0 ? item : copyOf(item)));
    expect(await added(log, [...mixed, next])).toEqual([next]);
  });

  test("are recognized before and after new instructions", async () => {
    const log = twoTurns();
    const fresh = system("It is Monday.");
    expect(await added(log, [fresh, ...withoutIds(copyOf(log.items)), next])).toEqual([fresh, next]);
  });

  test("are recognized up to the output that is new", async () => {
    const log = new Log();
    log.append([{ item: user("What is the time?") }]);
    log.append(made(origin("resp_1"), called("call_1"), called("call_2")));
    const outputs = [functionCallOutput("call_1", "12:00"), functionCallOutput("call_2", "13:00")];
    expect(await added(log, [...copyOf(log.items), ...outputs])).toEqual(outputs);
  });

  test("are recognized while a question waits for its answer", async () => {
    const { log, respond, model } = held([new AntiphonError("SERVER_ERROR", "Down."), "Hello.", "Fine."]);
    const input = [system("Be brief."), user("Hi")];
    await expect(ask(respond, copyOf(input))).rejects.toThrow("Down.");
    await ask(respond, copyOf([...input, user("Anybody there?")]));
    expect(outline(log.items)).toEqual(["system", "user", "user", "assistant"]);
    await ask(respond, copyOf([...log.items, next]));
    expect(outline(log.items)).toEqual(["system", "user", "user", "assistant", "user", "assistant"]);
    expect(model.requests[2]?.input).toEqual([next]);
  });

  test("are sent once, whether the provider chains or not", async () => {
    for (const store of [true, false]) {
      const server = stateful({ answer: ({ newId }) => [said("Well.", newId("msg"))] });
      const log = new Log();
      const respond = converse({ log, target: server.target })(server.respond);
      let history: InputItem[] = [];
      for (const word of ["One", "Two", "Two", "Three"]) {
        const input = [...history, user(word)];
        history = copyOf([...input, ...(await ask(respond, input, { store })).output]);
      }
      expect(outline(server.context)).toEqual(["user", "assistant", "user", "assistant", "user", "assistant", "user"]);
      expect(log.entries).toHaveLength(8);
    }
  });

  test("are recognized in every step of a run", async () => {
    const clock = tool({ name: "clock", run: () => "12:00" });
    const log = twoTurns();
    const { respond, model } = held([[called("call_2")], "Noon."], log);
    const count = log.entries.length;
    await collect(run(respond, { input: [...copyOf(log.items), next] }, { tools: [clock] }));
    expect(outline(log.items.slice(count))).toEqual(["user", "function_call", "function_call_output", "assistant"]);
    expect(model.requests.map(({ input }) => input?.length)).toEqual([1, 1]);
  });

  test("are recognized by a chat that is sent its own items", async () => {
    const model = scripted(["One", "Two"]);
    const chat = new Agent({ model }).chat();
    await chat.send("Hi");
    const reply = await chat.send([...copyOf(chat.items), next]);
    expect(outline(chat.items)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(outline(reply.input)).toEqual(["user", "assistant", "user"]);
  });
});

describe("items that only look like the log's", () => {
  test("are added: the same question in a later turn", async () => {
    const { log, respond } = held(["Hello.", "Hello again.", "Hello once more."]);
    await ask(respond, "Hi");
    await ask(respond, "Hi");
    await ask(respond, [user("Hi")]);
    expect(outline(log.items)).toEqual(["user", "assistant", "user", "assistant", "user", "assistant"]);
  });

  test("are added: the same question after a copy of the log, and twice in one request", async () => {
    const log = twoTurns();
    expect(await added(log, [...copyOf(log.items), user("Thanks."), user("Thanks.")])).toEqual([
      user("Thanks."),
      user("Thanks."),
    ]);
    expect(await added(new Log(), [user("Hi"), user("Hi")])).toEqual([user("Hi"), user("Hi")]);
  });

  test("are added: two questions that were asked before, in a new order or in the same", async () => {
    const log = twoTurns();
    expect(await added(log, [user("Thanks.")])).toEqual([user("Thanks.")]);
    expect(await added(log, [user("Thanks."), user("What is the time?")])).toHaveLength(2);
    expect(await added(log, [user("What is the time?"), user("Thanks.")])).toHaveLength(2);
  });

  test("are added: an output for a call whose id was used before", async () => {
    const log = new Log();
    for (const id of ["resp_1", "resp_2"]) {
      log.append([{ item: user("Again?") }]);
      log.append(made(origin(id), called("call_0", { id: `fc_${id}` })));
      if (id === "resp_1") log.append([{ item: functionCallOutput("call_0", "ok") }]);
    }
    const output = functionCallOutput("call_0", "ok");
    expect(await added(log, [output])).toEqual([output]);
    const again = twoTurns();
    const other = functionCallOutput("call_1", "13:00");
    expect(await added(again, [...copyOf(again.items).slice(0, 4), other])).toEqual([other]);
  });

  test("are added: an answer with an id of its own, and one that the caller writes after a new question", async () => {
    const log = twoTurns();
    const other = said("Noon.", "msg_other");
    expect(await added(log, [other, next])).toEqual([other, next]);
    const example = [user("An example?"), assistant("Noon."), user("So?")];
    expect(await added(log, example)).toEqual(example);
  });

  test("are added: what follows an edited message, up to the next item with an id", async () => {
    const log = twoTurns();
    const items: InputItem[] = copyOf(log.items);
    items[1] = user("What is the date?");
    expect(await added(log, [...items, next])).toEqual([items[1], next]);
  });
});

test("every item of the log is read once, however often copies of it are sent", async () => {
  const reads = new Map<number, number>();
  const counted = (at: number): InputItem =>
    Object.defineProperty(user(`Question ${at}`), "content", {
      enumerable: true,
      get: () => (reads.set(at, (reads.get(at) ?? 0) + 1), `Question ${at}`),
    });
  const log = new Log();
  for (let at = 0; at < 50; at += 1) {
    log.append([{ item: counted(at) }]);
    log.append(made(origin(`resp_${at}`), searched(`ws_${at}`), said(`Answer ${at}`)));
  }
  const { respond } = held(["Well.", "Well.", "Well."], log);
  const copy = copyOf(log.items);
  const before = new Map(reads);
  for (const word of ["a", "b", "c"]) await ask(respond, [...copy, user(word)]);
  const most = Math.max(...[...reads].map(([at, count]) => count - (before.get(at) ?? 0)));
  expect(most).toBeLessThanOrEqual(1);
});
