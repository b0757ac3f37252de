import fc, { type Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeBlocks, encodeBlocks } from "../../../src/codecs/blocks/index.ts";
import {
  expand,
  reduce,
  refusal,
  text,
  thinking,
  Writer,
  type Compaction,
  type Item,
  type Message,
  type OutputText,
  type Reasoning,
  type ResponseResource,
  type Usage,
} from "../../../src/index.ts";
import { foldLaw, lifecycleLaw } from "../../../src/testing/laws.ts";
import { items, programs, responses } from "../../support/arbitraries.ts";
import { testCtx } from "../../support/ctx.ts";
import { runs } from "../../support/runs.ts";
import { decode, encode, response } from "./support.ts";

const timeless = (response: ResponseResource): unknown => ({ ...response, created_at: 0, completed_at: 0 });
// What stopped before its usage was told gets an estimate on the way.
const withoutEstimate = (response: ResponseResource): ResponseResource =>
  response.usage?.estimated ? { ...response, usage: null } : response;

const words = fc.string({ unit: "grapheme", maxLength: 12 });
const usage: Arbitrary<Usage> = fc.record({
  input_tokens: fc.nat(999),
  output_tokens: fc.nat(999),
  total_tokens: fc.nat(1998),
  input_tokens_details: fc.record(
    { cached_tokens: fc.nat(99), cache_write_tokens: fc.nat(99) },
    { requiredKeys: ["cached_tokens"] },
  ),
  output_tokens_details: fc.record({ reasoning_tokens: fc.nat(99) }),
});

// Fields beyond what most servers send, each of which some server does.
const likelyText: Arbitrary<OutputText> = fc.record({
  type: fc.constant("output_text" as const),
  text: words,
  annotations: fc.constant([]),
  logprobs: fc.array(fc.record({ token: words, logprob: fc.constant(-0.5), bytes: fc.constant([72]) }), { maxLength: 2 }),
});
const phased: Arbitrary<Message> = fc.record({
  type: fc.constant("message" as const),
  id: fc.constant("msg_phased"),
  status: fc.constant("completed" as const),
  role: fc.constant("assistant" as const),
  content: fc.array(likelyText, { maxLength: 3 }),
  phase: fc.constantFrom("commentary" as const, "final_answer" as const, null),
});
const bareReasoning: Arbitrary<Reasoning> = fc.record(
  {
    type: fc.constant("reasoning" as const),
    id: fc.constant("rs_bare"),
    summary: fc.array(fc.record({ type: fc.constant("summary_text" as const), text: words }), { maxLength: 2 }),
    content: fc.constantFrom(null, []),
    encrypted_content: fc.option(words),
  },
  { requiredKeys: ["type", "id", "summary"] },
);
const compaction: Arbitrary<Compaction> = fc.record({
  type: fc.constant("compaction" as const),
  id: fc.constant("cmp_1"),
  encrypted_content: words,
});
const spoken = (part: object): Item =>
  ({ type: "message", id: "msg_odd", status: "completed", role: "assistant", content: [part] }) as Item;
const odd: Arbitrary<Item> = fc.constantFrom(
  spoken({ type: "text", text: "Hi" }),
  spoken({ type: "output_text", text: "Hi", annotations: [], logprobs: [], tone: "warm", refusal: null }),
  spoken({ type: "input_image", image_url: "data:image/png;base64,AA==" }),
  { type: "function_call", id: "fc_1", call_id: "call_1", name: "clock", arguments: "", status: "completed", namespace: "time" },
  { type: "function_call_output", id: "fco_1", call_id: "call_1", output: "12:00", status: "completed" },
);
const anyItem = fc.oneof(items, phased, bareReasoning, compaction, odd);
const whole = (item: Item): boolean => item.status !== "incomplete";

