import { expect, test } from "vitest";
import { nearest } from "../../src/providers/nearest.ts";

test.each([
  ["inptu", "input"],
  ["ipntu", undefined],
  ["temprature", "temperature"],
  ["mesages", "messages"],
  ["messsage", "messages"],
  ["banana", undefined],
])("the nearest name to %s is %s", (word, expected) => {
  expect(nearest(word, ["input", "temperature", "messages", "tools"])).toBe(expected);
});
