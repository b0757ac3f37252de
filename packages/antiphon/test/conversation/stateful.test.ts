import { describe, expect, test } from "vitest";
import { collect } from "../../src/core/collect.ts";
import { functionCallOutput, functionTool, user } from "../../src/model/construct.ts";
import type { CreateResponse, InputItem, Item, ResponseResource } from "../../src/model/index.ts";
import { abortLaw } from "../../src/testing/abort-law.ts";
import { foldLaw, lifecycleLaw } from "../../src/testing/laws.ts";
import { stateful, type Stateful, type StatefulRule } from "../../src/testing/stateful/index.ts";
import { refusals } from "../../src/testing/stateful/refuse.ts";
import { called, eventsOf, said, searched, thought } from "./support.ts";

const include: CreateResponse["include"] = ["reasoning.encrypted_content"];

/** A server that has answered once, with a sealed thought, a search, a call and words. */
async function answered(store: boolean): Promise<{ server: Stateful; output: Item[]; response: ResponseResource }> {
  const server = stateful({
    contextWindow: 1_000,
    answer: ({ newId, seal }) => {
      const id = newId("rs");
      return [thought(id, { encrypted_content: seal(id) }), searched(newId("ws")), { ...called("call_1"), id: newId("fc") }];
    },
  });
  const response = await collect(server.respond({ input: "Hi", include, store }));
  return { server, output: response.output, response };
}

const bare = ({ id: _, ...item }: Item): InputItem => item as InputItem;
const done = functionCallOutput("call_1", "12:00");
const summary = bare(thought("rs_1", { summary: [{ type: "summary_text", text: "Hm." }] }));

type Case = [rule: StatefulRule, request: (output: Item[], response: ResponseResource) => CreateResponse, store?: boolean];

const cases: Case[] = [
  ["previous-unknown", () => ({ input: "Hi", previous_response_id: "resp_other" })],
  ["previous-unknown", (_, { id }) => ({ input: [done], previous_response_id: id }), false],
  ["item-unknown", () => ({ input: [{ type: "item_reference", id: "msg_other" }] })],
  ["item-unknown", () => ({ input: [thought("rs_other"), bare(said("Hi"))] })],
  ["item-unsaved", ([, , call]) => ({ input: [call!, done], store: false }), false],
  ["item-unsaved", () => ({ input: [{ ...called("call_1"), id: "fc_other" }, done], store: false })],
  ["item-unsaved", () => ({ input: [{ type: "item_reference", id: "fc_other" }, done], store: false })],
  ["item-unsaved", () => ({ input: [thought("rs_other", { encrypted_content: null }), bare(said("Hi"))], store: false })],
  ["reasoning-unsaved", () => ({ input: [summary, bare(said("Hi"))], store: false })],
  ["item-doubled", ([, search]) => ({ input: [search!, search!] })],
  ["item-doubled", ([, search], { id }) => ({ input: [done, search!], previous_response_id: id })],
  ["item-doubled", (_, { id }) => ({ input: [done, done], previous_response_id: id })],
  ["output-alone", () => ({ input: [done] })],
  ["call-alone", (_, { id }) => ({ input: [user("Hi")], previous_response_id: id })],
  ["call-alone", () => ({ input: [bare(called("call_2"))] })],
  ["reasoning-alone", ([rs]) => ({ input: [rs!] })],
  ["reasoning-alone", ([rs]) => ({ input: [rs!, user("Hi")] })],
  ["reasoning-alone", ([rs]) => ({ input: [rs!, bare(said("Hi"))] })],
  ["reasoning-alone", ([rs, search]) => ({ input: [rs!, { ...search!, id: "ws_other" }] })],
  ["output-alone", () => ({ input: [done], store: false })],
  ["without-reasoning", ([, search]) => ({ input: [search!] })],
  ["blob-unreadable", () => ({ input: [thought("rs_1", { encrypted_content: "other" }), bare(said("Hi"))] })],
  ["blob-unreadable", ([rs]) => ({ input: [{ ...rs!, id: "rs_other" }, bare(said("Hi"))] })],
  ["field-unknown", ([rs, search]) => ({ input: [{ ...rs!, status: "completed" }, search!] })],
  ["id-malformed", () => ({ input: [searched("srvtoolu_1")] })],
  ["too-long", () => ({ input: "x".repeat(5_000) })],
];

const withoutIds = (message: string): string => message.replaceAll(/'[^']*'|\b(rs|ws|fc|msg|call)_\w+/g, "");

describe("stateful", () => {
  for (const [rule, request, store = true] of cases)
    test(`refuses by the rule ${rule}`, async () => {
      const { server, output, response } = await answered(store);
      const expected = refusals[rule]("");
      const error = server.check(request(output, response));
      expect(error).toMatchObject({ code: expected.code, status: expected.status });
      expect(withoutIds(error?.message ?? "")).toBe(withoutIds(expected.message));
    });

  test("refuses to seal the thoughts of a model that has none", () => {
    expect(stateful({ reasons: false }).check({ input: "Hi", include })).toMatchObject({ code: "INVALID_ENCRYPTED_CONTENT" });
  });

  test("has a case for every rule", () => {
    const tried = new Set<string>([...cases.map(([rule]) => rule), "blobs-unknown"]);
    expect([...tried].toSorted()).toEqual(Object.keys(refusals).toSorted());
  });

  test("takes what it gave: by its id, as items with their ids, and sealed without them", async () => {
    const kept = await answered(true);
    expect(kept.server.check({ input: [done], previous_response_id: kept.response.id })).toBeUndefined();
    expect(kept.server.check({ input: [user("Hi"), ...kept.output, done] })).toBeUndefined();
    expect(
      kept.server.check({ input: [...kept.output.map(({ id }) => ({ type: "item_reference" as const, id })), done] }),
    ).toBeUndefined();
    const { server, output } = await answered(false);
    expect(server.check({ input: [user("Hi"), ...output.map(bare), done], store: false })).toBeUndefined();
  });

  test("forgets what it is told to forget, and what has expired", async () => {
    let now = 100;
    const server = stateful({ retention: 10, now: () => now });
    const { id } = await collect(server.respond({ input: "Hi" }));
    expect(server.check({ input: "And?", previous_response_id: id })).toBeUndefined();
    now = 110;
    expect(server.check({ input: "And?", previous_response_id: id })?.code).toBe("CHAIN_NOT_FOUND");
    now = 100;
    server.forget(id);
    expect(server.check({ input: "And?", previous_response_id: id })?.code).toBe("CHAIN_NOT_FOUND");
  });

  test("answers the same to the same seed, lawfully, with tools and without", async () => {
    const tools = [functionTool("clock", "Tells the time.", { type: "object", properties: {} })];
    for (const seed of [1, 2, 3, 4]) {
      const events = await eventsOf(stateful({ seed }).respond, { input: "Hi", tools });
      expect(await eventsOf(stateful({ seed }).respond, { input: "Hi", tools })).toEqual(events);
      expect(lifecycleLaw(events) ?? foldLaw(events)).toBeUndefined();
    }
  });

  test("ends lawfully when it is stopped", async () => {
    const open = () => {
      const { respond } = stateful();
      return { respond, closed: () => true };
    };
    expect(await abortLaw(open, { input: "Hi" }, [1, 2, 3, 5, 8])).toBeUndefined();
  });
});
