import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chatCodec } from "../../src/codecs/chat/index.ts";
import type { Codec } from "../../src/codecs/codec.ts";
import { messagesCodec } from "../../src/codecs/messages/index.ts";
import { responsesCodec } from "../../src/codecs/responses/index.ts";
import { blankResponse } from "../../src/core/blank-response.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { expand } from "../../src/core/expand.ts";
import { isTerminal } from "../../src/model/guards.ts";
import type { CreateResponse, Item, ResponseResource } from "../../src/model/index.ts";
import { testCtx } from "../support/ctx.ts";
import { runs } from "../support/runs.ts";
import { sseValues } from "../support/sse-values.ts";
import { bytesOf, endOf, readAll, readerOf, relayOf, textOf, unwired } from "./support/relays.ts";

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
