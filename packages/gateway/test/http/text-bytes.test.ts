import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOf } from "../../src/http/text-bytes.ts";

test("a text is the bytes that it always is, and nobody else's", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" })), fc.array(fc.string({ unit: "binary" })), (one, other) => {
      const [first, second] = [one.join("data: "), other.join("data: ")];
      const bytes = bytesOf(first);
      expect([...bytesOf(second)]).toEqual([...Buffer.from(second)]);
      expect([...bytes]).toEqual([...Buffer.from(first)]);
    }),
  );
});

test.each([1, 87_381, 87_382, 1_000_000])("so is one of %d wide characters", (count) => {
  expect(Buffer.from("€".repeat(count)).equals(bytesOf("€".repeat(count)))).toBe(true);
  expect(bytesOf("\ud800x")).toEqual(Buffer.from("\ud800x"));
});
