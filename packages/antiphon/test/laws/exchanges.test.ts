import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renamedEvents } from "../../src/codecs/responses/index.ts";
import { expand } from "../../src/core/expand.ts";
import { reduce } from "../../src/core/reduce.ts";
import type { Codec } from "../../src/codecs/codec.ts";
import type { ResponseEvent } from "../../src/model/index.ts";
import { abortLaw, type WatchedModel } from "../../src/testing/abort-law.ts";
import { firstDifference } from "../../src/testing/difference.ts";
import {
  chunkingLaw,
  cut,
  decodeBytes,
  foldLaw,
  identityLaw,
  lifecycleLaw,
  parityLaw,
  truncationLaw,
  unreadLaw,
  type Finding,
} from "../../src/testing/laws.ts";
import { connect } from "../../src/transport/connect.ts";
import type { Transport } from "../../src/transport/upstream.ts";
import { responses } from "../support/arbitraries.ts";
import { testCtx } from "../support/ctx.ts";
import { runs } from "../support/runs.ts";
import { endOf, readAll, readerOf, relayOf, unwired } from "../transport/support/relays.ts";
import { wireNames, wires, type WireName } from "../wires/chain.ts";
import { exchangeOf, offlineAnswers, type Exchange } from "./exchanges.ts";
import { difference } from "./read-in-runs.ts";

// The laws that reference tests check over recordings, over what the servers of this repository send.
const answers = await offlineAnswers();
const decode = ({ codec, bytes }: Exchange): ResponseEvent[] => decodeBytes(codec, testCtx(), [bytes]);

type Law = (exchange: Exchange) => Finding;

/** Expects a law to hold for the answers of the offline model. */
function expectOverAnswers(wire: WireName, law: Law): void {
  const findings = answers.map(([name, events]) => [name, law(exchangeOf(wires[wire], events))]);
  expect(findings.filter(([, finding]) => finding !== undefined)).toEqual([]);
}

/** Expects a law to hold for the answers of the offline model and for generated responses. */
function expectLaw(wire: WireName, law: Law, numRuns = runs(40, 4_000)): void {
  expectOverAnswers(wire, law);
  const holds = fc.property(responses, (response) => {
    expect(law(exchangeOf(wires[wire], expand(response)))).toBeUndefined();
  });
  fc.assert(holds, { numRuns });
}

/** **Parity**: the stream folds to the plain answer. */
const parity: Law = (exchange) =>
  exchange.plain === undefined
    ? undefined
    : parityLaw(reduce(decode(exchange)), exchange.codec.decodeResponse(testCtx(), exchange.plain));

describe.each(wireNames)("exchanges of the %s API", (wire) => {
  test("fold and lifecycle", () => {
    expectLaw(wire, (exchange) => lifecycleLaw(decode(exchange)) ?? foldLaw(decode(exchange)));
  });

  test("chunking", () => {
    const splits = [[1], [7], [13, 2, 64], [1024]];
    expectLaw(wire, ({ codec, bytes }) => chunkingLaw(codec, () => testCtx(), bytes, splits));
  });

  test("truncation", () => {
    expectLaw(wire, ({ codec, values }) => truncationLaw(codec, () => testCtx(), values, 12), runs(20, 1_000));
  });

  test("parity", () => expectOverAnswers(wire, parity));

  test("plain answers expand to valid streams that fold back to them", () => {
    expectLaw(wire, ({ codec, plain }) => {
      if (plain === undefined) return undefined;
      const events = expand(codec.decodeResponse(testCtx(), plain));
      return lifecycleLaw(events) ?? foldLaw(events);
    });
  });

  test("abort: leaving and stopping closes the connection", async () => {
    for (const [, events] of answers) {
      const exchange = exchangeOf(wires[wire], events);
      expect(await abortLaw(() => played(exchange), { model: "m", input: "Hello" }, [1, 2, 3, 5, 8])).toBeUndefined();
    }
  });

  test("the decoder's own parser gives the events of JSON.parse", () => {
    expectLaw(wire, ({ codec, values }) => {
      const parse = codec.createDecoder(testCtx()).parse;
      return parse ? firstDifference(parsed(codec, values, true), parsed(codec, values, false)) : undefined;
    });
  });
});

/** Returns a model that plays an exchange in small reads, over a connection whose end can be observed. */
function played({ codec, bytes }: Exchange): WatchedModel {
  let open = true;
  const transport: Transport = async () => {
    const chunks = cut(bytes, 70);
    return {
      status: 200,
      headers: { get: (name) => (name === "content-type" ? "text/event-stream" : null) },
      read: async () => {
        const { value, done } = chunks.next();
        if (done) open = false;
        return open ? (value ?? undefined) : undefined;
      },
      cancel: () => {
        open = false;
      },
    };
  };
  const upstream = { name: "played", baseUrl: "http://127.0.0.1", codec, headers: () => ({}) };
  return { respond: connect(upstream, { transport, retry: { retries: 0 } }), closed: () => !open };
}

function parsed(codec: Codec, values: readonly unknown[], quick: boolean): ResponseEvent[] {
  const decoder = codec.createDecoder(testCtx());
  const read = (text: string): unknown => (quick ? decoder.parse!(text) : JSON.parse(text));
  return [...values.flatMap((value) => decoder.push(read(JSON.stringify(value)))), ...decoder.end()];
}

describe("exchanges of the Responses API", () => {
  test("identity: every field is passed on unchanged", () => {
    expectLaw("responses", ({ codec, values }) => identityLaw(codec, testCtx(), values, renamedEvents));
  });

  test("a relay passes on the events that a reader decodes", () => {
    expectLaw("responses", ({ codec, bytes }) => {
      const relayed = unwired(readAll(relayOf(codec), bytes, [100, 1_000]));
      return firstDifference(relayed, readAll(readerOf(codec), bytes));
    });
  });
});

// A plain Chat message has no order of text and calls, and a streamed Messages citation begins where the last one ended.
test.each(["responses", "gemini"] as const)("parity of generated responses of the %s API", (wire) => {
  expectLaw(wire, parity);
});

describe.each(["chat", "messages"] as const)("exchanges of the %s API", (wire) => {
  test("a relay ends like a reader", () => {
    expectLaw(wire, ({ codec, bytes }) =>
      firstDifference(endOf(readAll(relayOf(codec), bytes, [100, 1_000])), endOf(readAll(readerOf(codec), bytes))),
    );
  });

  test("runs of deltas are the deltas one by one", () => {
    expectLaw(wire, ({ codec, bytes }) => difference(codec, bytes, [1 << 20]) ?? difference(codec, bytes, [97]));
  });
});

test("unread: the decoders read every field that the servers write, except these", () => {
  const unread = wireNames.map((wire) => {
    const streams = answers.map(([, events]) => exchangeOf(wires[wire], events).values);
    return [wire, unreadLaw(wires[wire].codec, () => testCtx(), streams)];
  });
  expect(Object.fromEntries(unread)).toEqual({
    responses: [],
    chat: ["choices[].delta.role", "choices[].delta.tool_calls[]<function>.type", "system_fingerprint"],
    messages: [
      "<content_block_delta>.delta<input_json_delta>.type",
      "<content_block_delta>.delta<signature_delta>.type",
      "<content_block_delta>.delta<text_delta>.type",
      "<content_block_delta>.delta<thinking_delta>.type",
      "<message_start>.message<message>.role",
      "<message_start>.message<message>.type",
    ],
    gemini: ["candidates[].content.role"],
  });
});
