import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { functionCallOutput, user } from "../../src/model/construct.ts";
import { lintItems, type LintOptions } from "../../src/conversation/lint.ts";
import { lintRules, type LintRule } from "../../src/conversation/lint-rules.ts";
import type { Origin } from "../../src/conversation/log-records.ts";
import type { InputItem, Item } from "../../src/model/index.ts";
import { randomFrom } from "../../src/testing/stateful/random.ts";
import { stateful } from "../../src/testing/stateful/index.ts";
import { runs } from "../support/runs.ts";
import { anyItem, targets } from "./random-log.ts";
import { called, origin, outline, said, searched, target, thought } from "./support.ts";

const rules = (items: readonly InputItem[], options?: LintOptions): LintRule[] =>
  lintItems(items, options).changes.map(({ rule }) => rule);

const ours = origin("resp_1");
const theirs = origin("resp_2", "second");
const madeBy = (of: Origin): LintOptions => ({
  target: target(),
  origin: (item) => ("role" in item && item.role === "user" ? undefined : of),
});

const lawful: InputItem[] = [
  user("What time is it?"),
  { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "blob" },
  { type: "function_call", call_id: "call_1", name: "clock", arguments: "{}" },
  functionCallOutput("call_1", "12:00"),
  { type: "message", role: "assistant", content: "Noon." },
  user("Thank you."),
];

interface Case {
  rule: LintRule;
  name: string;
  items: InputItem[];
  options?: LintOptions;
  gives: InputItem[];
}

const interrupted = expect.stringContaining("interrupted");
const question = user("Well?");
const bare = (item: Item): InputItem => {
  const { id: _, status: __, ...rest } = item;
  return rest as InputItem;
};

