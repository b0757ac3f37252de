import { describe, expect, test } from "vitest";
import { renamedEvents, responsesCodec } from "../../src/codecs/responses/index.ts";
import type { Ctx } from "../../src/codecs/codec.ts";
import { expand } from "../../src/core/expand.ts";
import {
  chunkingLaw,
  decodeBytes,
  foldLaw,
  identityLaw,
  lifecycleLaw,
  truncationLaw,
  unreadLaw,
  type Finding,
} from "../../src/testing/laws.ts";
import { testCtx } from "../support/ctx.ts";
import { recordings, responsesRecordings, type Recording } from "../support/recordings.ts";
import { misfiled } from "../support/reviewed-recordings.ts";
import { sseValues } from "../support/sse-values.ts";
import { changedFields, exceptions, unread } from "./responses-exceptions.ts";

const codec = responsesCodec();
const makeCtx = (): Ctx => testCtx();
const streams = responsesRecordings().filter(({ stream }) => stream);
const decode = (recording: Recording) => decodeBytes(codec, makeCtx(), [recording.body()]);

/** What a law finds over the recordings, less the reviewed exceptions; an exception that no longer is one shows up too. */
function breaches(law: keyof typeof exceptions, check: (recording: Recording) => Finding): string[] {
  const reviewed: Record<string, string> = exceptions[law];
  return streams.flatMap((recording) => {
    const finding = check(recording);
    if (finding !== undefined && reviewed[recording.id] === undefined) return [`${recording.id}: ${finding}`];
    return finding === undefined && reviewed[recording.id] !== undefined ? [`${recording.id}: is no exception`] : [];
  });
}

describe(`laws over ${streams.length} recorded Responses streams`, () => {
  test("fold", () => expect(breaches("fold", (recording) => foldLaw(decode(recording)))).toEqual([]));

  test("chunking", () => {
    const splits = [[1], [7], [13, 2, 64], [1024]];
    expect(breaches("chunking", (recording) => chunkingLaw(codec, makeCtx, recording.body(), splits))).toEqual([]);
  });

  test("lifecycle", () => expect(breaches("lifecycle", (recording) => lifecycleLaw(decode(recording)))).toEqual([]));

  test("identity", () => {
    expect(
      breaches("identity", (recording) => identityLaw(codec, testCtx(), sseValues(recording.body()), renamedEvents)),
    ).toEqual([]);
  });

  test("unread", () => {
    expect(
      unreadLaw(
        codec,
        makeCtx,
        streams.map((recording) => sseValues(recording.body())),
      ),
    ).toEqual(unread);
  });

  test("truncation", () => {
    expect(breaches("truncation", (recording) => truncationLaw(codec, makeCtx, sseValues(recording.body())))).toEqual([]);
  });
});

test("misfiled streams hold no event of Responses", () => {
  const streams = recordings("").filter(({ id }) => Object.hasOwn(misfiled, id));
  const values = streams.flatMap((recording) => sseValues(recording.body()));
  expect(streams.map(({ id }) => id).toSorted()).toEqual(Object.keys(misfiled).toSorted());
  expect(values.filter((value) => String(Reflect.get(Object(value), "type")).startsWith("response."))).toEqual([]);
});

const plain = responsesRecordings().filter((recording) => !recording.stream && recording.status < 400);

describe("plain answers", () => {
  const answers = plain.flatMap((recording) => {
    const body = recording.json();
    return typeof body === "object" && body !== null && "object" in body && body.object === "response"
      ? [{ id: recording.id, body }]
      : [];
  });

  test(`${answers.length} recorded ones become lawful streams that fold back to them`, () => {
    const findings = answers.flatMap(({ id, body }) => {
      const response = codec.decodeResponse(makeCtx(), structuredClone(body));
      const events = expand(response);
      const ended = response.status !== "queued" && response.status !== "in_progress";
      const finding = ended ? (lifecycleLaw(events) ?? foldLaw(events)) : undefined;
      return finding ? [`${id}: ${finding}`] : [];
    });
    expect(findings).toEqual([]);
  });

  test("keep every field that came", () => {
    const changed = answers.flatMap(({ id, body }) => {
      const response = codec.decodeResponse(makeCtx(), structuredClone(body));
      return Object.entries(body).flatMap(([key, value]) => {
        const kept = JSON.stringify(Reflect.get(response, key)) === JSON.stringify(value);
        return kept || value === null || key === "usage" || key === "output" ? [] : [`${id}: ${key}`];
      });
    });
    expect(changed.toSorted()).toEqual(Object.keys(changedFields).toSorted());
  });
});
