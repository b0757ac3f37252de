import { describe, expect, test } from "vitest";
import { geminiCodec } from "../../../src/codecs/gemini/index.ts";
import { text } from "../../../src/core/views.ts";
import { isObject, isTerminal } from "../../../src/model/guards.ts";
import type { Item, UrlCitation } from "../../../src/model/index.ts";
import { decodeValues } from "../../../src/testing/laws.ts";
import { sseValues } from "../../support/sse-values.ts";
import { ctxOf, geminiRecordings } from "./recordings.ts";

const codec = geminiCodec();

describe("every recorded citation", () => {
  const grounded = geminiRecordings().filter((recording) => recording.status < 400 && recording.features.includes("grounding"));

  test(`of ${grounded.length} answers cites the very words that the server repeats`, () => {
    let cited = 0;
    for (const recording of grounded) {
      const values = recording.stream ? sseValues(recording.body()) : [recording.json()];
      const segments = values.flatMap(segmentsOf);
      const last = decodeValues(codec, ctxOf(recording), values).at(-1)!;
      if (!isTerminal(last)) throw new Error("The last event is not terminal.");
      for (const { start_index, end_index } of urlCitations(last.response.output)) {
        expect(segments).toContain(text(last.response).slice(start_index, end_index));
        cited += 1;
      }
    }
    expect(cited).toBeGreaterThan(80);
  });
});

const urlCitations = (items: readonly Item[]): UrlCitation[] =>
  items
    .flatMap((item) => (item.type === "message" ? item.content : []))
    .flatMap((part) => (part.type === "output_text" ? part.annotations : []))
    .filter((annotation) => annotation.type === "url_citation");

function segmentsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(segmentsOf);
  if (!isObject(value)) return [];
  const own = isObject(value["segment"]) && typeof value["segment"]["text"] === "string" ? [value["segment"]["text"]] : [];
  return [...own, ...Object.values(value).flatMap(segmentsOf)];
}
