import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addUsage, cost, estimateUsage, noUsage } from "../../src/core/usage.ts";
import type { Item, Usage } from "../../src/model/index.ts";

const tokens = fc.nat(100_000);
const usages = fc
  .record({
    input: tokens,
    output: tokens,
    cached: tokens,
    written: fc.option(tokens),
    reasoning: tokens,
    estimated: fc.boolean(),
  })
  .map(({ input, output, cached, written, reasoning, estimated }): Usage => {
    const details =
      written === null || written === 0 ? { cached_tokens: cached } : { cached_tokens: cached, cache_write_tokens: written };
    return {
      input_tokens: input,
      output_tokens: output,
      total_tokens: input + output,
      input_tokens_details: details,
      output_tokens_details: { reasoning_tokens: reasoning },
      ...(estimated ? { estimated: true as const } : {}),
    };
  });

describe("usage", () => {
  test("adding is a sum: no order, no grouping, nothing counts as zero", () => {
    fc.assert(
      fc.property(usages, usages, usages, (a, b, c) => {
        expect(addUsage(a, b)).toEqual(addUsage(b, a));
        expect(addUsage(addUsage(a, b), c)).toEqual(addUsage(a, addUsage(b, c)));
        expect(addUsage(a, noUsage)).toEqual(a);
      }),
    );
  });

  test("a sum with a guess in it is a guess", () => {
    expect(addUsage(noUsage, { ...noUsage, estimated: true }).estimated).toBe(true);
  });

  test("a guess counts what was sent and what came", () => {
    const usage = estimateUsage({ input: "x".repeat(400), instructions: "y".repeat(40) }, []);
    expect(usage).toMatchObject({ input_tokens: 110, output_tokens: 0, total_tokens: 110, estimated: true });
  });

  test("a guess of an answer counts its words, not what stands around them", () => {
    const logprobs = Array.from({ length: 50 }, () => ({ token: "x", logprob: -0.5, bytes: [120], top_logprobs: [] }));
    const content = [{ type: "output_text" as const, text: "x".repeat(40), annotations: [], logprobs }];
    const output: Item[] = [
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "y".repeat(20) }] },
      { type: "message", id: "msg_1", status: "incomplete", role: "assistant", content },
      { type: "function_call", id: "fc_1", call_id: "call_1", status: "incomplete", name: "look", arguments: '{"at":"home"}' },
    ];
    expect(estimateUsage({}, output)).toMatchObject({ output_tokens: 20, output_tokens_details: { reasoning_tokens: 5 } });
  });

  test("an estimate does not take pictures and files for text", () => {
    const image_url = `data:image/png;base64,${"A".repeat(400_000)}`;
    const content = [{ type: "input_image" as const, image_url }];
    expect(estimateUsage({ input: [{ role: "user", content }] }, []).input_tokens).toBeLessThan(100);
  });

  test("cost bills cached and cache-writing tokens at their own price, each once", () => {
    const usage: Usage = {
      input_tokens: 1_000_000,
      output_tokens: 500_000,
      total_tokens: 1_500_000,
      input_tokens_details: { cached_tokens: 400_000, cache_write_tokens: 100_000 },
      output_tokens_details: { reasoning_tokens: 200_000 },
    };
    expect(cost(usage, { input: 2, output: 8, cached: 0.5, cacheWrite: 2.5 })).toBeCloseTo(
      0.5 * 2 + 0.4 * 0.5 + 0.1 * 2.5 + 0.5 * 8,
    );
    expect(cost(usage, { input: 2, output: 8 })).toBeCloseTo(2 + 4);
  });
});
