import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { geminiCodec } from "../../../src/codecs/gemini/index.ts";
import { ByteIndex, byteLength } from "../../../src/codecs/gemini/utf8.ts";
import type { ResponseResource } from "../../../src/model/index.ts";
import { isTerminal } from "../../../src/model/guards.ts";
import { decodeValues } from "../../../src/testing/laws.ts";
import { runs } from "../../support/runs.ts";
import { ctxFor } from "./support.ts";

const codec = geminiCodec();
const answer = (said: string, metadata: object, more: object = {}): object => ({
  candidates: [{ content: { parts: [{ text: said }] }, groundingMetadata: metadata, finishReason: "STOP", ...more }],
});
const decode = (...values: unknown[]): ResponseResource => {
  const last = decodeValues(codec, ctxFor({}), values).at(-1)!;
  if (!isTerminal(last)) throw new Error("The last event is not terminal.");
  return last.response;
};
const annotations = (response: ResponseResource): unknown[] =>
  response.output
    .flatMap((item) => (item.type === "message" ? item.content : []))
    .flatMap((part) => (part.type === "output_text" ? part.annotations : []));
const bytes = (said: string, span: string): { startIndex: number; endIndex: number; text: string } => {
  const startIndex = byteLength(said.slice(0, said.indexOf(span)));
  return { startIndex, endIndex: startIndex + byteLength(span), text: span };
};

describe("V14 citations", () => {
  const web = (uri: string, title: string): object => ({ web: { uri, title } });

  test.each([
    ["plain", "Oslo is cold. Rome is warm.", "Rome is warm."],
    ["accented", "Zürich ist schön. Málaga es cálida.", "Málaga es cálida."],
    ["wide", "天気：🌤️ 66°F。ローマは暑い。", "ローマは暑い。"],
  ])("of %s text are found by bytes and told in code units", (_, said, span) => {
    const response = decode(
      answer(said, {
        webSearchQueries: ["weather"],
        groundingChunks: [web("https://a.example", "A"), web("https://b.example", "B")],
        groundingSupports: [{ segment: bytes(said, span), groundingChunkIndices: [1, 0] }],
      }),
    );
    const start_index = said.indexOf(span);
    const place = { start_index, end_index: start_index + span.length };
    expect(annotations(response)).toEqual([
      { type: "url_citation", url: "https://b.example", title: "B", ...place },
      { type: "url_citation", url: "https://a.example", title: "A", ...place },
    ]);
    expect(response.output[1]).toMatchObject({
      type: "web_search_call",
      action: { type: "search", query: "weather", sources: [{ url: "https://a.example" }, { url: "https://b.example" }] },
    });
  });

  test("arrive with the last chunk for the text of all", () => {
    const said = "Grüße aus Köln.";
    const response = decode(
      { candidates: [{ content: { parts: [{ text: "Grüße " }] }, groundingMetadata: {} }] },
      answer("aus Köln.", {
        groundingChunks: [web("https://a.example", "A")],
        groundingSupports: [{ segment: bytes(said, "Köln."), groundingChunkIndices: [0] }],
      }),
    );
    expect(annotations(response)).toMatchObject([{ start_index: 10, end_index: 15 }]);
  });

  test("are found by their text where the bytes count from another part", () => {
    const segment = { startIndex: 0, endIndex: 7, text: "It was." };
    const response = decode({
      candidates: [
        {
          content: { parts: [{ text: "So. " }, { text: "It was." }] },
          groundingMetadata: {
            groundingChunks: [web("https://a.example", "A")],
            groundingSupports: [{ segment, groundingChunkIndices: [0] }],
          },
          finishReason: "STOP",
        },
      ],
    });
    expect(annotations(response)).toMatchObject([{ start_index: 4, end_index: 11 }]);
  });

  test("survive a call, and a signature, after the text", () => {
    const metadata = {
      groundingChunks: [web("https://a.example", "A")],
      groundingSupports: [{ segment: bytes("Cold.", "Cold."), groundingChunkIndices: [0] }],
    };
    const parts = [{ text: "Cold." }, { text: "", thoughtSignature: "S" }, { functionCall: { name: "f" } }];
    const response = decode({ candidates: [{ content: { parts }, groundingMetadata: metadata, finishReason: "STOP" }] });
    expect(response.output.map(({ type }) => type)).toEqual(["message", "reasoning", "function_call"]);
    expect(annotations(response)).toHaveLength(1);
  });

  test("that no text can be found for are reported", () => {
    const decoder = codec.createDecoder(ctxFor({}));
    decoder.push(
      answer("", {
        groundingChunks: [web("https://a.example", "A")],
        groundingSupports: [{ segment: { endIndex: 3, text: "abc" }, groundingChunkIndices: [0] }],
      }),
    );
    decoder.end();
    expect(decoder.repairs).toEqual([{ rule: "citation-without-text", count: 1 }]);
  });

  test("of stored files name the file, and the search is told", () => {
    const response = decode(
      answer("Paris.", {
        retrievalQueries: ["capital"],
        groundingChunks: [{ retrievedContext: { documentName: "doc_1", title: "geo.txt", text: "Paris is the capital." } }],
        groundingSupports: [{ segment: { endIndex: 6 }, groundingChunkIndices: [0] }],
      }),
    );
    expect(annotations(response)).toEqual([{ type: "file_citation", file_id: "doc_1", filename: "geo.txt", index: 6 }]);
    expect(response.output[1]).toMatchObject({
      type: "file_search_call",
      queries: ["capital"],
      results: [{ file_id: "doc_1", filename: "geo.txt", text: "Paris is the capital." }],
    });
  });

  test("of what the model recites keep the licence; those without an address are no citations", () => {
    const citationSources = [
      { startIndex: 0, endIndex: 4, uri: "https://c.example", license: "mit" },
      { endIndex: 2, uri: "" },
    ];
    expect(annotations(decode(answer("code", {}, { citationMetadata: { citationSources } })))).toEqual([
      { type: "url_citation", url: "https://c.example", title: "", start_index: 0, end_index: 4, "google:license": "mit" },
    ]);
  });
});

