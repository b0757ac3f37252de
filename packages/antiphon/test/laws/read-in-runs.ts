import { expect } from "vitest";
import { chatServer } from "../../src/codecs/chat/index.ts";
import type { Codec, ServerCodec } from "../../src/codecs/codec.ts";
import { responsesServer } from "../../src/codecs/responses/index.ts";
import { reduce } from "../../src/core/reduce.ts";
import { unrun } from "../../src/core/runs.ts";
import { isRun } from "../../src/model/guards.ts";
import type { ResponseEvent } from "../../src/model/index.ts";
import { cut } from "../../src/testing/laws.ts";
import { firstDifference } from "../../src/testing/difference.ts";
import { EventReader } from "../../src/transport/readers.ts";
import { testCtx } from "../support/ctx.ts";

/** Returns the batches that a reader emits for `bytes` in chunks of `sizes`, with runs or without. */
export function batchesOf(codec: Codec, bytes: Uint8Array, sizes: number[], runs: boolean): ResponseEvent[][] {
  const reader = new EventReader(codec, { ...testCtx(), runs }, { eager: runs });
  const batches = [...cut(bytes, ...sizes)].map((chunk) => reader.push(chunk));
  return [...batches, reader.end()];
}

/** Returns the frames that a server writes for `batches`. Fails if its bytes and its text differ. */
export function framesOf(batches: readonly (readonly ResponseEvent[])[], server: ServerCodec): string {
  const { createEncoder, encodeFrame, writeFrame } = server;
  const encoder = createEncoder({});
  const room = new Uint8Array(64 * 1024);
  const frame = (value: unknown): string => {
    const end = writeFrame!(value, room, 5);
    const text = typeof end === "string" ? end : new TextDecoder("utf-8", { fatal: true }).decode(room.subarray(5, end));
    expect(dataIn(text)).toEqual(dataIn(encodeFrame(value)));
    return text;
  };
  return batches.flatMap((batch) => batch.flatMap((event) => encoder.push(event).map(frame))).join("");
}

const servers = [chatServer(), responsesServer("openai"), responsesServer("open-responses")];

// A regular expression would take U+2028 inside of a string for the end of a line.
const dataIn = (frames: string): unknown[] =>
  frames.split("\n").flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6)) as unknown] : []));

/** Returns the path of the first difference between a stream that is read with runs and the same stream read without. */
export function difference(codec: Codec, bytes: Uint8Array, sizes: number[]): string | undefined {
  const [run, plain] = [true, false].map((runs) => batchesOf(codec, bytes, sizes, runs)) as [
    ResponseEvent[][],
    ResponseEvent[][],
  ];
  const events = plain.flat();
  if (plain.some((batch) => batch.some(isRun))) return "there are runs that nobody asked for";
  return (
    firstDifference(
      run.flatMap((batch) => unrun(batch)),
      events,
    ) ??
    (events.length > 0 ? firstDifference(reduce(run.flat()), reduce(events)) : undefined) ??
    firstDifference(
      servers.map((server) => dataIn(framesOf(run, server))),
      servers.map((server) => dataIn(framesOf(plain, server))),
    )
  );
}
