import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chatCodec } from "../../src/codecs/chat/index.ts";
import type { Codec } from "../../src/codecs/codec.ts";
import { messagesCodec } from "../../src/codecs/messages/index.ts";
import { responsesCodec } from "../../src/codecs/responses/index.ts";
import type { Repair } from "../../src/core/loss.ts";
import { isWire } from "../../src/model/guards.ts";
import type { CreateResponse } from "../../src/model/index.ts";
import { testCtx } from "../support/ctx.ts";
import { recordings, responsesRecordings, type Recording } from "../support/recordings.ts";
import { maskedAddresses } from "../support/reviewed-recordings.ts";
import { runs } from "../support/runs.ts";
import { sseValues } from "../support/sse-values.ts";
import { bytesOf, endOf, readAll, readerOf, relayOf, textOf, unwired } from "./support/relays.ts";

/** Adds up the repairs of two readers. */
function joined(one: readonly Repair[], other: readonly Repair[]): Repair[] {
  const counts = new Map<string, number>();
  for (const { rule, count } of [...one, ...other]) counts.set(rule, (counts.get(rule) ?? 0) + count);
  return [...counts].map(([rule, count]) => ({ rule, count }));
}

const streams = (list: Recording[]): Recording[] => list.filter(({ stream, status }) => stream && status === 200);
const named = (list: Recording[]): [string, Recording][] => list.map((recording) => [recording.id, recording]);

/** LM Studio tells the arguments of a call without any delta before them. */
const isClean = ({ provider }: Recording): boolean => provider !== "openresponses-lmstudio";

describe("a recorded stream that is relayed", () => {
  test.each(named(streams(responsesRecordings()).filter(isClean)))(
    "tells the same events as one that is read: %s",
    (_, recording) => {
      const body = recording.body();
      const request = recording.request() as CreateResponse | undefined;
      const read = readerOf(responsesCodec(), request);
      const told = readAll(read, body);
      const check = (cuts: number[], end: number): void => {
        const part = body.subarray(0, end);
        const relay = relayOf(responsesCodec(), request);
        const whole = end === body.length ? told : readAll(readerOf(responsesCodec(), request), part);
        const beginning = responsesCodec().createDecoder(testCtx(request));
        expect(unwired(readAll(relay, part, cuts), beginning)).toEqual(whole);
        if (end < body.length) return;
        // A relay that had to read the beginning after all has put it right as well.
        const repairs = [relay.repairs, joined(beginning.repairs, relay.repairs)];
        // A relay does not compare texts with their deltas.
        if (maskedAddresses.includes(recording.id)) expect(repairs).not.toContainEqual(read.repairs);
        else expect(repairs).toContainEqual(read.repairs);
      };
      check([], body.length);
      const splits = fc.array(fc.nat(body.length), { maxLength: 6 });
      fc.assert(
        fc.property(splits, (cuts) => check(cuts, body.length)),
        { numRuns: runs(3, 100) },
      );
      fc.assert(fc.property(splits, fc.nat(body.length), check), { numRuns: runs(3, 100) });
    },
  );
});

/** Some files hold two answers, one behind the other, as no connection does. */
const isOne = (recording: Recording): boolean =>
  new TextDecoder().decode(recording.body()).split("event: message_stop").length < 3;

/** Streams that end differently if they pass unread, each with the reason. */
const otherEnds: Readonly<Record<string, string>> = {
  "anthropic/vercel-ai--spliced-message-start--stream": "A relay does not see that a second message begins.",
};

/** What passes of a body on the wires without numbers: all of it but comments, the end mark and errors that stand alone. */
const passable = (body: Uint8Array): unknown[] =>
  sseValues(body).filter((value) => !("error" in (value as object)) || "choices" in (value as object));

describe("a recorded stream that passes unread", () => {
  const lists: [string, Codec, Recording[]][] = [
    ["chat", chatCodec(), streams(recordings("openai-chat", "chat-compatible-"))],
    ["messages", messagesCodec(), streams(recordings("anthropic")).filter(isOne)],
  ];
  const asked = { model: "m", input: "Hello" };
  for (const [wire, codec, list] of lists)
    test.each(named(list))(`passes whole and ends like one that is read (${wire}): %s`, (_, recording) => {
      const body = recording.body();
      const told = readAll(readerOf(codec, asked), body);
      const check = (cuts: number[]): void => {
        const events = readAll(relayOf(codec, asked), body, cuts);
        expect(endOf(events)).toEqual(endOf(told));
        expect(events.every((event) => isWire(event) || "response" in event)).toBe(true);
        expect(sseValues(bytesOf(textOf(events)))).toEqual(passable(body).filter((value) => wire !== "chat" || !isUsage(value)));
      };
      if (Object.hasOwn(otherEnds, recording.id)) return expect(() => check([])).toThrow("to deeply equal");
      check([]);
      fc.assert(fc.property(fc.array(fc.nat(body.length), { maxLength: 6 }), check), { numRuns: runs(3, 100) });
    });
});

/** A chunk of usage alone, which only those see who ask for it. */
const isUsage = (value: unknown): boolean => {
  const { choices, usage } = value as { choices?: unknown[]; usage?: unknown };
  return choices?.length === 0 && Boolean(usage);
};
