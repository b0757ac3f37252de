import { describe, expect, test } from "vitest";
import { geminiCodec, geminiServer, vertexDialect } from "../../src/codecs/gemini/index.ts";
import type { Codec } from "../../src/codecs/codec.ts";
import { expand } from "../../src/core/expand.ts";
import { reduce } from "../../src/core/reduce.ts";
import type { CreateResponse, ResponseEvent, ResponseResource } from "../../src/model/index.ts";
import { firstDifference } from "../../src/testing/difference.ts";
import {
  chunkingLaw,
  decodeBytes,
  decodeValues,
  foldLaw,
  lifecycleLaw,
  parityLaw,
  truncationLaw,
  type Finding,
} from "../../src/testing/laws.ts";
import { ReadLog } from "../../src/testing/unread.ts";
import { normalBody } from "../codecs/gemini/normal-body.ts";
import { bodyOf, ctxOf, geminiRecordings, otherIds } from "../codecs/gemini/recordings.ts";
import { testCtx } from "../support/ctx.ts";
import { recordings, type Recording } from "../support/recordings.ts";
import { sseValues } from "../support/sse-values.ts";
import { exceptions, unread } from "./gemini-exceptions.ts";

const codecs: Readonly<Record<string, Codec>> = { gemini: geminiCodec(), "gemini-vertex": geminiCodec(vertexDialect) };
const server = geminiServer();
const codecOf = ({ provider }: Recording): Codec => codecs[provider]!;
const all = geminiRecordings();
const streams = all.filter(({ stream }) => stream);
const plain = all.filter((recording) => !recording.stream && recording.status < 400);
const decode = (recording: Recording): ResponseEvent[] => decodeBytes(codecOf(recording), ctxOf(recording), [recording.body()]);
const decodePlain = (recording: Recording): ResponseResource =>
  codecOf(recording).decodeResponse(ctxOf(recording), recording.json());

/** What a law finds over the recordings, less the reviewed exceptions; an exception that no longer is one shows up too. */
function breaches(law: keyof typeof exceptions, list: readonly Recording[], check: (recording: Recording) => Finding): string[] {
  const reviewed = exceptions[law];
  const found = new Map(list.map((recording) => [recording.id, check(recording)]));
  const idle = Object.keys(reviewed).filter((id) => found.get(id) === undefined);
  const open = [...found].filter(([id, finding]) => finding !== undefined && reviewed[id] === undefined);
  return [...open.map(([id, finding]) => `${id}: ${finding}`), ...idle.map((id) => `${id}: is no exception`)];
}

/** What our server makes of a response, read by our client again. */
function mirrorLaw(recording: Recording, response: ResponseResource, wire: readonly unknown[]): Finding {
  const values = JSON.parse(JSON.stringify(wire)) as unknown[];
  const again = decodeValues(codecOf(recording), ctxOf(recording), values);
  return lifecycleLaw(again) ?? parityLaw(reduce(again), response);
}

describe(`laws over ${streams.length} recorded generateContent streams`, () => {
  test("fold", () => expect(breaches("fold", streams, (recording) => foldLaw(decode(recording)))).toEqual([]));

  test("chunking", () => {
    const splits = [[1], [7], [13, 2, 64], [1024]];
    const check = (recording: Recording): Finding =>
      chunkingLaw(codecOf(recording), () => ctxOf(recording), recording.body(), splits);
    expect(breaches("chunking", streams, check)).toEqual([]);
  });

  test("lifecycle", () => expect(breaches("lifecycle", streams, (recording) => lifecycleLaw(decode(recording)))).toEqual([]));

  test("truncation", () => {
    const check = (recording: Recording): Finding =>
      truncationLaw(codecOf(recording), () => ctxOf(recording), sseValues(recording.body()));
    expect(breaches("truncation", streams, check)).toEqual([]);
  });

  test("mirror: what the server writes, the client reads as the same", () => {
    const check = (recording: Recording): Finding => {
      const events = decode(recording);
      const encoder = server.createEncoder(ctxOf(recording).request);
      return mirrorLaw(recording, reduce(events), [...events.flatMap((event) => encoder.push(event)), ...encoder.end()]);
    };
    expect(breaches("mirror", streams, check)).toEqual([]);
  });
});

describe(`${plain.length} recorded plain answers`, () => {
  test("become lawful streams that fold back to them", () => {
    const check = (recording: Recording): Finding => {
      const events = expand(decodePlain(recording));
      return lifecycleLaw(events) ?? foldLaw(events);
    };
    expect(breaches("plain", plain, check)).toEqual([]);
  });

  test("are the fold of the stream that says the same", () => {
    const finished = plain.filter((recording) => /"finishReason"|"blockReason"/.test(JSON.stringify(recording.json())));
    const check = (recording: Recording): Finding => {
      const events = decodeValues(codecOf(recording), ctxOf(recording), [recording.json()]);
      return lifecycleLaw(events) ?? parityLaw(reduce(events), decodePlain(recording));
    };
    expect(finished.length).toBeGreaterThan(100);
    expect(breaches("plain", finished, check)).toEqual([]);
  });

  test("are written and read again as the same", () => {
    const lasting = plain.filter((recording) => decodePlain(recording).status !== "failed");
    const check = (recording: Recording): Finding => {
      const response = decodePlain(recording);
      return mirrorLaw(recording, response, [server.encodeResponse(response)]);
    };
    expect(breaches("written", lasting, check)).toEqual([]);
  });
});

test("exchanges with other endpoints, known by their ids, hold no answer", () => {
  const found = recordings("gemini").filter(({ id }) => otherIds.some(([pattern]) => pattern.test(id)));
  expect(otherIds.filter(([pattern]) => !found.some(({ id }) => pattern.test(id)))).toEqual([]);
  expect(found.filter((recording) => Reflect.has(recording.json() as object, "candidates"))).toEqual([]);
});

test("unread: nothing that carries meaning is left aside", () => {
  const log = new ReadLog();
  for (const recording of streams) {
    const decoder = codecOf(recording).createDecoder(ctxOf(recording));
    const events = sseValues(recording.body()).flatMap((value) => decoder.push(log.watch(value)));
    JSON.stringify([...events, ...decoder.end()]);
  }
  for (const recording of plain) JSON.stringify(codecOf(recording).decodeResponse(ctxOf(recording), log.watch(recording.json())));
  // A plain answer to a streamed request is a list of chunks.
  const paths = new Set(log.unread().map((path) => path.replace(/^\[\]\./, "")));
  expect([...paths].sort()).toEqual([...unread].sort());
});

describe("recorded requests", () => {
  const asked = all.filter((recording) => bodyOf(recording) !== undefined);

  test(`${asked.length} of them are read, and written again as the same`, () => {
    const check = (recording: Recording): Finding => {
      const body = bodyOf(recording)!;
      const read = (): CreateResponse | string => {
        try {
          return server.decodeRequest(structuredClone(body));
        } catch (error) {
          return String(error);
        }
      };
      const request = read();
      if (typeof request === "string") return request;
      const { body: again } = codecOf(recording).encodeRequest(testCtx(request));
      const path = firstDifference(normalBody(again as Record<string, unknown>), normalBody(body));
      return path && `The body differs at ${path}.`;
    };
    expect(breaches("requests", asked, check)).toEqual([]);
  });
});