const cases: Case[] = [
  {
    rule: "call-unanswered",
    name: "answers a call that was left behind, before the user speaks",
    items: [bare(called("a")), question],
    gives: [
      bare(called("a")),
      { type: "function_call_output", call_id: "a", output: interrupted, status: "incomplete" },
      question,
    ],
  },
  {
    rule: "call-unanswered",
    name: "answers a call of the chain that nobody answered",
    items: [question],
    options: { chained: [called("a")] },
    gives: [{ type: "function_call_output", call_id: "a", output: interrupted, status: "incomplete" }, question],
  },
  {
    rule: "output-orphaned",
    name: "leaves out an output without a call",
    items: [functionCallOutput("a", "1"), question],
    gives: [question],
  },
  {
    rule: "output-orphaned",
    name: "leaves out consent that nobody asked for",
    items: [{ type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true }, question],
    gives: [question],
  },
  {
    rule: "output-early",
    name: "moves an output behind its call",
    items: [functionCallOutput("a", "1"), bare(called("a"))],
    gives: [bare(called("a")), functionCallOutput("a", "1")],
  },
  {
    rule: "output-doubled",
    name: "keeps the last of two answers",
    items: [bare(called("a")), functionCallOutput("a", "1"), functionCallOutput("a", "2")],
    gives: [bare(called("a")), functionCallOutput("a", "2")],
  },
  {
    rule: "call-id-reused",
    name: "tells calls with one id apart, each with its output",
    items: [
      bare(called("a")),
      functionCallOutput("a", "1"),
      bare(called("a", { arguments: "[]" })),
      functionCallOutput("a", "2"),
    ],
    gives: [
      bare(called("a")),
      functionCallOutput("a", "1"),
      bare(called("a_2", { arguments: "[]" })),
      functionCallOutput("a_2", "2"),
    ],
  },
  {
    rule: "call-id-reused",
    name: "gives parallel calls with one id their outputs in order",
    items: [
      bare(called("a")),
      bare(called("a", { arguments: "[]" })),
      functionCallOutput("a", "1"),
      functionCallOutput("a", "2"),
    ],
    gives: [
      bare(called("a")),
      bare(called("a_2", { arguments: "[]" })),
      functionCallOutput("a", "1"),
      functionCallOutput("a_2", "2"),
    ],
  },
  {
    rule: "call-unanswered",
    name: "gives an output to the call after the message, not to one that was left behind",
    items: [bare(called("a")), question, bare(called("a", { arguments: "[]" })), functionCallOutput("a", "2")],
    gives: [
      bare(called("a")),
      { type: "function_call_output", call_id: "a", output: interrupted, status: "incomplete" },
      question,
      bare(called("a_2", { arguments: "[]" })),
      functionCallOutput("a_2", "2"),
    ],
  },
  {
    rule: "duplicate-item",
    name: "leaves out a reference to a message that is in the list",
    items: [said("Noon.", "msg_1"), { type: "item_reference", id: "msg_1" }, question],
    gives: [bare(said("Noon.")), question],
  },
  {
    rule: "reasoning-orphaned",
    name: "leaves out reasoning at the end",
    items: [question, thought("rs_1", { encrypted_content: "blob" })],
    gives: [question],
  },
  {
    rule: "reasoning-orphaned",
    name: "leaves out reasoning before another response's item",
    items: [thought("rs_1", { encrypted_content: "blob" }), said("Noon.")],
    options: { target: target(), origin: (item) => (item.type === "reasoning" ? ours : origin("resp_9")) },
    gives: [bare(said("Noon."))],
  },
  {
    rule: "reasoning-unreadable",
    name: "leaves out reasoning of which nothing can be read",
    items: [thought("rs_1"), said("Noon.")],
    gives: [bare(said("Noon."))],
  },
  {
    rule: "id-unknown",
    name: "keeps a summary without the id that nobody keeps",
    items: [thought("rs_1", { summary: [{ type: "summary_text", text: "Hm." }] }), bare(said("Noon."))],
    gives: [{ type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] }, bare(said("Noon."))],
  },
  {
    rule: "foreign-blob",
    name: "strips another provider's blob and keeps the summary for a server that reads it",
    items: [thought("rs_1", { summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: "blob" }), said("Noon.")],
    options: { ...madeBy(theirs), target: target("first", { encrypts: false }) },
    gives: [{ type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] }, bare(said("Noon."))],
  },
  {
    rule: "reasoning-unreadable",
    name: "leaves out a summary without encrypted content for a server that encrypts",
    items: [thought("rs_1", { summary: [{ type: "summary_text", text: "Hm." }] }), said("Noon.")],
    options: madeBy(ours),
    gives: [bare(said("Noon."))],
  },
  {
    rule: "id-unknown",
    name: "keeps the raw text of reasoning for the server that wrote it",
    items: [thought("rs_1", { content: [{ type: "reasoning_text", text: "Hm." }] }), bare(said("Noon."))],
    options: madeBy(ours),
    gives: [{ type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "Hm." }] }, bare(said("Noon."))],
  },
  {
    rule: "compaction-unreadable",
    name: "leaves out another provider's compaction",
    items: [{ type: "compaction", id: "cmp_1", encrypted_content: "past" }],
    options: madeBy(theirs),
    gives: [],
  },
  {
    rule: "hosted-foreign",
    name: "tells another provider's search in words",
    items: [searched("srvtoolu_1")],
    options: madeBy(theirs),
    gives: [{ type: "message", role: "assistant", content: expect.stringContaining("Oslo") }],
  },
  {
    rule: "hosted-foreign",
    name: "leaves out another provider's item that has no words",
    items: [{ type: "anthropic:advisor", id: "srvtoolu_1" }, question],
    options: madeBy(theirs),
    gives: [question],
  },
  {
    rule: "hosted-alone",
    name: "tells a search in words whose reasoning is lost",
    items: [thought("rs_1"), searched("ws_1")],
    options: madeBy(ours),
    gives: [{ type: "message", role: "assistant", content: expect.stringContaining("Oslo") }],
  },
  {
    rule: "reference-unknown",
    name: "leaves out a reference where nothing is kept",
    items: [{ type: "item_reference", id: "msg_1" }, question],
    options: { target: target("first", { stores: false }) },
    gives: [question],
  },
  {
    rule: "duplicate-item",
    name: "leaves out what stands there twice",
    items: [searched("ws_1"), { type: "item_reference", id: "ws_1" }, searched("ws_1")],
    gives: [searched("ws_1")],
  },
  {
    rule: "duplicate-id",
    name: "keeps another item under a taken id without it",
    items: [thought("rs_1", { encrypted_content: "a" }), thought("rs_1", { encrypted_content: "b" }), bare(said("Noon."))],
    gives: [
      thought("rs_1", { encrypted_content: "a" }),
      { type: "reasoning", summary: [], encrypted_content: "b" },
      bare(said("Noon.")),
    ],
  },
  { rule: "id-needless", name: "sends messages without ids", items: [said("Noon.")], gives: [bare(said("Noon."))] },
  {
    rule: "output-only-field",
    name: "leaves out what servers write and do not read",
    items: [{ type: "image_generation_call", id: "ig_1", status: "completed", result: "AA==", action: "generate" }],
    gives: [{ type: "image_generation_call", id: "ig_1", status: "completed", result: "AA==" }],
  },
  {
    rule: "output-only-field",
    name: "leaves out log probabilities",
    items: [{ role: "assistant", content: [{ type: "output_text", text: "Hi", annotations: [], logprobs: [] }] }],
    gives: [{ role: "assistant", content: [{ type: "output_text", text: "Hi", annotations: [] }] }],
  },
  {
    rule: "null-field",
    name: "leaves out nulls",
    items: [{ type: "message", role: "user", content: "Hi", id: null, status: null }],
    gives: [user("Hi")],
  },
  {
    rule: "empty-message",
    name: "leaves out an answer that says nothing",
    items: [{ role: "assistant", content: [] }, question],
    gives: [question],
  },
];

