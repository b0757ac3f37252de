import type { ResponseEvent } from "antiphon";
import { describe, expect, test } from "vitest";
import { glyphsFor } from "../../src/chat/text/glyphs.ts";
import { lineWidth, paint, type Line } from "../../src/chat/text/line.ts";
import { callLine } from "../../src/chat/turn/call-line.ts";
import { teller } from "../../src/chat/turn/tell.ts";
import { TurnView } from "../../src/chat/turn/turn-view.ts";

const look = { width: 60, glyphs: glyphsFor({}), spinner: "*" };
const textOf = (lines: readonly Line[]): string[] => lines.map((line) => paint(line, false));

/** An event with whatever its kind has; the library has tests of its own for what servers send. */
const event = (type: string, fields: object = {}): ResponseEvent => ({ type, sequence_number: 0, ...fields }) as ResponseEvent;

function turn(now: () => number = () => 0) {
  const view = new TurnView(now);
  const told = new Set<string>();
  const tell = teller(view, told);
  return {
    view,
    tell: (...events: ResponseEvent[]) => events.forEach((one) => tell(one)),
    lines: () => {
      const { settled, live } = view.lines(look);
      return { settled: textOf(settled), live: textOf(live) };
    },
  };
}

const itemOf = { item_id: "ws_1", output_index: 0 };

