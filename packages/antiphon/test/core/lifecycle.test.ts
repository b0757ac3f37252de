import { describe, expect, test } from "vitest";
import { blankResponse } from "../../src/core/blank-response.ts";
import { expand } from "../../src/core/expand.ts";
import { checkLifecycle } from "../../src/core/lifecycle.ts";
import type { ResponseEvent } from "../../src/model/index.ts";

/** A lawful stream of every kind of item, to be broken in one place. */
const lawful = (): ResponseEvent[] =>
  structuredClone(
    expand({
      ...blankResponse("resp_1", 0, {}),
      status: "completed",
      output: [
        { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm." }] },
        {
          type: "message",
          id: "msg_1",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "Hi", annotations: [], logprobs: [] }],
        },
        { type: "function_call", id: "fc_1", call_id: "call_1", name: "clock", arguments: "{}", status: "completed" },
      ],
    }),
  );

const at = (events: ResponseEvent[], type: string): number => events.findIndex((event) => event.type === type);
const renumbered = (events: ResponseEvent[]): ResponseEvent[] =>
  events.map((event, index) => ({ ...event, sequence_number: index }));
const without = (type: string) => (events: ResponseEvent[]) => renumbered(events.toSpliced(at(events, type), 1));
const changed = (type: string, fields: object) => (events: ResponseEvent[]) =>
  events.map((event) => (event.type === type ? { ...event, ...fields } : event));
const twice = (type: string) => (events: ResponseEvent[]) =>
  renumbered(events.toSpliced(at(events, type), 0, events[at(events, type)]!));

describe("lifecycle", () => {
  test("accepts a lawful stream, and ignores what is out of band", () => {
    const events = lawful();
    expect(checkLifecycle(events)).toBeUndefined();
    expect(checkLifecycle([{ type: "antiphon:retry", sequence_number: 0 }, ...events])).toBeUndefined();
  });

  const breaches: [string, string, (events: ResponseEvent[]) => ResponseEvent[]][] = [
    ["created-first", "the first event is missing", without("response.created")],
    [
      "sequence-number",
      "a number is skipped",
      (events) => events.map((event, index) => ({ ...event, sequence_number: index < 5 ? index : index + 1 })),
    ],
    ["terminal-event", "the end is missing", without("response.completed")],
    ["terminal-last", "something follows the end", (events) => renumbered([...events, events[1]!])],
    [
      "response-id",
      "the response changes its id",
      changed("response.completed", { response: { ...blankResponse("resp_2", 0, {}), output: [{}, {}, {}] } }),
    ],
    ["item-closed", "an item stays open", without("response.output_item.done")],
    [
      "item-open",
      "an item was never added",
      (events) => renumbered(events.filter((event) => event.type !== "response.output_item.added")),
    ],
    ["output-index", "an item is added twice", twice("response.output_item.added")],
    ["item-open", "an item is done twice", twice("response.output_item.done")],
    ["item-id", "an event calls its item by another id", changed("response.output_text.delta", { item_id: "msg_9" })],
    ["part-open", "a part was never added", without("response.content_part.added")],
    ["part-said", "a part is closed before its text was said", without("response.output_text.done")],
    ["part-closed", "a part stays open", without("response.content_part.done")],
    ["part-index", "a part is added twice", twice("response.content_part.added")],
    ["deltas-make-whole", "a delta is missing", without("response.output_text.delta")],
    ["deltas-make-whole", "arguments are missing", without("response.function_call_arguments.delta")],
    ["part-said", "arguments were never said whole", without("response.function_call_arguments.done")],
    ["part-closed", "a summary stays open", without("response.reasoning_summary_part.done")],
    [
      "incomplete-item",
      "a completed response holds a broken item",
      (events) =>
        events.map((event) =>
          event.type === "response.output_item.done" ? { ...event, item: { ...event.item, status: "incomplete" } } : event,
        ),
    ],
    ["terminal-output", "the end forgets an item", changed("response.completed", { response: blankResponse("resp_1", 0, {}) })],
  ];
  test.each(breaches)("names %s where %s", (rule, _, breach) => {
    expect(checkLifecycle(breach(lawful()))?.rule).toBe(rule);
  });
});