describe("lintItems", () => {
  test("lets a lawful list pass as it is", () => {
    const { items, changes } = lintItems(lawful);
    expect(changes).toEqual([]);
    expect(items).toEqual(lawful);
    items.forEach((item, index) => expect(item).toBe(lawful[index]));
  });

  for (const { rule, name, items, options, gives } of cases)
    test(`${name} (${rule})`, () => {
      const given = structuredClone(items);
      const linted = lintItems(items, options);
      expect(linted.items).toEqual(gives);
      expect(linted.changes.map((change) => change.rule)).toContain(rule);
      expect(items).toEqual(given);
    });

  test("has a case for every rule", () => {
    expect([...new Set(cases.map(({ rule }) => rule))].toSorted()).toEqual(Object.keys(lintRules).toSorted());
  });

  test("says where it changed something", () => {
    expect(lintItems([question, said("Noon."), bare(called("a"))]).changes).toEqual([
      { rule: "output-only-field", index: 1, type: "message" },
      { rule: "id-needless", index: 1, type: "message" },
      { rule: "call-unanswered", index: 3, type: "function_call_output" },
    ]);
  });

  test("leaves other makers' items to the translator where there is one", () => {
    const options = { ...madeBy(theirs), target: target("first", { translates: true }) };
    expect(lintItems([searched("srvtoolu_1")], options)).toEqual({ items: [searched("srvtoolu_1")], changes: [] });
  });

  test("keeps stored reasoning by its id, and the id of the item that it led to", () => {
    const next = { ...bare(said("Noon.")), id: "msg_1" } as InputItem;
    const items = [thought("rs_1"), next, question];
    expect(lintItems(items, { stored: new Set(["rs_1"]) })).toEqual({ items, changes: [] });
    const { items: others } = lintItems([thought("rs_1"), next, next], { stored: new Set(["rs_2"]) });
    expect(others).toEqual([bare(said("Noon.")), bare(said("Noon."))]);
  });

  test("keeps several thoughts in a row before what they led to", () => {
    const items = [thought("rs_1", { encrypted_content: "a" }), thought("rs_2", { encrypted_content: "b" }), bare(said("Noon."))];
    expect(rules(items)).toEqual([]);
  });

  test("keeps the outputs of parallel calls with one id in the chain", () => {
    const outputs = [functionCallOutput("a", "1"), functionCallOutput("a", "2")];
    const chained = [called("a"), called("a", { id: "fc_b" })];
    expect(lintItems(outputs, { chained })).toEqual({ items: outputs, changes: [] });
    const again = [...outputs, functionCallOutput("a", "3")];
    expect(lintItems(again, { chained }).items).toEqual([outputs[0], again[2]]);
    expect(lintItems([question, outputs[0]!], { chained: [called("b"), called("a")] }).items).toEqual([
      { type: "function_call_output", call_id: "b", output: interrupted, status: "incomplete" },
      question,
      outputs[0],
    ]);
  });

  test("keeps an output that may answer a call which is referred to", () => {
    const items: InputItem[] = [{ type: "item_reference", id: "fc_1" }, functionCallOutput("call_1", "12:00")];
    expect(lintItems(items)).toEqual({ items, changes: [] });
  });

  test("turns a shell call and its output into words together", () => {
    const shell: Item = { type: "shell_call", id: "sh_1", call_id: "a", status: "completed", action: { commands: ["ls"] } };
    const output: InputItem = {
      type: "shell_call_output",
      call_id: "a",
      output: [{ stdout: "file", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
    };
    const { items } = lintItems([shell, output], { target: target(), origin: (item) => (item === shell ? theirs : undefined) });
    expect(outline(items)).toEqual(["assistant", "assistant"]);
  });

  test("turns no output into words whose call is another of the same id, whichever of the two is strange", () => {
    const shell = (id: string): Item => ({
      type: "shell_call",
      id,
      call_id: "a",
      status: "completed",
      action: { commands: [id] },
    });
    const outputs: InputItem[] = ["one", "two"].map((stdout) => ({
      type: "shell_call_output",
      call_id: "a",
      output: [{ stdout, stderr: "", outcome: { type: "exit", exit_code: 0 } }],
    }));
    // Reasoning that is lost has every pair looked at once more.
    const list = [thought("rs_1"), shell("sh_1"), outputs[0]!, user("Again."), shell("sh_2"), outputs[1]!, user("And?")];
    const kept = ["shell_call", "shell_call_output"];
    for (const strange of [1, 4]) {
      const options = {
        target: target(),
        origin: (item: InputItem) => (item === list[strange] || item === list[0] ? theirs : ours),
      };
      const { items } = lintItems(list, options);
      const parts = [outline(items).slice(0, 2), outline(items).slice(3, 5)];
      expect(strange === 1 ? parts : parts.toReversed()).toEqual([["assistant", "assistant"], kept]);
      expect(lintItems(items).changes).toEqual([]);
    }
  });

  test("sends only messages and calls of the caller's own tools where nothing else is trusted", () => {
    const given = [thought("rs_1", { encrypted_content: "a" }), searched("ws_1"), bare(said("Noon.")), ...lawful];
    const { items } = lintItems(given, { trust: () => "plain" });
    expect(new Set(items.map(({ type }) => type))).toEqual(new Set(["message", "function_call", "function_call_output"]));
  });

  test("has nothing left to do the second time, whatever the list (property)", () => {
    const lists = fc.tuple(fc.integer(), fc.nat(14), fc.nat(targets.length)).map(([seed, length, which]) => {
      const random = randomFrom(seed);
      return { items: Array.from({ length }, () => anyItem(random)), to: targets[which] };
    });
    fc.assert(
      fc.property(lists, ({ items, to }) => {
        const options = to ? { target: to } : {};
        const once = lintItems(items, options);
        const twice = lintItems(once.items, options);
        expect(twice.changes).toEqual([]);
        expect(twice.items).toEqual(once.items);
      }),
      { numRuns: runs(300, 50_000) },
    );
  });

  test("gives what a strict server takes, whatever the list (property)", () => {
    fc.assert(
      fc.property(fc.integer(), fc.nat(14), (seed, length) => {
        const random = randomFrom(seed);
        const server = stateful();
        const made = Array.from({ length }, () => anyItem(random));
        const { items } = lintItems(made, { target: server.target, origin: () => theirs });
        expect(server.check({ input: items })?.message).toBeUndefined();
      }),
      { numRuns: runs(300, 50_000) },
    );
  });
});