test("pages that the model opened are told before its answer, each once", () => {
  const page = (retrievedUrl: string | undefined, status: string): object => ({
    retrievedUrl,
    urlRetrievalStatus: `URL_RETRIEVAL_STATUS_${status}`,
  });
  const urlMetadata = [page("https://a.example", "SUCCESS"), page(undefined, "ERROR")];
  const again = [page("https://a.example", "SUCCESS")];
  const response = decode(
    { candidates: [{ content: { parts: [{ text: "It " }] }, urlContextMetadata: { urlMetadata } }] },
    {
      candidates: [{ content: { parts: [{ text: "says." }] }, urlContextMetadata: { urlMetadata: again }, finishReason: "STOP" }],
    },
  );
  expect(response.output).toMatchObject([
    { type: "web_search_call", status: "completed", action: { type: "open_page", url: "https://a.example" } },
    { type: "web_search_call", status: "failed", action: { type: "open_page", url: null } },
    { type: "message" },
  ]);
});

test("the search entry point that Google wants shown is passed on", () => {
  const response = decode(answer("x", { webSearchQueries: ["q"], searchEntryPoint: { renderedContent: "<b>q</b>" } }));
  expect(response.output[1]).toMatchObject({ "google:searchEntryPoint": "<b>q</b>" });
});

describe("bytes and code units", () => {
  test("agree with the encoder at every cut between characters", () => {
    const property = fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 3 }), { maxLength: 12 }), (pieces) => {
      const whole = pieces.join("");
      const index = new ByteIndex(whole);
      let unit = 0;
      for (const piece of pieces) {
        unit += piece.length;
        const byte = byteLength(whole.slice(0, unit));
        expect([index.toUnit(byte), index.toByte(unit)]).toEqual([unit, byte]);
      }
    });
    fc.assert(property, { numRuns: runs(100, 5_000) });
  });

  test("end at the end of the text", () => {
    expect([new ByteIndex("ab").toUnit(99), new ByteIndex("é").toUnit(99), new ByteIndex("é").toByte(99)]).toEqual([2, 1, 2]);
  });
});
