import fc, { type Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeBlocks } from "../../../src/codecs/blocks/index.ts";
import { outcome, reduce } from "../../../src/index.ts";
import { foldLaw, lifecycleLaw } from "../../../src/testing/laws.ts";
import { responses } from "../../support/arbitraries.ts";
import { runs } from "../../support/runs.ts";
import { decode, encode } from "./support.ts";

const junk = fc.constantFrom<unknown>(null, 0, "", [], {}, true);
const mostly = <T>(arbitrary: Arbitrary<T>): Arbitrary<unknown> =>
  fc.oneof({ weight: 5, arbitrary }, { weight: 1, arbitrary: junk });
const words = fc.constantFrom("", "Hi", "Hi there");
const parts = fc.array(
  fc.oneof(
    fc.record({ type: fc.constantFrom("summary_text", "reasoning_text"), text: mostly(words) }),
    fc.record({ type: fc.constant("output_text"), text: words, annotations: mostly(fc.constant([])) }),
    junk,
  ),
  { maxLength: 3 },
);
const item = fc.record(
  {
    type: mostly(fc.constantFrom("message", "reasoning", "mcp_call", "function_call", "acme:note")),
    id: mostly(fc.constantFrom("item_1", "item_2")),
    status: mostly(fc.constantFrom("in_progress", "completed", "failed", "incomplete")),
    content: mostly(parts),
    summary: mostly(parts),
    arguments: mostly(words),
  },
  { requiredKeys: ["type", "id"] },
);

/** Something that looks like an event of the wire, with any field missing, misplaced or of the wrong type. */
const block = fc.record(
  {
    type: fc.constantFrom(
      "status",
      "usage",
      "error",
      "ping",
      "block_start",
      "block_delta",
      "block_delta",
      "block_stop",
      "block_abort",
      "x",
    ),
    status: fc.constantFrom("started", "started", "nonsense", "completed", "cancelled", "failed"),
    index: mostly(fc.nat(2)),
    block: mostly(fc.constantFrom("text", "refusal", "tool_use", "thinking", "item")),
    item_id: mostly(fc.constantFrom("item_1", "item_2")),
    id: mostly(words),
    name: mostly(words),
    input_type: mostly(fc.constantFrom("json", "text")),
    delta: mostly(words),
    annotation: mostly(fc.constant({ type: "url_citation", url: "https://example.com" })),
    source: mostly(fc.constantFrom("summary", "reasoning")),
    part: mostly(fc.constantFrom(0, 1, 2, 1_000_000_000)),
    text: mostly(words),
    refusal: mostly(words),
    input: mostly(words),
    annotations: mostly(fc.array(junk, { maxLength: 2 })),
    logprobs: mostly(fc.array(junk, { maxLength: 2 })),
    summary: mostly(parts),
    content: mostly(parts),
    encrypted_content: mostly(words),
    item: mostly(item),
    more: mostly(fc.boolean()),
    extra: mostly(item),
    stop_reason: mostly(fc.constantFrom("end_turn", "max_tokens")),
    input_tokens: mostly(fc.nat(9)),
  },
  { requiredKeys: ["type", "status"] },
);

describe("whatever comes over the wire", () => {
  test("the events are lawful and fold to their end", () => {
    fc.assert(
      fc.property(fc.array(block, { maxLength: 12 }), (blocks) => {
        const events = decode(blocks);
        expect(lifecycleLaw(events)).toBeUndefined();
        expect(foldLaw(events)).toBeUndefined();
      }),
      { numRuns: runs(500, 50_000) },
    );
  });

  test("a stream cut anywhere before its final status is truncated, with what had come", () => {
    fc.assert(
      fc.property(
        responses.filter(({ status }) => status !== "failed"),
        fc.nat(),
        (response, at) => {
          const blocks = encodeBlocks(response);
          const events = decode(blocks.slice(0, at % blocks.length));
          expect(lifecycleLaw(events)).toBeUndefined();
          expect(outcome(reduce(events))?.state).toBe("truncated");
        },
      ),
      { numRuns: runs(200, 10_000) },
    );
  });

  test("an event stream cut anywhere leaves no block open", () => {
    fc.assert(
      fc.property(responses, fc.nat(), (response, at) => {
        const events = decode(encodeBlocks(response));
        const open = new Set<number>();
        for (const event of encode(events.slice(0, at % events.length))) {
          if (event.type === "block_start") open.add(event.index);
          if (event.type === "block_delta") expect(open).toContain(event.index);
          if (event.type === "block_stop" || event.type === "block_abort") open.delete(event.index);
        }
        expect(open.size).toBe(0);
      }),
      { numRuns: runs(200, 10_000) },
    );
  });
});
