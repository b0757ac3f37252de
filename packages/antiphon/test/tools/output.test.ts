import { expect, test } from "vitest";
import { toolOutput } from "../../src/tools/output.ts";

const image = { type: "input_image", image_url: "data:image/png;base64,AAAA" };
const file = { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" };
const text = { type: "input_text", text: "See below." };

test.each<[string, unknown, unknown]>([
  ["text", "21 °C", "21 °C"],
  ["nothing", undefined, ""],
  ["null", null, "null"],
  ["a number", 5, "5"],
  ["an object", { celsius: 4 }, '{"celsius":4}'],
  ["a list", [1, "a"], '[1,"a"]'],
  ["an empty list", [], "[]"],
  ["one content part", image, [image]],
  ["content parts", [text, image, file], [text, image, file]],
  [
    "sound and video",
    [
      { type: "input_audio", input_audio: { data: "AA", format: "wav" } },
      { type: "input_video", video_url: "https://a.example/v" },
    ],
    [
      { type: "input_audio", input_audio: { data: "AA", format: "wav" } },
      { type: "input_video", video_url: "https://a.example/v" },
    ],
  ],
  ["parts among other things", [image, 5], JSON.stringify([image, 5])],
  ["JSON that only looks like a part", { type: "input_text", words: 3 }, '{"type":"input_text","words":3}'],
  ["a type that objects inherit", { type: "constructor" }, '{"type":"constructor"}'],
  ["large integers", { id: 12345678901234567890n }, '{"id":"12345678901234567890"}'],
  ["dates, maps and sets", [new Date(0), new Map([["a", 1]]), new Set([1])], '["1970-01-01T00:00:00.000Z",{"a":1},[1]]'],
  ["an error", new Error("no such city"), '{"error":"no such city"}'],
  ["bytes", { data: new Uint8Array(9) }, '{"data":"(9 bytes)"}'],
  ["a function", () => 1, ""],
])("%s", (_, value, expected) => {
  expect(toolOutput(value)).toEqual(expected);
});

test("what cannot be JSON is told, not thrown", () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  expect(toolOutput(circle)).toMatch(/^The tool ran, but its result cannot be converted to JSON: .*circular/i);
  const toJSON = (): never => {
    throw new Error("no");
  };
  expect(toolOutput({ toJSON })).toBe("The tool ran, but its result cannot be converted to JSON: no");
});

test("endless text is cut off, and says so", () => {
  const output = toolOutput("x".repeat(1_000_001));
  expect(output).toHaveLength(1_000_000 + "\n(truncated: the result has 1000001 characters)".length);
  expect(output).toMatch(/\(truncated: the result has 1000001 characters\)$/);
});
