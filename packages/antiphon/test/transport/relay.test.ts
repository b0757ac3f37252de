import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chatCodec } from "../../src/codecs/chat/index.ts";
import type { Codec, Decoder } from "../../src/codecs/codec.ts";
import { messagesCodec } from "../../src/codecs/messages/index.ts";
import { responsesCodec } from "../../src/codecs/responses/index.ts";
import { blankResponse } from "../../src/core/blank-response.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { expand } from "../../src/core/expand.ts";
import type { Repair } from "../../src/core/loss.ts";
import { isTerminal, isWire, opens } from "../../src/model/guards.ts";
import type { CreateResponse, Item, ResponseEvent, ResponseResource, WireEvent } from "../../src/model/index.ts";
import { EventReader, type AnswerReader } from "../../src/transport/readers.ts";
import { RelayReader } from "../../src/transport/relay-reader.ts";
import { testCtx } from "../support/ctx.ts";
import { haveRecordings, recordings, responsesRecordings, sseValues, type Recording } from "../support/recordings.ts";
import { maskedAddresses } from "../support/reviewed-recordings.ts";
import { runs } from "../support/runs.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** All that comes out of a body, whatever pieces it comes in. */
function readAll(reader: AnswerReader, body: Uint8Array, cuts: readonly number[] = []): ResponseEvent[] {
  const events: ResponseEvent[] = [];
  const ends = [...cuts.map((cut) => cut % (body.length + 1)), body.length].sort((a, b) => a - b);
  for (let index = 0, from = 0; index < ends.length && !reader.error; from = ends[index]!, index += 1)
    events.push(...reader.push(body.slice(from, ends[index])));
  if (!reader.error) events.push(...reader.end());
  if (reader.error && reader.started) events.push(...reader.fail(reader.error));
  return events;
}

const relayOf = (codec: Codec, request?: CreateResponse): RelayReader =>
  new RelayReader(codec.createRelay!(testCtx(request))!, { maxEventBytes: 64 * 1024 * 1024 });
const readerOf = (codec: Codec, request?: CreateResponse): EventReader => new EventReader(codec, testCtx(request), {});

/** What was passed on unread as events again: just as it came, but for the beginning, which a decoder has to put right. */
function unwired(events: ResponseEvent[], beginning: Decoder = responsesCodec().createDecoder(testCtx())): unknown[] {
  const read = (event: WireEvent): unknown[] => {
    const values = sseValues(bytesOf(event.text));
    return opens(event) ? values.flatMap((value) => beginning.push(value)) : values;
  };
  return events.flatMap((event) => (isWire(event) ? read(event) : [event]));
}

/** All that was put right by both. */
function joined(one: readonly Repair[], other: readonly Repair[]): Repair[] {
  const counts = new Map<string, number>();
  for (const { rule, count } of [...one, ...other]) counts.set(rule, (counts.get(rule) ?? 0) + count);
  return [...counts].map(([rule, count]) => ({ rule, count }));
}
const textOf = (events: ResponseEvent[]): string => events.flatMap((event) => (isWire(event) ? [event.text] : [])).join("");

const streams = (list: Recording[]): Recording[] => list.filter(({ stream, status }) => stream && status === 200);
const named = (list: Recording[]): [string, Recording][] => list.map((recording) => [recording.id, recording]);

/** LM Studio tells the arguments of a call without any delta before them. */
const isClean = ({ provider }: Recording): boolean => provider !== "openresponses-lmstudio";

describe.skipIf(!haveRecordings)("a recorded stream that is relayed (needs the recordings)", () => {
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
        // A relay that had to read the beginning after all has put it right as well.
        const repairs = [relay.repairs, joined(beginning.repairs, relay.repairs)];
        // A relay does not compare texts with their deltas.
        if (end < body.length) return;
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

const endOf = (events: ResponseEvent[]): unknown => {
  const last = events.at(-1);
  if (!last || !isTerminal(last)) return undefined;
  const { status, usage, incomplete_details, error } = last.response;
  return { type: last.type, status, incomplete_details, error, usage: usage?.estimated ? "estimated" : usage };
};

describe.skipIf(!haveRecordings)("a recorded stream that passes unread (needs the recordings)", () => {
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
      if (Object.hasOwn(otherEnds, recording.id)) return expect(() => check([])).toThrow();
      check([]);
      fc.assert(fc.property(fc.array(fc.nat(body.length), { maxLength: 6 }), check), { numRuns: runs(3, 100) });
    });
});

