import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PartialJson } from "../../src/core/partial-json.ts";

const read = (...pieces: string[]): PartialJson => {
  const json = new PartialJson();
  pieces.forEach((piece) => json.push(piece));
  return json;
};

/** What a beginning of a value may look like: missing tails, shorter strings, and nothing that is not in the whole. */
function isBeginningOf(part: unknown, whole: unknown): boolean {
  if (part === undefined) return true;
  if (typeof part === "string") return typeof whole === "string" && whole.startsWith(part);
  if (typeof part !== "object" || part === null) return Object.is(part, whole);
  if (typeof whole !== "object" || whole === null || Array.isArray(part) !== Array.isArray(whole)) return false;
  const all = new Map(Object.entries(whole));
  return Object.entries(part).every(([key, value]) => all.has(key) && isBeginningOf(value, all.get(key)));
}

describe("JSON as it is being written", () => {
  test.each([
    ['{"city": "Os', { city: "Os" }],
    ['{"city": "Oslo", "ce', { city: "Oslo" }],
    ['{"celsius": -1', {}],
    ['{"celsius": -12.5e3,', { celsius: -12500 }],
    ['{"list": [1, 2', { list: [1] }],
    ['{"list": [{"a": true}, {', { list: [{ a: true }, {}] }],
    ['["a\\n\\u00', ["a\n"]],
    [' "fr\\u00e9', "fré"],
    ['{"a": nul', {}],
  ])("shows what is known of %j", (text, expected) => {
    const json = read(text);
    expect(json.value).toEqual(expected);
    expect(json.state).toBe("partial");
  });

  test.each([
    "{]",
    '{"a" 1}',
    "[1,]",
    '{"a":1,}',
    "tru ",
    "01,",
    '"\\x"',
    '"a\nb"',
    "1 2",
    "{} {}",
    "[1}",
    '"\\u00zz"',
    "hello ",
  ])("says that %j is not JSON", (text) => {
    const json = read(text);
    json.end();
    expect(json.state).toBe("broken");
  });

  test("knows a number at the root to be whole only at the end", () => {
    const json = read("4", "2");
    expect(json.value).toBeUndefined();
    json.end();
    expect([json.value, json.state]).toEqual([42, "complete"]);
  });

  test("says that a text that stops short is broken once it has ended", () => {
    const json = read('{"a": "b');
    json.end();
    expect([json.value, json.state]).toEqual([{ a: "b" }, "broken"]);
  });

  test("is not fooled into setting a prototype", () => {
    const { value } = read('{"__proto__": {"admin": true}}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value).toEqual(JSON.parse('{"__proto__": {"admin": true}}'));
  });

  test("gives up on a nesting that nobody could write out again", () => {
    expect(read("[".repeat(100_000)).state).toBe("broken");
  });

  test("however the text is cut, the end is what JSON.parse gives and every moment is a beginning of it", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(fc.nat(20)), fc.constantFrom(0, 2), (value, cuts, indent) => {
        const text = JSON.stringify(value, null, indent);
        const whole: unknown = JSON.parse(text);
        const json = new PartialJson();
        let at = 0;
        for (const cut of [...cuts, text.length]) {
          json.push(text.slice(at, at + cut));
          at = Math.min(text.length, at + cut);
          expect(isBeginningOf(json.value, whole)).toBe(true);
        }
        json.end();
        expect(json.state).toBe("complete");
        expect(json.value).toEqual(whole);
      }),
    );
  });

  test("takes and refuses what JSON.parse takes and refuses", () => {
    const fragment = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      "a",
      "\\",
      "u00e9",
      "1",
      "-",
      ".5",
      "e3",
      "true",
      "null",
      " ",
    );
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 12 }), (fragments) => {
        const text = fragments.join("");
        const json = read(...fragments);
        json.end();
        let parsed: { value: unknown } | undefined;
        try {
          parsed = { value: JSON.parse(text) };
        } catch {
          parsed = undefined;
        }
        expect(json.state).toBe(parsed ? "complete" : "broken");
        if (parsed) expect(json.value).toEqual(parsed.value);
      }),
      { numRuns: 2_000 },
    );
  });
});
