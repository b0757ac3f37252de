import { describe, expect, test } from "vitest";
import { run } from "../../src/agent/loop/run.ts";
import { converse } from "../../src/conversation/converse.ts";
import { Log } from "../../src/conversation/log.ts";
import type { Origin } from "../../src/conversation/log-records.ts";
import { plan } from "../../src/conversation/plan.ts";
import { collect } from "../../src/core/collect.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { assistant, user } from "../../src/model/construct.ts";
import { scripted } from "../../src/testing/scripted.ts";
import { tool } from "../../src/tools/define.ts";
import { saidIn } from "./chat-support.ts";
import { target } from "./context-support.ts";

const origin = (response_id: string): Origin => ({
  provider: "acme",
  endpoint: target.endpoint,
  model: "m",
  response_id,
  stored: true,
});

/** Turns of a question and an answer each. */
function talk(turns: number): Log {
  const log = new Log("talk");
  for (let turn = 0; turn < turns; turn += 1)
    log.append([{ item: user(`q${turn}`) }, { item: assistant(`a${turn}`), origin: origin(`resp_${turn}`) }]);
  return log;
}

const state = ({ items, compacted, barrier, pending }: Log) => ({ items, compacted, barrier, pending });

describe("a log of which turns are undone", () => {
  test("is as it was before them, also when it is read again", () => {
    const log = talk(4);
    log.undo(2);
    expect(state(log)).toEqual(state(talk(2)));
    expect(state(Log.from(JSON.stringify(log)))).toEqual(state(log));
    expect(plan(log, target)).toMatchObject({ previous_response_id: "resp_1" });
  });

  test("goes on from there, and can be undone again and forked", () => {
    const log = talk(3);
    log.undo();
    log.append([{ item: user("other") }]);
    expect(saidIn(log.items)).toEqual(["q0", "q1", "other"]);
    expect(saidIn(log.fork(3).items)).toEqual(["q0", "q1"]);
    expect(log.fork().records.some(({ type }) => type === "undone")).toBe(false);
    log.undo(9);
    expect(log.items).toEqual([]);
    expect(log.undo()).toEqual([]);
  });

  test("keeps a summary of what stays, and loses one of what went", () => {
    const log = talk(4);
    log.compact({ to: 4, summary: "Two turns." });
    log.append([{ item: user("q4") }]);
    log.undo();
    expect(log.compacted?.summary).toBe("Two turns.");
    log.undo(2);
    expect(log.compacted?.summary).toBe("Two turns.");
    log.undo();
    expect(log.compacted).toBeUndefined();
    expect(plan(log, target)).toMatchObject({ previous_response_id: "resp_0" });
  });

  test("waits again for calls that were open, and for no others", () => {
    const log = new Log();
    log.append([
      { item: user("q") },
      { item: { type: "function_call", call_id: "c", name: "f", arguments: "{}" }, origin: origin("r") },
    ]);
    log.undo();
    expect(log.pending).toBe(false);
    expect(log.has(user("q"))).toBe(false);
  });
});

test("a question that failed and is asked again in new words of the same text is there once, also when tools are called", async () => {
  const log = new Log();
  const call = { type: "function_call", call_id: "c", name: "look", arguments: "{}" } as const;
  const model = scripted([new AntiphonError("SERVER_ERROR", "Down."), [call], "Done."]);
  const respond = converse({ log, target })(model);
  const tools = [tool({ name: "look", run: () => "Seen." })];
  await collect(run(respond, { input: [user("Look.")] }, { tools })).catch(() => {});
  await collect(run(respond, { input: [user("Look.")] }, { tools }));
  expect(saidIn(log.items)).toEqual(["Look."]);
});
