import { describe, expect, test } from "vitest";
import { functionCallOutput, system, user } from "../../src/model/construct.ts";
import { Log } from "../../src/conversation/log.ts";
import { plan } from "../../src/conversation/plan.ts";
import type { Item } from "../../src/model/index.ts";
import { called, made, origin, outline, said, target, thought } from "./support.ts";

const answered = functionCallOutput("call_1", "12:00");

function conversation(): Log {
  const log = new Log("chat");
  log.append([{ item: user("What time is it?") }]);
  log.append(made(origin("resp_1"), thought("rs_1"), called("call_1")));
  log.append([{ item: answered }]);
  log.append(made(origin("resp_2"), said("Noon.")));
  log.append([{ item: user("Thank you.") }]);
  log.append(made(origin("resp_3"), said("You are welcome.")));
  return log;
}

describe("append", () => {
  test("closes a call that the user talks past, in the same step", () => {
    const log = new Log();
    log.append(made(origin("resp_1"), called("call_1"), called("call_2")));
    expect(log.pending).toBe(true);
    const records = log.append([{ item: user("Never mind.") }]);
    expect(records).toHaveLength(3);
    expect(outline(log.items)).toEqual([
      "function_call",
      "function_call",
      "function_call_output",
      "function_call_output",
      "user",
    ]);
    expect(log.items[2]).toMatchObject({
      call_id: "call_1",
      status: "incomplete",
      output: expect.stringContaining("interrupted"),
    });
    expect(log.pending).toBe(false);
  });

  test("waits for an output that comes in the same step, wherever it stands", () => {
    const log = new Log();
    log.append(made(origin("resp_1"), called("call_1")));
    log.append([{ item: user("Here it is.") }, { item: answered }]);
    expect(outline(log.items)).toEqual(["function_call", "user", "function_call_output"]);
  });

  test("closes calls before another response, but not between the items of one", () => {
    const log = new Log();
    log.append(made(origin("resp_1"), called("call_1"), called("call_2")));
    log.append([{ item: answered }]);
    log.append(made(origin("resp_2"), said("Done.")));
    expect(outline(log.items)).toEqual([
      "function_call",
      "function_call",
      "function_call_output",
      "function_call_output",
      "assistant",
    ]);
  });

  test("answers calls of every kind in their own way", () => {
    const log = new Log();
    const calls: Item[] = [
      { type: "custom_tool_call", id: "ctc_1", call_id: "c1", name: "patch", input: "" },
      {
        type: "local_shell_call",
        id: "lsh_1",
        call_id: "c2",
        status: "completed",
        action: { type: "exec", command: [], env: {} },
      },
      { type: "shell_call", id: "sh_1", call_id: "c3", status: "completed", action: { commands: ["ls"] } },
      {
        type: "apply_patch_call",
        id: "apc_1",
        call_id: "c4",
        status: "completed",
        operation: { type: "delete_file", path: "a" },
      },
      { type: "computer_call", id: "cu_1", call_id: "c5", status: "completed", pending_safety_checks: [] },
    ];
    log.append(made(origin("resp_1"), ...calls));
    log.closeCalls();
    expect(log.items.slice(5)).toMatchObject([
      { type: "custom_tool_call_output", call_id: "c1" },
      { type: "local_shell_call_output", id: "c2" },
      { type: "shell_call_output", call_id: "c3" },
      { type: "apply_patch_call_output", call_id: "c4", status: "failed" },
      { type: "computer_call_output", call_id: "c5" },
    ]);
    expect(log.pending).toBe(false);
  });

  test("takes the outputs of a run that ended before the model was told of them", () => {
    const log = new Log();
    log.append(made(origin("resp_1"), called("call_1"), called("call_2")));
    log.answer([said("Not an output"), answered, functionCallOutput("call_9", "nobody asked")]);
    expect(outline(log.items)).toEqual(["function_call", "function_call", "function_call_output"]);
    expect(log.pending).toBe(true);
  });
});

describe("has", () => {
  test("knows items by being the same object, and copies by the id that their maker gave", () => {
    const log = conversation();
    expect(log.has(answered)).toBe(true);
    expect(log.has({ ...answered })).toBe(false);
    expect(log.has(said("Noon."))).toBe(true);
    expect(log.has({ type: "item_reference", id: "msg_Noon." })).toBe(false);
  });
});

describe("JSON", () => {
  test("comes back as it went, compactions and all", () => {
    const log = conversation();
    log.compact({ to: 4, summary: "It was noon." });
    const copy = Log.from(JSON.stringify(log));
    expect(copy.toJSON()).toEqual(log.toJSON());
    expect(copy.compacted).toEqual({ to: 4, summary: "It was noon." });
    expect(plan(copy, target())).toEqual(plan(log, target()));
    expect(Log.from(log.toJSON()).items).toEqual(log.items);
  });

  test("says which version it cannot read", () => {
    const later = { ...conversation().toJSON(), version: 7 };
    expect(() => Log.from(JSON.stringify(later))).toThrow("version 7");
  });

  test("refuses what is no conversation", () => {
    expect(() => Log.from("{}")).toThrow("not the JSON of a conversation");
    expect(() => Log.from('{"version":1,"id":"a","records":[{"type":"entry"}]}')).toThrow("one of its records is invalid");
    expect(() => Log.from('{"version":1,"id":"a","records":[{"type":"spell"}]}')).toThrow("one of its records is invalid");
  });
});

