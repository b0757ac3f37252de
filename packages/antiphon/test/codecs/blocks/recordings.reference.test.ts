import { describe, expect, test } from "vitest";
import { decodeBlocks, encodeBlocks } from "../../../src/codecs/blocks/index.ts";
import { responsesCodec } from "../../../src/codecs/responses/index.ts";
import {
  functionCalls,
  reduce,
  Reducer,
  refusal,
  text,
  thinking,
  type Item,
  type ResponseEvent,
  type ResponseResource,
} from "../../../src/index.ts";
import { isObject } from "../../../src/model/guards.ts";
import { firstDifference } from "../../../src/testing/difference.ts";
import { decodeValues, foldLaw, lifecycleLaw } from "../../../src/testing/laws.ts";
import { testCtx } from "../../support/ctx.ts";
import { responsesRecordings } from "../../support/recordings.ts";
import { sseValues } from "../../support/sse-values.ts";
import { decode, encode } from "./support.ts";

const answers = responsesRecordings().filter((recording) => recording.status === 200);
const streams = answers.filter((recording) => recording.stream);
const plain = answers.filter((recording) => !recording.stream && isResponse(recording.json()));

/** Streams that fail with another error after the way over blocks, each with the reason. */
const otherErrors: Readonly<Record<string, string>> = {
  "openai-responses/prism--stream-unknown-error-responses-1":
    "Edited by hand: its error event and its response tell different errors, and blocks end with the first.",
};

const kept = (response: ResponseResource): object => ({
  id: response.id,
  model: response.model,
  // A stream has no terminal event of its own for what was cancelled.
  status: response.status === "cancelled" ? "incomplete" : response.status,
  reason: response.incomplete_details?.reason,
  error: response.error && { code: response.error.code, message: response.error.message },
  text: text(response),
  thinking: thinking(response),
  refusal: refusal(response),
  calls: functionCalls(response).map(({ id, call_id, name, arguments: input }) => ({ id, call_id, name, input })),
  usage: response.usage?.estimated
    ? null
    : response.usage && [response.usage.input_tokens, response.usage.output_tokens, response.usage.total_tokens],
});

// The terminal response's copies of items may differ from the streamed ones: blobs are sealed afresh, stages move on.
const streamed = (events: ResponseEvent[]): Item[] => {
  const fold = new Reducer();
  for (const event of events.slice(0, -1)) fold.push(event);
  return fold.items;
};

const working = new Set(["in_progress", "searching", "generating"]);

/** An item as JSON, with what the way over blocks adds: a final status and a list of log probabilities. */
function settled(item: Item): unknown {
  const copy = JSON.parse(JSON.stringify(item)) as Item;
  if (working.has(copy.status ?? "")) Object.assign(copy, { status: "completed" });
  if (copy.type === "message") for (const part of copy.content) if (part.type === "output_text") part.logprobs ??= [];
  return copy;
}

describe(`${streams.length} recorded streams, as blocks and back`, () => {
  test.each(streams.map((recording) => [recording.id, recording] as const))("%s", (id, recording) => {
    const before: ResponseEvent[] = decodeValues(responsesCodec(), testCtx(), sseValues(recording.body()));
    const after = decode(encode(before));
    expect(lifecycleLaw(after)).toBeUndefined();
    expect(foldLaw(after)).toBeUndefined();
    const expected = kept({ ...reduce(before), output: streamed(before) });
    if (Object.hasOwn(otherErrors, id)) return expect(kept(reduce(after))).not.toEqual(expected);
    expect(kept(reduce(after))).toEqual(expected);
    expect(reduce(after).output).toEqual(streamed(before).map(settled));
  });
});

describe("recorded plain answers, as blocks and back", () => {
  test(`${plain.length} of them keep their items, usage and end`, () => {
    const changed = plain.flatMap((recording) => {
      const before = responsesCodec().decodeResponse(testCtx(), recording.json());
      if (before.status === "queued" || before.status === "in_progress") return [];
      const after = decodeBlocks(testCtx(), encodeBlocks(before));
      const path = firstDifference(
        { ...kept(after), output: after.output.map(settled) },
        { ...kept(before), output: before.output.map(settled) },
      );
      return path === undefined ? [] : [[recording.id, path]];
    });
    expect(Object.fromEntries(changed)).toEqual({});
  });
});

function isResponse(value: unknown): boolean {
  return isObject(value) && value["object"] === "response";
}
