import { describe, expect, test } from "vitest";
import { SameResponse } from "../../../src/codecs/responses/same-response.ts";

const response = { id: "resp_1", status: "in_progress", metadata: { type: "response.created", sequence_number: 7 } };

/** An event with its number before the response, or behind it. */
const orders: Record<string, (type: string, sequence_number: number, told?: object) => string> = {
  before: (type, sequence_number, told = response) => JSON.stringify({ type, sequence_number, response: told }),
  behind: (type, sequence_number, told = response) => JSON.stringify({ type, response: told, sequence_number }),
};

describe.each(Object.entries(orders))("events with their number %s the response", (_, textOf) => {
  test("that tell the same response share it", () => {
    const same = new SameResponse();
    const [first, second] = [textOf("response.created", 0), textOf("response.in_progress", 1)].map((text) => same.parse(text));
    expect(first).toEqual({ type: "response.created", sequence_number: 0, response });
    expect(second).toEqual({ type: "response.in_progress", sequence_number: 1, response });
    expect((second as { response: object }).response).toBe((first as { response: object }).response);
  });

  test("are what they say where they differ", () => {
    const same = new SameResponse();
    const texts = [
      textOf("response.created", 0),
      textOf("response.in_progress", 1, { ...response, id: "resp_2" }),
      textOf("response.in_progress", 2),
      textOf("response.in_progress", 2, {}),
    ];
    for (const text of texts) expect(same.parse(text)).toEqual(JSON.parse(text));
  });
});

test("what is no event of that kind is parsed as it is", () => {
  const same = new SameResponse();
  const texts = [
    '{"type":"a"}',
    '{"type":"a"}',
    '{"response":{"sequence_number":3}}',
    '{"type":"response.created","response":{"x":1,"sequence_number":3}}',
    '{"type":"response.in_progress","response":{"x":1,"sequence_number":4}}',
    "[1]",
    "null",
    '{"type":"response.created","sequence_number":"1"}',
  ];
  for (const text of texts) expect(same.parse(text)).toEqual(JSON.parse(text));
  expect(() => same.parse('{"type":"response.created","sequence_number":1')).toThrow("not JSON");
});