describe("fork", () => {
  test("goes on from any entry without the original noticing", () => {
    const log = conversation();
    const fork = log.fork(4, "other");
    fork.append([{ item: user("And in Rome?") }]);
    expect(fork.id).toBe("other");
    expect(outline(fork.items)).toEqual(["user", "reasoning", "function_call", "function_call_output", "user"]);
    expect(log.entries).toHaveLength(7);
    expect(fork.has(answered)).toBe(true);
  });

  test("chains to the same response as the original, unless only a part of it is there", () => {
    const log = conversation();
    expect(plan(log.fork(5), target()).previous_response_id).toBe("resp_2");
    const half = log.fork(2);
    expect(half.entries[1]?.origin?.stored).toBe(false);
    expect(log.entries[1]?.origin?.stored).toBe(true);
    expect(plan(half, target()).reason).toBe("nothing-stored");
  });

  test("knows the compactions of its own time only", () => {
    const log = conversation();
    log.compact({ to: 4, summary: "Noon." });
    log.append([{ item: user("Go on.") }]);
    expect(log.fork(7).compacted?.to).toBe(4);
    expect(log.fork(6).compacted).toBeUndefined();
  });
});

describe("turns", () => {
  test("begin with what the user says", () => {
    expect(conversation().turns).toEqual([
      { from: 0, to: 5 },
      { from: 5, to: 7 },
    ]);
    expect(new Log().turns).toEqual([]);
  });

  test("take in all that is said before an answer", () => {
    const log = new Log();
    log.append([{ item: system("Be brief.") }, { item: user("One") }, { item: user("Two") }]);
    log.append(made(origin("resp_1"), said("Three")));
    expect(log.turns).toEqual([{ from: 0, to: 4 }]);
  });

  test("can be taken out, and are then not chained to what came before them", () => {
    const log = conversation();
    expect(outline(log.slice(-1).items)).toEqual(["user", "assistant"]);
    expect(plan(log.slice(-1), target()).reason).toBe("nothing-stored");
    expect(plan(log.slice(0, 1), target()).previous_response_id).toBe("resp_2");
    expect(log.slice(5).entries).toEqual([]);
  });
});

describe("merge", () => {
  test("adds what the other has and this one has not", () => {
    const log = conversation();
    const other = log.fork();
    other.append([{ item: user("Branch") }]);
    other.append(made(origin("resp_4"), said("Branched.")));
    log.append([{ item: user("Trunk") }]);
    log.append(made(origin("resp_5"), said("Still here.")));
    log.merge(other);
    expect(outline(log.items).slice(7)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(plan(log, target()).previous_response_id).toBe("resp_5");
  });

  test("finds the common past again after both went through JSON", () => {
    const log = Log.from(JSON.stringify(conversation()));
    const other = Log.from(JSON.stringify(conversation()));
    other.append([{ item: user("Branch") }]);
    expect(log.merge(other)).toHaveLength(1);
  });

  test("keeps calls with their outputs where both counted alike", () => {
    const log = new Log();
    const other = new Log();
    for (const [one, answer] of [
      [log, "ours"],
      [other, "theirs"],
    ] as const) {
      one.append([{ item: user(answer) }, ...made(origin(`resp_${answer}`), called("call_1"))]);
      one.append([{ item: functionCallOutput("call_1", answer) }]);
    }
    log.merge(other);
    const theirs = log.items.slice(3);
    expect(theirs[1]).toMatchObject({ type: "function_call", call_id: "call_1_2" });
    expect(theirs[1]).not.toHaveProperty("id");
    expect(theirs[2]).toMatchObject({ type: "function_call_output", call_id: "call_1_2", output: "theirs" });
    expect(plan(log, target()).stripped.map(({ rule }) => rule)).not.toContain("call-id-reused");
  });

  test("closes what was open here before the other's words", () => {
    const log = new Log();
    log.append(made(origin("resp_1"), called("call_1")));
    const other = new Log();
    other.append([{ item: user("Hello") }]);
    log.merge(other);
    expect(outline(log.items)).toEqual(["function_call", "function_call_output", "user"]);
  });
});

describe("compact", () => {
  test("can be taken back", () => {
    const log = conversation();
    expect(log.restore()).toEqual([]);
    log.compact({ to: 5, summary: "Noon." });
    log.restore();
    expect(log.compacted).toBeUndefined();
    expect(outline(plan(log, target()).input)).toHaveLength(7);
  });

  test("refuses to stand in for more than there is", () => {
    expect(() => conversation().compact({ to: 8 })).toThrow("8 entries, but the log has only 7");
  });
});