describe("events to blocks and back", () => {
  test("give the same response, but for times", () => {
    fc.assert(
      fc.property(responses, (response) => {
        const events = decode(encodeBlocks(response), { model: response.model });
        expect(lifecycleLaw(events)).toBeUndefined();
        expect(foldLaw(events)).toBeUndefined();
        expect(timeless(withoutEstimate(reduce(events)))).toEqual(timeless(response));
      }),
      { numRuns: runs(200, 20_000) },
    );
  });

  test("keep usage, phase, log probabilities, blobs, and what is absent or null", () => {
    fc.assert(
      fc.property(fc.array(anyItem.filter(whole), { maxLength: 4 }), usage, (output, usage) => {
        const before = response(output, { usage });
        const events = decode(encodeBlocks(before), { model: "test-model" });
        expect(lifecycleLaw(events)).toBeUndefined();
        expect(timeless(reduce(events))).toEqual(timeless(before));
      }),
      { numRuns: runs(200, 20_000) },
    );
  });

  const short = (reason: string): Partial<ResponseResource> => ({
    status: "incomplete",
    incomplete_details: { reason },
    completed_at: null,
  });
  const ends: Partial<ResponseResource>[] = [
    {},
    { stop_sequence: "END" } as Partial<ResponseResource>,
    { stop_sequence: "" } as Partial<ResponseResource>,
    short("max_output_tokens"),
    short("content_filter"),
    short("cancelled"),
    short("max_tool_calls"),
    { status: "failed", error: { code: "rate_limit_exceeded", message: "Slow down.", param: "input", request_id: "req_1" } },
  ];
  test.each(ends)("keep the end %j", (end) => {
    const before = response([], { ...end, usage: null });
    const after = decodeBlocks(testCtx({ model: "test-model" }), encodeBlocks(before));
    expect(timeless(withoutEstimate(after))).toEqual(timeless(before));
  });

  test("keep what is said, by whom and under which ids, of items that are open side by side", () => {
    fc.assert(
      fc.property(programs, (program) => {
        const writer = new Writer(testCtx());
        for (const step of program) step(writer);
        writer.finish({ status: "completed" });
        const before = writer.drain();
        const after = decode(encode(before));
        expect(lifecycleLaw(after)).toBeUndefined();
        expect(byId(reduce(after))).toEqual(byId(reduce(before)));
      }),
      { numRuns: runs(200, 20_000) },
    );
  });

  test("keep every delta where it was", () => {
    const writer = new Writer(testCtx());
    writer.summary("Hm", "t");
    writer.call("a", { call_id: "call_1", name: "clock" });
    writer.call("b", { call_id: "call_2", name: "clock" });
    for (const key of ["a", "b", "a", "b"]) writer.args(key, `"${key}"`);
    writer.text("Hi", "m");
    writer.finish({ status: "completed" });
    const before = writer.drain();
    const deltas = (events: typeof before): object[] =>
      events.flatMap((event) => ("delta" in event ? [{ ...event, sequence_number: 0 }] : []));
    expect(deltas(decode(encode(before)))).toEqual(deltas(before));
  });
});

describe("blocks to events and back", () => {
  test("give the same blocks", () => {
    fc.assert(
      fc.property(responses, (response) => {
        const blocks = encodeBlocks({ ...response, usage: null });
        const again = encode(decode(blocks, { model: response.model }));
        expect(again.filter(({ type }) => type !== "usage")).toEqual(blocks);
      }),
      { numRuns: runs(200, 20_000) },
    );
  });
});

test("the deltas of a block add up to what its end tells", () => {
  fc.assert(
    fc.property(responses, (response) => {
      const said = new Map<number, string>();
      for (const block of encode(expand(response))) {
        if (block.type === "block_delta") said.set(block.index, (said.get(block.index) ?? "") + block.delta);
        if (block.type !== "block_stop" && block.type !== "block_abort") continue;
        const sum = said.get(block.index) ?? "";
        if (block.block === "text") expect(block.text).toBe(sum);
        if (block.block === "refusal") expect(block.refusal).toBe(sum);
        if (block.block === "tool_use") expect(block.input).toBe(sum);
        if (block.block === "thinking")
          expect([...block.summary, ...(block.content ?? [])].map((part) => part.text).join("")).toBe(sum);
      }
    }),
    { numRuns: runs(100, 5_000) },
  );
});

// Text blocks start with their first part, so a message may come after an item that was added later.
const byId = (response: ResponseResource): unknown => ({
  items: response.output.toSorted((a, b) => a.id.localeCompare(b.id)),
  text: text(response).length,
  refusal: refusal(response)?.length,
  thinking: thinking(response).length,
});
