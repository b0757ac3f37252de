import { describe, expect, test } from "vitest";
import { messagesCodec, messagesServer } from "../../src/codecs/messages/index.ts";
import type { Ctx, EncodedRequest } from "../../src/codecs/codec.ts";
import { expand } from "../../src/core/expand.ts";
import { reduce } from "../../src/core/reduce.ts";
import { isObject } from "../../src/model/guards.ts";
import type { ResponseResource } from "../../src/model/index.ts";
import {
  chunkingLaw,
  decodeBytes,
  decodeValues,
  foldLaw,
  lifecycleLaw,
  parityLaw,
  truncationLaw,
  unreadLaw,
  type Finding,
} from "../../src/testing/laws.ts";
import { firstDifference } from "../../src/testing/difference.ts";
import { assemble } from "../codecs/messages/support.ts";
import { testCtx } from "../support/ctx.ts";
import { recordings, type Recording } from "../support/recordings.ts";
import { sseValues } from "../support/sse-values.ts";
import { exceptions, otherEndpoints, otherKinds, retold, requests, unread } from "./messages-exceptions.ts";

const codec = messagesCodec();
const server = messagesServer();
const makeCtx = (): Ctx => testCtx();

/** Whether a recording is of the endpoint that the codec speaks to. */
const isMessages = (recording: Recording): boolean =>
  !otherEndpoints.some(([pattern]) => pattern.test(recording.meta().url ?? "")) &&
  !otherKinds.some(([feature]) => recording.features.includes(feature));

const all = recordings("anthropic").filter(isMessages);
const streams = all.filter(({ stream }) => stream);
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

/** JSON that a model wrote piece by piece has its own spacing; a plain answer has none. */
function compact(response: ResponseResource): ResponseResource {
  const json = (text: unknown): unknown => {
    try {
      return typeof text === "string" && text.startsWith("{") ? JSON.stringify(JSON.parse(text)) : text;
    } catch {
      return text;
    }
  };
  const output = response.output.map((item) =>
    Object.fromEntries(Object.entries(item).map(([key, value]) => [key, key === "arguments" ? json(value) : value])),
  );
  return { ...response, output: output as unknown as ResponseResource["output"] };
}

describe(`laws over ${streams.length} recorded Messages streams`, () => {
  test("fold", () => expect(breaches("fold", (recording) => foldLaw(decode(recording)))).toEqual([]));

  test("chunking", () => {
    const splits = [[1], [7], [13, 2, 64], [1024]];
    expect(breaches("chunking", (recording) => chunkingLaw(codec, makeCtx, recording.body(), splits))).toEqual([]);
  });

  test("lifecycle", () => expect(breaches("lifecycle", (recording) => lifecycleLaw(decode(recording)))).toEqual([]));

  test("unread", () => {
    const values = streams.map((recording) => sseValues(recording.body()));
    expect(unreadLaw(codec, makeCtx, values)).toEqual(Object.keys(unread).sort());
  });

  test("truncation", () => {
    expect(breaches("truncation", (recording) => truncationLaw(codec, makeCtx, sseValues(recording.body())))).toEqual([]);
  });

  test("parity: the plain message that a client puts together from a stream is the same response", () => {
    const ended = (recording: Recording): boolean =>
      sseValues(recording.body()).some((value) => isObject(value) && value["type"] === "message_stop");
    const check = (recording: Recording): Finding => {
      if (!ended(recording)) return undefined;
      try {
        const plain = codec.decodeResponse(makeCtx(), assemble(sseValues(recording.body())));
        return parityLaw(compact(reduce(decode(recording))), compact(plain));
      } catch (error) {
        return String(error);
      }
    };
    expect(breaches("parity", check)).toEqual([]);
  });

  test("mirror: what our server streams of an answer is read as the same answer", () => {
    const check = (recording: Recording): Finding => {
      const answer = decode(recording);
      const encoder = server.createEncoder({});
      const values: unknown = JSON.parse(JSON.stringify(answer.flatMap((event) => encoder.push(event))));
      const again = decodeValues(codec, makeCtx(), values as unknown[]);
      const path = firstDifference(withoutSpans(reduce(again)), withoutSpans(reduce(answer)), new Set(["id"]));
      return path && `Read again, the answer differs at ${path}.`;
    };
    expect(breaches("mirror", check)).toEqual([]);
  });
});

/** A streamed citation begins where the one before it ended: a server of events cannot know where the wire's block began. */
function withoutSpans(response: ResponseResource): unknown {
  const keep = (key: string, value: unknown): unknown =>
    key === "start_index" || key === "anthropic:start_index" ? undefined : value;
  return JSON.parse(JSON.stringify(compact(response), keep));
}

const plain = all.filter((recording) => !recording.stream && recording.status < 400);

describe(`${plain.length} recorded plain answers`, () => {
  const answers = plain.map((recording) => ({ id: recording.id, message: recording.json() }));

  test("become lawful streams that fold back to them", () => {
    const findings = answers.flatMap(({ id, message }) => {
      const events = expand(codec.decodeResponse(makeCtx(), structuredClone(message)));
      const finding = lifecycleLaw(events) ?? foldLaw(events);
      return finding ? [`${id}: ${finding}`] : [];
    });
    expect(findings).toEqual([]);
  });

  test("are told by our server as they came", () => {
    const findings = answers.flatMap(({ id, message }) => {
      const again = server.encodeResponse(codec.decodeResponse(makeCtx(), structuredClone(message)));
      const path = firstDifference(plainly(again), plainly(message));
      if (path) return retold[id] ? [] : [`${id}: ${path}`];
      return retold[id] ? [`${id}: is no exception`] : [];
    });
    expect(findings).toEqual([]);
  });
});

const requested = all.flatMap((recording) => {
  const body = recording.request();
  return isObject(body) ? [{ id: recording.id, body }] : [];
});

describe(`${requested.length} recorded requests`, () => {
  test("are read by our server and written by our encoder as they came, without a loss", () => {
    const findings = requested.flatMap(({ id, body }) => {
      const finding = again(body);
      if (finding !== undefined) return requests[id] ? [] : [`${id}: ${finding}`];
      return requests[id] ? [`${id}: is no exception`] : [];
    });
    expect(findings).toEqual([]);
  });
});

function again(body: object): Finding {
  let encoded: EncodedRequest;
  try {
    encoded = codec.encodeRequest(testCtx(server.decodeRequest(structuredClone(body))));
  } catch (error) {
    return String(error);
  }
  const path = firstDifference(plainly(encoded.body), plainly(body), new Set(["stream", "anthropic_version"]));
  return path ?? (encoded.losses.length > 0 ? JSON.stringify(encoded.losses) : undefined);
}

/** A body as it is understood: short forms written out, and nothing that makes no difference. */
function plainly(body: unknown): unknown {
  const empty = (value: unknown): boolean => value === null || value === "" || (Array.isArray(value) && value.length === 0);
  const simplify = (key: string, value: unknown): unknown => {
    if (empty(value) || ((key === "is_error" || key === "strict") && value === false)) return undefined;
    if (key === "caller" && isObject(value) && value["type"] === "direct") return undefined;
    if ((key === "content" || key === "system") && typeof value === "string") return [{ type: "text", text: value }];
    if (!isObject(value)) return value;
    const { type, output_format, ...rest } = value;
    if (output_format) return { ...rest, output_config: { format: output_format } };
    return type === "custom" && rest["input_schema"] ? rest : value;
  };
  return JSON.parse(JSON.stringify(body, simplify));
}