describe("what an answer looks like while it comes", () => {
  test("thoughts are seen, and folded when the answer begins", () => {
    let clock = 0;
    const { tell, lines, view } = turn(() => clock);
    tell(event("response.reasoning_summary_text.delta", { delta: "Let me see" }));
    expect(lines()).toEqual({ settled: [], live: ["│ Let me see"] });
    tell(event("response.reasoning_summary_part.added", { summary_index: 1 }));
    tell(event("response.reasoning_summary_text.delta", { delta: "more" }));
    expect(lines().live).toEqual(["│ Let me see", "│ ", "│ more"]);
    clock = 3_000;
    tell(event("response.output_text.delta", { delta: "Hello" }));
    expect(lines()).toEqual({ settled: ["thought for 3.0 s"], live: ["", "Hello"] });
    tell(event("response.output_item.done", { item: { type: "message" } }));
    expect(lines()).toEqual({ settled: ["", "Hello"], live: [] });
    view.end();
    expect(lines()).toEqual({ settled: [], live: [] });
  });

  test("only the newest lines of long thoughts are seen", () => {
    const { tell, lines } = turn();
    tell(event("response.reasoning.delta", { delta: Array.from({ length: 20 }, (_, row) => `line ${row}`).join("\n") }));
    expect(lines().live).toEqual([15, 16, 17, 18, 19].map((row) => `│ line ${row}`));
  });

  test("calls side by side keep their order, and are final when those before them are", () => {
    const { tell, lines } = turn();
    const call = (id: string) => ({ type: "function_call", call_id: id, name: "weather", arguments: `{"city":"${id}"}` });
    for (const id of ["a", "b"]) tell(event("response.output_item.added", { item: { ...call(id), arguments: "" } }));
    for (const id of ["a", "b"]) tell(event("response.output_item.done", { item: call(id) }));
    expect(lines()).toEqual({ settled: [], live: ['* weather {"city":"a"}', '* weather {"city":"b"}'] });
    const done = (id: string) => [
      event("antiphon:tool_done", { call_id: id, name: "weather", status: "ok", milliseconds: 2_000 }),
      event("response.output_item.done", { item: { type: "function_call_output", call_id: id, output: "Sunny" } }),
    ];
    tell(...done("b"));
    expect(lines()).toEqual({ settled: [], live: ['* weather {"city":"a"}', '✓ weather {"city":"b"} → Sunny · 2.0 s'] });
    tell(...done("a"));
    expect(lines().settled).toEqual(['✓ weather {"city":"a"} → Sunny · 2.0 s', '✓ weather {"city":"b"} → Sunny · 2.0 s']);
  });

  test("a tool tells how far it is, and why it failed", () => {
    const { tell, lines } = turn();
    const of = { call_id: "c", name: "count" };
    tell(event("antiphon:tool_started", of), event("antiphon:tool_progress", { ...of, data: { at: 3 } }));
    expect(lines().live).toEqual(['* count → {"at":3}']);
    tell(event("antiphon:tool_done", { ...of, status: "error", milliseconds: 1 }));
    tell(event("response.output_item.done", { item: { type: "function_call_output", call_id: "c", output: "Error: no" } }));
    expect(lines().settled).toEqual(["✗ count → Error: no"]);
  });

  test("a call that waits for somebody is not told as stopped", () => {
    const { tell, lines, view } = turn();
    tell(event("response.output_item.added", { item: { type: "function_call", call_id: "c", name: "rm", arguments: "{}" } }));
    tell(event("antiphon:paused", { pending: [{ call_id: "c" }] }));
    view.end();
    expect(lines()).toEqual({ settled: [], live: [] });
  });

  test("tools at the provider are told step by step", () => {
    const { tell, lines } = turn();
    tell(event("response.web_search_call.in_progress", itemOf), event("response.web_search_call.searching", itemOf));
    expect(lines().live).toEqual(["* web_search"]);
    tell(event("response.web_search_call.completed", itemOf));
    const item = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "fjords" } };
    tell(event("response.output_item.done", { output_index: 0, item }));
    expect(lines().live).toEqual(["✓ web_search fjords"]);
    tell(event("response.output_text.delta", { delta: "So" }));
    expect(lines().settled).toEqual(["✓ web_search fjords"]);
  });

  test("code, files and remote tools say what they did", () => {
    const { tell, lines, view } = turn();
    const done = (item: object) => tell(event("response.output_item.done", { output_index: 0, item }));
    done({
      type: "code_interpreter_call",
      id: "ci",
      status: "completed",
      code: "print(1)\nprint(2)",
      outputs: null,
      container_id: "c",
    });
    done({ type: "file_search_call", id: "fs", status: "completed", queries: ["a", "b"], results: [{}, {}] });
    done({
      type: "mcp_call",
      id: "m",
      status: "completed",
      name: "roll",
      server_label: "dice",
      arguments: "{}",
      output: "4",
      error: null,
    });
    done({
      type: "mcp_call",
      id: "n",
      status: "failed",
      name: "roll",
      server_label: "dice",
      arguments: "{}",
      output: null,
      error: "broke",
    });
    view.end();
    expect(lines().settled).toEqual([
      "✓ code_interpreter print(1) print(2)",
      "✓ file_search a; b → 2 results",
      "✓ mcp roll {} → 4",
      "✗ mcp roll {} → broke",
    ]);
  });

  test("what happens beside the answer is said once", () => {
    const { tell, lines } = turn();
    const loss = event("antiphon:loss", { losses: [{ path: "temperature", reason: "Not taken." }] });
    tell(loss, loss, event("antiphon:retry", { attempt: 1, delay: 5, error: { code: "X", message: "Busy." } }));
    expect(lines().settled).toEqual(["! Not sent: temperature (Not taken.)", "! Retrying in 0.1 s: Busy."]);
  });

  test("sending a conversation again is only noted if something was lost", () => {
    const { tell, lines } = turn();
    tell(event("antiphon:recovered", { recovery: "chain-lost", action: "The whole conversation was sent again." }));
    expect(lines().settled).toEqual([]);
    tell(event("antiphon:recovered", { recovery: "items-refused", action: "Only messages were sent again." }));
    expect(lines().settled).toEqual(["! Only messages were sent again."]);
  });

  test("a refusal is told", () => {
    const { tell, lines } = turn();
    tell(event("response.refusal.done", { refusal: "No." }));
    expect(lines().settled).toEqual(["! refused: No."]);
  });

  test("nothing that a model or a tool says can give the terminal orders", () => {
    const { tell, lines, view } = turn();
    const evil = "\u001B[2J\u001B]52;c;x\u0007\u009B1m";
    tell(
      event("response.output_text.delta", { delta: evil }),
      event("response.reasoning.delta", { delta: evil }),
      event("response.refusal.done", { refusal: evil }),
      event("antiphon:tool_progress", { call_id: evil, name: evil, data: evil }),
      event("response.output_item.done", {
        output_index: 0,
        item: { type: "mcp_call", id: evil, name: evil, status: evil, arguments: evil, output: evil },
      }),
      event("antiphon:retry", { attempt: evil, error: { message: evil } }),
    );
    const before = lines();
    view.end();
    const after = lines();
    expect([...before.settled, ...before.live, ...after.settled, ...after.live].join("\n")).not.toMatch(/[^\P{Cc}\n]/u);
  });
});

test.each([60, 30, 20, 8])("a call's line fits %i columns, and what came of it is told before what was asked", (width) => {
  const news = {
    id: "c",
    name: "weather",
    about: '{"city":"Llanfairpwllgwyngyll"}',
    state: "done" as const,
    result: "It is sunny.",
  };
  const line = callLine(news, true, { ...look, width });
  expect(lineWidth(line)).toBeLessThanOrEqual(width);
  if (width >= 20) expect(paint(line, false)).toContain("→ It is");
});
