import { describe, expect, test } from "vitest";
import { calculate } from "../src/calculate.ts";

test.each([
  ["1 + 2 * 3", 7],
  ["(1 + 2) * 3", 9],
  ["2 ^ 3 ^ 2", 512],
  ["-2 ^ 2", -4],
  ["2 ^ -1", 0.5],
  ["7 - 4 - 2", 1],
  ["100 / 10 / 2", 5],
  ["7 % 4", 3],
  ["1.5e3 + .5", 1500.5],
  [" - ( - 3 ) ", 3],
])("%s is %d", (expression, value) => {
  expect(calculate(expression)).toBe(value);
});

describe("what is not arithmetic is refused", () => {
  test.each([[""], ["1 +"], ["(1"], ["1)"], ["1 2"], ["process.exit()"], ["1; 2"], ["constructor"], ["(".repeat(5000)]])(
    "%s",
    (expression) => {
      expect(() => calculate(expression)).toThrow(/is not arithmetic|ends too early|not closed|does not belong|too deeply/);
    },
  );
});
