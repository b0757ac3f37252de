import fc from "fast-check";
import { expect, test } from "vitest";
import { isAmong } from "../../src/keys/model-patterns.ts";

test.each([
  ["gpt-5", [], true],
  ["gpt-5", ["gpt-5"], true],
  ["gpt-5", ["gpt"], false],
  ["gpt-5", ["GPT-5"], false],
  ["gpt-5", ["gpt-*"], true],
  ["gpt-", ["gpt-*"], true],
  ["my-gpt-5", ["gpt-*"], false],
  ["anthropic:claude", ["*:claude"], true],
  ["anything", ["*"], true],
  ["a-mini-b", ["a*mini*b"], true],
  ["a-mini", ["a*mini*b"], false],
  // Pieces do not share characters.
  ["ab", ["ab*b"], false],
  ["gptx5", ["gpt.5"], false],
  ["", [""], true],
])("%j is among %j: %j", (model, patterns, expected) => {
  expect(isAmong(model, patterns)).toBe(expected);
});

test("agrees with a regular expression about every pattern", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 8 });
  fc.assert(
    fc.property(text, text, (model, pattern) => {
      const expression = new RegExp(`^${pattern.replaceAll("*", ".*")}$`);
      const name = model.replaceAll("*", "c");
      expect(isAmong(name, [pattern])).toBe(expression.test(name));
    }),
    { numRuns: 2_000 },
  );
});

test("is done at once with a pattern of many stars", () => {
  expect(isAmong("a".repeat(100_000), [`${"*a".repeat(1_000)}*b`])).toBe(false);
});
