import { describe, expect, test } from "vitest";
import { chatCodec } from "../../src/codecs/chat/index.ts";
import type { Codec } from "../../src/codecs/codec.ts";
import { messagesCodec } from "../../src/codecs/messages/index.ts";
import { isRun } from "../../src/model/guards.ts";
import { recordings, type Recording } from "../support/recordings.ts";
import { batchesOf, difference } from "./read-in-runs.ts";

const wires: [string, Codec, Recording[]][] = [
  ["chat", chatCodec(), recordings("openai-chat", "chat-compatible-")],
  ["messages", messagesCodec(), recordings("anthropic")],
];

describe("what is read in runs", () => {
  for (const [wire, codec, list] of wires) {
    const streams = list.filter(({ stream }) => stream);
    test(`is what is read event by event, over ${streams.length} recordings (${wire})`, () => {
      const found = streams.flatMap((recording) =>
        [[1 << 20], [700, 3_000], [97]].flatMap((sizes) => {
          const path = difference(codec, recording.body(), sizes);
          return path ? [`${recording.id} in pieces of ${sizes.join(", ")}: ${path}`] : [];
        }),
      );
      expect(found).toEqual([]);
    });

    test(`is runs, as a rule (${wire})`, () => {
      const batches = streams.flatMap((recording) => batchesOf(codec, recording.body(), [1 << 20], true));
      expect(batches.flat().filter(isRun).length).toBeGreaterThan(streams.length / 2);
    });
  }
});
