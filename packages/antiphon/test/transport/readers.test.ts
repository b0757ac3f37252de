import fc from "fast-check";
import { expect, test } from "vitest";
import { chatCodec } from "../../src/codecs/chat/index.ts";
import { responsesCodec } from "../../src/codecs/responses/index.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { EventReader } from "../../src/transport/readers.ts";
import { answer, frame, frames } from "../faults/support.ts";
import { testCtx } from "../support/ctx.ts";
import { runs } from "../support/runs.ts";

/** All that comes out of a body, whatever pieces it comes in. */
function read(bytes: Uint8Array, cuts: readonly number[]): { events: unknown[]; code: string | undefined } {
  const reader = new EventReader(responsesCodec(), testCtx(), { maxEventBytes: 2_000, eager: cuts.length % 2 === 1 });
  const events: unknown[] = [];
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  for (let index = 0, from = 0; index < ends.length && !reader.error; from = ends[index]!, index += 1) {
    events.push(...reader.push(bytes.subarray(from, ends[index])));
    // Whoever does not ask for the rest gets it later.
    if (index % 2 === 0 && reader.hasMore) events.push(...reader.more());
  }
  if (!reader.error) events.push(...reader.end());
  if (reader.error && reader.started) events.push(...reader.fail(new AntiphonError(reader.error.code, reader.error.message)));
  return { events, code: reader.error?.code };
}

const words = fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 10 }), { minLength: 1, maxLength: 40 });
const garbage = fc.constantFrom(
  "",
  ": ping\n\n",
  "data: {oops\n\n",
  "data: [DONE]\n\n",
  `data: ${"x".repeat(3_000)}\n\n`,
  "event: x\n\n",
);

test("any split of any body gives the same events and the same error", () =>
  fc.assert(
    fc.property(words, garbage, fc.nat(), fc.nat(), fc.array(fc.nat(), { maxLength: 8 }), (text, junk, at, end, cuts) => {
      const parts = answer(...text).map(frame);
      const body = new TextEncoder().encode(parts.toSpliced(at % parts.length, 0, junk).join(""));
      const cut = body.subarray(0, end % 3 === 0 ? end % body.length : body.length);
      expect(read(cut, cuts)).toEqual(read(cut, []));
    }),
    { numRuns: runs(300, 20_000) },
  ));

test("the first events come before the others that were sent with them", () => {
  const events = answer(...Array.from({ length: 100 }, (_, index) => `word ${index} `));
  const reader = new EventReader(responsesCodec(), testCtx(), { eager: true });
  const first = reader.push(new TextEncoder().encode(frames(events)));
  expect(first.length).toBeGreaterThan(5);
  expect(first.length).toBeLessThan(50);
  expect([reader.hasMore, reader.started]).toEqual([true, true]);
  expect([...first, ...reader.more()]).toEqual(events);
  expect([reader.hasMore, reader.error, reader.more(), reader.end()]).toEqual([false, undefined, [], []]);
});

test("nothing comes out after the terminal event", () => {
  const body = new TextEncoder().encode(frames([...answer("Hi"), ...answer("again")]));
  expect(read(body, []).events).toEqual(answer("Hi"));
});

test("a stream ends with its end mark, also where the connection stays open", () => {
  const chunk = (fields: object, finish_reason: string | null): string =>
    frame({ id: "c", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta: fields, finish_reason }] });
  const reader = new EventReader(chatCodec(), testCtx(), {});
  const body = `${chunk({ content: "Hi" }, null)}${chunk({}, "stop")}data: [DONE]\n\n`;
  const events = reader.push(new TextEncoder().encode(body));
  expect(events.at(-1)?.type).toBe("response.completed");
  expect(reader.end()).toEqual([]);
});

test.each(["data: [DONE]\n\n", "data: [DONE] \n\n", "data:[DONE]\r\n\r\n", "data: [DONE]"])(
  "an end mark after the usage completes a Chat stream without a finish reason: %j",
  (mark) => {
    const chunk = (fields: object): string =>
      frame({ id: "c", object: "chat.completion.chunk", model: "m", choices: [], ...fields });
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const said = chunk({ choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: null }] });
    const reader = new EventReader(chatCodec(), testCtx(), {});
    const events = reader.push(new TextEncoder().encode(`${said}${chunk({ usage })}${mark}`));
    events.push(...reader.end());
    expect(reader.error).toBeUndefined();
    expect(events.at(-1)?.type).toBe("response.completed");
  },
);
