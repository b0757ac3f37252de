import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { closes, opens } from "../../src/conversation/call-pairs.ts";
import { isMessage } from "../../src/conversation/call-pairs.ts";
import { chooseCut, openQuestion } from "../../src/conversation/cut.ts";
import type { Entry, Origin } from "../../src/conversation/log-records.ts";
import { assistant, functionCallOutput, user } from "../../src/model/construct.ts";
import { inputType } from "../../src/model/guards.ts";
import type { InputItem } from "../../src/model/index.ts";
import { runs } from "../support/runs.ts";

const origin = (response_id: string): Origin => ({ provider: "p", endpoint: "e", model: "m", response_id, stored: true });
const reasoning = (id: string): InputItem => ({ type: "reasoning", id, summary: [] });
const call = (call_id: string): InputItem => ({ type: "function_call", call_id, name: "f", arguments: "{}" });
const of = (response: string, ...items: InputItem[]): Entry[] => items.map((item) => ({ item, origin: origin(response) }));
const mine = (...items: InputItem[]): Entry[] => items.map((item) => ({ item }));
const one = (): number => 1;

describe("chooseCut", () => {
  const entries = [
    ...mine(user("1")), // 0
    ...of("a", reasoning("r1"), call("c1"), call("c2")), // 1–3
    ...mine(functionCallOutput("c1", "x"), functionCallOutput("c2", "y")), // 4, 5
    ...of("b", reasoning("r2"), assistant("2")), // 6, 7
    ...mine(user("3")), // 8
    ...of("c", assistant("4")), // 9
  ];
  const cutFor = (messages: number, tokens = 0): number | undefined => chooseCut(entries, 0, { messages, tokens }, one);

  test("keeps as many messages as it must", () => {
    expect(cutFor(1)).toBe(9);
    expect(cutFor(2)).toBe(8);
  });

  test("parts no reasoning from what it led to, and no response in two", () => {
    expect(cutFor(3)).toBe(6);
  });

  test("parts no call from its output, nor calls that were made together", () => {
    expect(cutFor(4)).toBe(1);
    expect(cutFor(5)).toBe(1);
  });

  test("finds no place where all must stay", () => {
    expect(cutFor(6)).toBeUndefined();
    expect(chooseCut(entries, 8, { messages: 2, tokens: 0 }, one)).toBeUndefined();
  });

  test("keeps as many tokens as it must", () => {
    expect(cutFor(1, 4)).toBe(6);
  });

  test("keeps calls that still wait, with all that follows them", () => {
    const waiting = [
      ...mine(user("1"), user("2"), user("3")),
      ...of("a", call("c1"), call("c2")),
      ...mine(functionCallOutput("c1", "x")),
    ];
    expect(chooseCut(waiting, 0, { messages: 1, tokens: 0 }, one)).toBe(3);
  });

  test("keeps an answer to a request for approval with the request", () => {
    const asked: Entry[] = [
      ...mine(user("1")),
      ...of("a", { type: "mcp_approval_request", id: "mcpr_1", server_label: "s", name: "n", arguments: "{}" }),
      ...mine({ type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true }),
      ...mine(user("2")),
    ];
    expect(chooseCut(asked, 0, { messages: 1, tokens: 0 }, one)).toBe(3);
    expect(chooseCut(asked, 0, { messages: 2, tokens: 0 }, one)).toBeUndefined();
    expect(chooseCut(asked.slice(0, 3), 0, { messages: 0, tokens: 0 }, one)).toBe(1);
  });

  /** Any conversation: turns with reasoning, parallel calls that are answered in any order, and perhaps calls that still wait. */
  const turn = fc.record({ thinks: fc.boolean(), calls: fc.nat(3), reversed: fc.boolean(), says: fc.boolean() });
  const conversation = fc.record({ turns: fc.array(turn, { maxLength: 12 }), pending: fc.nat(2) }).map(({ turns, pending }) => {
    const all: Entry[] = [];
    for (const [index, { thinks, calls, reversed, says }] of turns.entries()) {
      const ids = Array.from({ length: calls }, (_, at) => `c${index}.${at}`);
      all.push(...mine(user("question")));
      all.push(
        ...of(
          `r${index}`,
          ...(thinks ? [reasoning(`rs${index}`)] : []),
          ...ids.map(call),
          ...(says || thinks ? [assistant("a")] : []),
        ),
      );
      all.push(...mine(...(reversed ? ids.toReversed() : ids).map((id) => functionCallOutput(id, "done"))));
    }
    if (pending > 0) all.push(...of("last", ...Array.from({ length: pending }, (_, at) => call(`p${at}`))));
    return all;
  });

  test("whatever the conversation, both sides of the cut stand on their own", () => {
    fc.assert(
      fc.property(conversation, fc.nat(8), fc.nat(20), (all, messages, tokens) => {
        const cut = chooseCut(all, 0, { messages, tokens }, one);
        if (cut === undefined) return;
        const [head, tail] = [all.slice(0, cut), all.slice(cut)];
        const opened = new Set(head.flatMap(({ item }) => opens(item) ?? []));
        for (const { item } of head) opened.delete(closes(item) ?? "");
        expect([...opened]).toEqual([]);
        const known = new Set(tail.flatMap(({ item }) => opens(item) ?? []));
        for (const { item } of tail) if (closes(item) !== undefined) expect(known.has(closes(item)!)).toBe(true);
        expect(inputType(head.at(-1)!.item)).not.toBe("reasoning");
        if (head.at(-1)?.origin) expect(head.at(-1)?.origin?.response_id).not.toBe(tail[0]?.origin?.response_id);
        expect(tail.filter(({ item }) => isMessage(item)).length).toBeGreaterThanOrEqual(messages);
        expect(tail.length).toBeGreaterThanOrEqual(tokens);
      }),
      { numRuns: runs(300, 30_000) },
    );
  });
});

describe("openQuestion", () => {
  const [first, second] = [user("first"), user("second")];

  test("is what the user said last, where what stays begins with the answer to it", () => {
    expect(openQuestion([user("old"), assistant("a"), first, second, call("c")], mine(functionCallOutput("c", "x")))).toEqual([
      first,
      second,
    ]);
  });

  test("is nothing where what stays begins with the user's words, or there are none", () => {
    expect(openQuestion([first], mine(second))).toEqual([]);
    expect(openQuestion([call("c")], mine(functionCallOutput("c", "x")))).toEqual([]);
  });
});
