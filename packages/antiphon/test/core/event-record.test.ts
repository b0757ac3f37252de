import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EventRecord } from "../../src/core/event-record.ts";
import { reduce } from "../../src/core/reduce.ts";
import { Writer } from "../../src/core/writer.ts";
import type { ResponseEvent } from "../../src/model/index.ts";
import { programs, type Step } from "../support/arbitraries.ts";
import { testCtx } from "../support/ctx.ts";
import { runs } from "../support/runs.ts";

function eventsOf(program: readonly Step[]): ResponseEvent[] {
  const writer = new Writer(testCtx());
  for (const step of program) step(writer);
  writer.finish({ status: "completed" });
  return writer.drain();
}

function recordOf(events: readonly ResponseEvent[], size = events.length): EventRecord {
  const record = new EventRecord();
  for (let at = 0; at < events.length; at += size) record.add(events.slice(at, at + size));
  return record;
}

function readFrom(record: EventRecord, place = 0): ResponseEvent[] {
  const events: ResponseEvent[] = [];
  for (let next = record.from(place); next.length > 0; next = record.from(place + events.length)) events.push(...next);
  return events;
}

const piece = (sequence_number: number, fields: object = {}): ResponseEvent => ({
  type: "response.output_text.delta",
  sequence_number,
  item_id: "msg_1",
  output_index: 0,
  content_index: 0,
  delta: `${sequence_number} `,
  logprobs: [],
  ...fields,
});

describe("a record of events", () => {
  test("gives back every event, from any place, however they came, and folds to the same response", () => {
    fc.assert(
      fc.property(programs, fc.integer({ min: 1, max: 9 }), fc.nat(), (program, size, seed) => {
        const events = eventsOf(program);
        const record = recordOf(events, size);
        const place = seed % events.length;
        expect(readFrom(record, place)).toEqual(events.slice(place));
        expect(record.fold().items).toEqual(reduce(events).output);
        expect(record.nextNumber).toBe(events.at(-1)!.sequence_number + 1);
      }),
      { numRuns: runs(100, 20_000) },
    );
  });

  test("makes the pieces of a long text anew, in lists of a bounded length", () => {
    const events = Array.from({ length: 2_000 }, (_, at) => piece(at));
    const record = recordOf(events, 30);
    expect(readFrom(record)).toEqual(events);
    expect(record.from(0).length).toBeLessThan(1_000);
    expect(record.from(0)[0]).not.toBe(events[0]);
    expect([...record.outline()]).toEqual([]);
  });

  test("keeps whatever a piece says beside its text, but no padding", () => {
    const odd = [
      [piece(0), piece(1, { logprobs: [{ token: "1", logprob: -1, bytes: [], top_logprobs: [] }] }), piece(2)],
      [piece(0), piece(1, { vendor: "x" }), piece(2, { vendor: "y" })],
      [piece(0), piece(1, { content_index: 1 }), piece(2, { output_index: 1 }), piece(3, { item_id: "msg_2" })],
      [piece(0), piece(5), piece(3)],
      [piece(0), { type: "antiphon:retry", sequence_number: 0 } as ResponseEvent, piece(1)],
    ];
    for (const events of odd) expect(readFrom(recordOf(events))).toEqual(events);
    expect(readFrom(recordOf([piece(0, { obfuscation: "abc" }), piece(1, { obfuscation: "d" })]))).toEqual([piece(0), piece(1)]);
  });

  test("has nothing at its end until more comes", () => {
    const record = recordOf([piece(0)]);
    expect(record.from(1)).toEqual([]);
    record.add([piece(1)]);
    expect(record.from(1)).toEqual([piece(1)]);
    expect(record.length).toBe(2);
  });
});
