import { describe, expect, test } from "vitest";
import { chatCodec, chatServer } from "../../src/codecs/chat/index.ts";
import type { Codec, Ctx } from "../../src/codecs/codec.ts";
import { expand } from "../../src/core/expand.ts";
import { reduce } from "../../src/core/reduce.ts";
import type { CreateResponse } from "../../src/model/index.ts";
import {
  chunkingLaw,
  decodeBytes,
  foldLaw,
  lifecycleLaw,
  parityLaw,
  truncationLaw,
  unreadLaw,
  type Finding,
} from "../../src/testing/laws.ts";
import { ReadLog } from "../../src/testing/unread.ts";
import { accumulate } from "../codecs/chat/accumulate.ts";
import { dialectOf } from "../codecs/chat/vendors.ts";
import { testCtx } from "../support/ctx.ts";
import { recordings, type Recording } from "../support/recordings.ts";
import { sseValues } from "../support/sse-values.ts";
import { exceptions, otherEndpoints, unread } from "./chat-exceptions.ts";

const all = recordings("openai-chat", "chat-compatible-");
const streams = all.filter(({ stream }) => stream);
const whole = all.filter(({ stream, status }) => !stream && status < 400);
const isOther = ({ id }: Recording): boolean => otherEndpoints.some(([pattern]) => pattern.test(id));
const isAnswer = (recording: Recording): boolean => Reflect.has(recording.json() as object, "choices");
const plain = whole.filter((one) => !isOther(one) && (one.meta().method === "POST" || isAnswer(one)));
const codecOf = ({ provider }: Recording): Codec => chatCodec(dialectOf(provider));

/** The request that a recording answers, as far as our server reads it. */
function requestOf(recording: Recording): CreateResponse {
  try {
    return chatServer().decodeRequest(recording.request());
  } catch {
    return { model: "test-model", input: "Hello" };
  }
}
const ctxOf = (recording: Recording) => (): Ctx => testCtx(requestOf(recording));
const decode = (recording: Recording) => decodeBytes(codecOf(recording), ctxOf(recording)(), [recording.body()]);

/** What a law finds over recordings, less the reviewed exceptions; an exception that no longer is one shows up too. */
function breaches(law: keyof typeof exceptions, among: readonly Recording[], check: (recording: Recording) => Finding): string[] {
  const reviewed: Record<string, string> = exceptions[law];
  return among.flatMap((recording) => {
    const finding = check(recording);
    if (finding !== undefined && reviewed[recording.id] === undefined) return [`${recording.id}: ${finding}`];
    return finding === undefined && reviewed[recording.id] !== undefined ? [`${recording.id}: is no exception`] : [];
  });
}

describe(`laws over ${streams.length} recorded Chat Completions streams`, () => {
  test("fold", () => expect(breaches("fold", streams, (recording) => foldLaw(decode(recording)))).toEqual([]));

  test("lifecycle", () => expect(breaches("lifecycle", streams, (recording) => lifecycleLaw(decode(recording)))).toEqual([]));

  test("parity: a stream folds to what its plain answer, put together by an oracle, decodes to", () => {
    const check = (recording: Recording): Finding => {
      const streamed = reduce(decode(recording));
      const reply = accumulate(sseValues(recording.body()));
      if (streamed.status === "failed") return undefined;
      return parityLaw(streamed, codecOf(recording).decodeResponse(ctxOf(recording)(), reply));
    };
    expect(breaches("parity", streams, check)).toEqual([]);
  });

  test("a stream with usage and an end mark is complete", () => {
    const check = (recording: Recording): Finding => {
      const body = new TextDecoder().decode(recording.body());
      const isMarked = /^data: ?\[DONE\]/m.test(body) && /"usage": ?\{/.test(body);
      const response = reduce(decode(recording));
      return isMarked && response.error?.code === "truncated" ? "It has usage and an end mark, but is truncated." : undefined;
    };
    expect(breaches("lifecycle", streams, check)).toEqual([]);
  });

  test("chunking", () => {
    const splits = [[1], [7], [13, 2, 64], [1024]];
    const check = (recording: Recording) => chunkingLaw(codecOf(recording), ctxOf(recording), recording.body(), splits);
    expect(breaches("chunking", streams, check)).toEqual([]);
  });

  test("truncation", () => {
    const check = (recording: Recording) => truncationLaw(codecOf(recording), ctxOf(recording), sseValues(recording.body()), 12);
    expect(breaches("truncation", streams, check)).toEqual([]);
  });
});

describe("plain answers", () => {
  test(`${plain.length} recorded ones become lawful streams that fold back to them`, () => {
    const check = (recording: Recording): Finding => {
      const error = codecOf(recording).errorIn(recording.json());
      if (error) return error.message;
      const events = expand(codecOf(recording).decodeResponse(ctxOf(recording)(), recording.json()));
      return lifecycleLaw(events) ?? foldLaw(events);
    };
    expect(breaches("plain", plain, check)).toEqual([]);
  });

  test("exchanges with other endpoints are none", () => {
    const found = whole.filter(isOther);
    expect(otherEndpoints.filter(([pattern]) => !found.some(({ id }) => pattern.test(id)))).toEqual([]);
    expect(found.filter(isAnswer).map(({ id }) => id)).toEqual([]);
  });
});

describe("unread", () => {
  const streamed = streams.flatMap((recording) => unreadLaw(codecOf(recording), ctxOf(recording), [sseValues(recording.body())]));
  const answered = plain.filter(({ id }) => exceptions.plain[id] === undefined);
  const whole = answered.flatMap((recording) => {
    const log = new ReadLog();
    JSON.stringify(codecOf(recording).decodeResponse(ctxOf(recording)(), log.watch(recording.json())));
    return log.unread();
  });
  const paths = [...new Set([...streamed, ...whole])].sort();

  test("every field is read for every vendor, but for those on the reviewed list", () => {
    expect(paths.filter((path) => !unread.some(([pattern]) => pattern.test(path)))).toEqual([]);
  });

  test("the reviewed list holds nothing that is read after all", () => {
    expect(unread.filter(([pattern]) => !paths.some((path) => pattern.test(path)))).toEqual([]);
  });
});
