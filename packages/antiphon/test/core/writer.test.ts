import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AntiphonError } from "../../src/core/error.ts";
import { Writer } from "../../src/core/writer.ts";
import { foldLaw, lifecycleLaw } from "../../src/testing/laws.ts";
import type { ResponseEvent } from "../../src/model/index.ts";
import { programs } from "../support/arbitraries.ts";
import { testCtx } from "../support/ctx.ts";
import { runs } from "../support/runs.ts";

const types = (events: ResponseEvent[]): string[] => events.map((event) => event.type.replace("response.", ""));

describe("writer", () => {
  test("turns verbs into a lawful sequence", () => {
    const writer = new Writer(testCtx());
    writer.text("Hel");
    writer.text("lo");
    writer.finish({ status: "completed" });
    expect(types(writer.drain())).toEqual([
      "created",
      "in_progress",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "completed",
    ]);
  });

  test("keeps parallel calls apart by their key", () => {
    const writer = new Writer(testCtx());
    writer.call("0", { call_id: "call_a", name: "weather" });
    writer.call("1", { call_id: "call_b", name: "clock" });
    writer.args("1", '{"zone":');
    writer.args("0", '{"city":"Oslo"}');
    writer.args("1", '"CET"}');
    writer.finish({ status: "completed" });
    const last = writer.drain().at(-1);
    expect(last).toMatchObject({
      response: {
        output: [
          { call_id: "call_a", arguments: '{"city":"Oslo"}', status: "completed" },
          { call_id: "call_b", arguments: '{"zone":"CET"}', status: "completed" },
        ],
      },
    });
  });

  test("ends thinking when the answer begins, and shows its blob in the done event", () => {
    const writer = new Writer(testCtx());
    writer.reasoning("Hm.");
    writer.set("reasoning", { encrypted_content: "blob" });
    writer.text("Yes.");
    writer.finish({ status: "completed" });
    const events = writer.drain();
    const done = events.find((event) => event.type === "response.output_item.done");
    expect(done).toMatchObject({ item: { type: "reasoning", encrypted_content: "blob", content: [{ text: "Hm." }] } });
    expect(lifecycleLaw(events)).toBeUndefined();
  });

  test("keeps what had come when it fails", () => {
    const writer = new Writer(testCtx());
    writer.text("Half an ans");
    writer.fail(new AntiphonError("SERVER_ERROR", "It broke."));
    writer.text("never");
    const events = writer.drain();
    expect(events.at(-1)).toMatchObject({
      type: "response.failed",
      response: {
        error: { code: "server_error" },
        output: [{ status: "incomplete", content: [{ text: "Half an ans" }] }],
        usage: { estimated: true },
      },
    });
  });

  test("never yields an object that it changes later", () => {
    fc.assert(
      fc.property(programs, (program) => {
        const writer = new Writer(testCtx());
        const seen: { event: ResponseEvent; text: string }[] = [];
        for (const step of program) {
          step(writer);
          for (const event of writer.drain()) seen.push({ event, text: JSON.stringify(event) });
        }
        writer.finish({ status: "completed" });
        for (const { event, text } of seen) expect(JSON.stringify(event)).toBe(text);
      }),
      { numRuns: runs(100, 10_000) },
    );
  });

  for (const [name, finish] of [
    ["finished", (writer: Writer) => writer.finish({ status: "completed" })],
    ["cut short", (writer: Writer) => writer.finish({ status: "incomplete", reason: "max_output_tokens" })],
    ["failed", (writer: Writer) => writer.fail(new AntiphonError("SERVER_ERROR", "It broke."))],
    ["stopped", (writer: Writer) => writer.fail(new AntiphonError("ABORTED", "Enough."))],
  ] as const)
    test(`obeys fold and lifecycle whatever the verbs, when ${name}`, () => {
      fc.assert(
        fc.property(programs, (program) => {
          const writer = new Writer(testCtx());
          for (const step of program) step(writer);
          finish(writer);
          const events = writer.drain();
          expect(lifecycleLaw(events)).toBeUndefined();
          expect(foldLaw(events)).toBeUndefined();
        }),
        { numRuns: runs(200, 20_000) },
      );
    });
});