/** A chunk of usage alone, which only those see who ask for it. */
const isUsage = (value: unknown): boolean => {
  const { choices, usage } = value as { choices?: unknown[]; usage?: unknown };
  return choices?.length === 0 && Boolean(usage);
};

describe("an answer that passed unread and broke off", () => {
  const words = Array.from({ length: 200 }, (_, index) => `word${index} `);
  const chunk = (delta: object): string =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: null }], usage: null })}\n\n`;
  const event = (value: { type: string; [field: string]: unknown }): string =>
    `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    usage: { input_tokens: 10, output_tokens: 1 },
  };
  const bodies: [string, Codec, string[]][] = [
    ["chat", chatCodec(), words.map((content) => chunk({ content }))],
    [
      "messages",
      messagesCodec(),
      [
        event({ type: "message_start", message }),
        ...words.map((text) => event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
      ],
    ],
  ];

  test.each(bodies)("has a guess of what it took (%s)", (_, codec, frames) => {
    const [all, pieces] = [relayOf(codec), relayOf(codec)];
    all.push(bytesOf(frames.join("")));
    for (const frame of frames) pieces.push(bytesOf(frame));
    for (const reader of [all, pieces]) {
      const last = reader.fail(new AntiphonError("ABORTED", "Left.")).at(-1);
      const usage = last && isTerminal(last) ? last.response.usage : undefined;
      expect(usage?.estimated).toBe(true);
      expect(Math.abs(usage!.output_tokens - words.length)).toBeLessThan(20);
      expect(usage?.total_tokens).toBe(usage!.input_tokens + usage!.output_tokens);
    }
  });
});

describe("comments and other line ends", () => {
  const text = "Hello, dear garden. ";
  const item: Item = {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
  };
  const response: ResponseResource = { ...blankResponse("resp_1", 1, { model: "m" }), status: "completed", output: [item] };
  const chunk = (delta: object, finish_reason: string | null = null): object => ({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }],
  });
  const bodies: [string, Codec, object[]][] = [
    ["responses", responsesCodec(), expand(response)],
    ["chat", chatCodec(), [chunk({ content: "Hello" }), chunk({ content: "!" }), chunk({}, "stop")]],
  ];
  const commented = [
    ["a frame of its own", (frame: string) => `: still here\n\n${frame}`],
    ["the first line of a frame", (frame: string) => `: still here\n${frame}`],
    ["the last line of a frame", (frame: string) => frame.replace("\n\n", "\n: still here\n\n")],
  ] as const;
  const cases = bodies.flatMap(([wire, codec, values]) =>
    commented.flatMap(([where, comment]) => ["\n", "\r\n"].map((end) => ({ wire, where, end, codec, values, comment }))),
  );

  test.each(cases)("change nothing: $wire, $where, $end", ({ wire, end, codec, values, comment }) => {
    const framed = values.map((value) => {
      const { type } = value as { type?: string };
      return comment(`${type ? `event: ${type}\n` : ""}data: ${JSON.stringify(value)}\n\n`);
    });
    const body = bytesOf(framed.join("").replaceAll("\n", end));
    const told = readAll(readerOf(codec), body);
    const check = (cuts: number[]): void => {
      const events = readAll(relayOf(codec), body, cuts);
      expect(endOf(events)).toEqual(endOf(told));
      if (wire === "responses") expect(unwired(events)).toEqual(told);
      else expect(sseValues(bytesOf(textOf(events)))).toEqual(values);
    };
    check([]);
    fc.assert(fc.property(fc.array(fc.nat(body.length), { maxLength: 6 }), check), { numRuns: runs(20, 500) });
  });
});

describe("an answer does not pass unread", () => {
  const schema: CreateResponse = { text: { format: { type: "json_schema", name: "city", schema: { type: "object" } } } };
  const custom: CreateResponse = { tools: [{ type: "custom", name: "shout" }] };
  const strange: CreateResponse = { tools: [{ type: "function", name: "say.it", parameters: null }] };

  test.each([
    ["where a hidden tool of Chat Completions gives it its form", chatCodec({ formats: [] }), schema],
    ["where a hidden tool of Messages gives it its form", messagesCodec(), schema],
    ["where a function stands in for a free-form tool", chatCodec(), custom],
    ["where a tool had to be renamed", messagesCodec(), strange],
  ])("%s", (_, codec, request) => {
    expect(codec.createRelay!(testCtx(request))).toBeUndefined();
    expect(codec.createRelay!(testCtx({}))).toBeDefined();
  });
});
