import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blankResponse } from "../../src/core/blank-response.ts";
import { expand } from "../../src/core/expand.ts";
import { reduce } from "../../src/core/reduce.ts";
import { foldLaw, lifecycleLaw } from "../../src/testing/laws.ts";
import { responses } from "../support/arbitraries.ts";
import { runs } from "../support/runs.ts";

describe("expand", () => {
  test("tells any response as a lawful stream that folds back to it", () => {
    fc.assert(
      fc.property(responses, (response) => {
        const events = expand(response);
        expect(lifecycleLaw(events)).toBeUndefined();
        expect(foldLaw(events)).toBeUndefined();
        expect(reduce(events)).toEqual(response);
      }),
      { numRuns: runs(200, 20_000) },
    );
  });

  test("says every string in deltas, so that a reader of deltas misses nothing", () => {
    fc.assert(
      fc.property(responses, (response) => {
        const deltas = expand(response).flatMap((event) => (event.type === "response.output_text.delta" ? [event.delta] : []));
        const texts = response.output
          .flatMap((item) => (item.type === "message" ? item.content : []))
          .map((part) => (part.type === "output_text" ? part.text : ""));
        expect(deltas.join("")).toBe(texts.join(""));
      }),
      { numRuns: runs(100, 5_000) },
    );
  });

  test("gives a queued response no end", () => {
    const events = expand({ ...blankResponse("resp_1", 0, {}), status: "queued", background: true });
    expect(events.map((event) => event.type)).toEqual(["response.created", "response.queued"]);
  });

  test("ends a cancelled response as incomplete", () => {
    const response = { ...blankResponse("resp_1", 0, {}), status: "cancelled" as const };
    expect(expand(response).at(-1)?.type).toBe("response.incomplete");
  });
});
