import type { Item, ResponseEvent } from "antiphon";
import { expect, test } from "vitest";
import { mayColour, TextView } from "../src/view.ts";

/** What a view writes, in order, each piece marked with the stream that it went to. */
function written(events: ResponseEvent[], hasColour = false): string[] {
  const pieces: string[] = [];
  const to = (name: string) => ({ write: (text: string) => pieces.push(`${name}: ${text}`) });
  const view = new TextView({ out: to("out"), err: to("err"), hasColour });
  for (const event of events) view.show(event);
  view.end();
  return pieces;
}

const part = { item_id: "x", output_index: 0, content_index: 0, sequence_number: 0 };
const said = (delta: string): ResponseEvent => ({ type: "response.output_text.delta", ...part, delta });
const thought = (delta: string): ResponseEvent => ({ type: "response.reasoning.delta", ...part, delta });
const done = (item: Item): ResponseEvent => ({ type: "response.output_item.done", sequence_number: 0, output_index: 0, item });

test("ends the line of thinking before the answer, and that of the answer at the end", () => {
  expect(written([thought("Hm"), said("Hel"), said("lo")])).toEqual(["err: Hm", "err: \n", "out: Hel", "out: lo", "out: \n"]);
});

test("adds no line end to an answer that has one", () => {
  expect(written([said("Hello\n")])).toEqual(["out: Hello\n"]);
});

test("dims thinking and notes where colour is allowed, and never the answer", () => {
  const call: Item = { type: "function_call", id: "x", call_id: "c", name: "clock", arguments: "{}", status: "completed" };
  expect(written([thought("Hm"), done(call), said("Hello\n")], true)).toEqual([
    "err: \u001B[2mHm\u001B[22m",
    "err: \n",
    "err: \u001B[2m→ clock {}\u001B[22m\n",
    "out: Hello\n",
  ]);
});

test("prints a retry as a sentence", () => {
  const error = { code: "SERVER_OVERLOADED", message: "Busy." };
  const retry: ResponseEvent = { type: "antiphon:retry", sequence_number: 0, attempt: 1, delay: 1_700, error };
  expect(written([retry])).toEqual(["err: ! Retrying in 2 s: Busy.\n"]);
});

test("cuts long notes, and puts them on one line", () => {
  const output = `a\n${"b".repeat(1000)}`;
  const result: Item = { type: "function_call_output", id: "o", call_id: "c", output, status: "completed" };
  const call: Item = { type: "function_call", id: "x", call_id: "c", name: "t", arguments: "{}", status: "completed" };
  const note = written([done(call), done(result)]).at(-1) ?? "";
  expect(note).toMatch(/^err: ← t a b+…\n$/);
  expect(note.length).toBeLessThan(400);
});

test("takes orders to a terminal out of what is shown on one, and of notes always", () => {
  const pieces: string[] = [];
  const out = { isTTY: true, write: (text: string) => pieces.push(text) };
  const view = new TextView({ out, err: out, hasColour: false });
  view.show(said("a\u001B]52;c;eA==\u0007b\n"));
  view.note("c\u001B[2Jd");
  expect(pieces).toEqual(["a]52;c;eA==b\n", "c[2Jd\n"]);
  expect(written([said("a\u001B[1mb\n")])).toEqual(["out: a\u001B[1mb\n"]);
});

test("colour needs a terminal that can show it and a person who wants it", () => {
  expect(mayColour({ isTTY: true }, {})).toBe(true);
  expect(mayColour({}, {})).toBe(false);
  expect(mayColour({ isTTY: true }, { NO_COLOR: "1" })).toBe(false);
  expect(mayColour({ isTTY: true }, { TERM: "dumb" })).toBe(false);
});
