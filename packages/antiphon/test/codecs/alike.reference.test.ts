import { describe, expect, test } from "vitest";
import { chatCodec } from "../../src/codecs/chat/index.ts";
import type { Codec } from "../../src/codecs/codec.ts";
import { messagesCodec } from "../../src/codecs/messages/index.ts";
import { responsesCodec } from "../../src/codecs/responses/index.ts";
import type { ResponseEvent } from "../../src/model/index.ts";
import { testCtx } from "../support/ctx.ts";
import { recordings, type Recording } from "../support/recordings.ts";
import { sseValues } from "../support/sse-values.ts";

const wires: [string, Codec, Recording[]][] = [
  ["chat", chatCodec(), recordings("openai-chat", "chat-compatible-")],
  ["messages", messagesCodec(), recordings("anthropic")],
  ["responses", responsesCodec(), recordings("openai-responses", "responses-compatible-", "openresponses-")],
];

/** Returns the events of values that the decoder parsed itself (`quick`) or `JSON.parse` did. */
function eventsOf(codec: Codec, values: readonly unknown[], quick: boolean): ResponseEvent[] {
  const decoder = codec.createDecoder(testCtx());
  const read = (text: string): unknown => (quick ? decoder.parse!(text) : JSON.parse(text));
  return [...values.flatMap((value) => decoder.push(read(JSON.stringify(value)))), ...decoder.end()];
}

describe("the quick way to parse a recorded stream", () => {
  for (const [wire, codec, list] of wires)
    test.each(list.filter(({ stream }) => stream).map((recording): [string, Recording] => [recording.id, recording]))(
      `tells the same events (${wire}): %s`,
      (_, recording) => {
        const values = sseValues(recording.body());
        expect(eventsOf(codec, values, true)).toEqual(eventsOf(codec, values, false));
      },
    );
});
