import { describe, expect, test } from "vitest";
import { findJson } from "../../src/agent/find-json.ts";

describe("JSON in an answer", () => {
  const cases: readonly [text: string, value: unknown][] = [
    ['{"a": 1}', { a: 1 }],
    [" [1, 2]\n", [1, 2]],
    ["42", 42],
    ['```json\n{"a": 1}\n```', { a: 1 }],
    ['First:\n```\n{"a": 1}\n```\nBetter:\n```json\n{"a": 2}\n```\nDone.', { a: 2 }],
    ['```ts\nconst a = 1;\n```\nThat is {"a": 1}.', { a: 1 }],
    ['Sure! {"a": "} \\" {", "b": [1]} as you asked.', { a: '} " {', b: [1] }],
    ['See [the docs]: {"a": {"b": 2}}', { a: { b: 2 } }],
  ];
  test.each(cases)("is found in %j", (text, value) => {
    expect(findJson(text)).toEqual({ value });
  });

  test.each(["", "Hello.", '{"a": 1', "{a: 1}"])("is not found in %j", (text) => {
    expect(findJson(text)).toBeUndefined();
  });

  test("is given up in a text of nothing but brackets", () => {
    expect(findJson("{".repeat(200_000))).toBeUndefined();
  });
});
