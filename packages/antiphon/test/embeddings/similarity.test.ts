import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cosineSimilarity, dot, topK } from "../../src/embeddings/similarity.ts";

const vector = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 4, maxLength: 4 });

describe("similarity", () => {
  test("is 1 for one direction, -1 for opposite ones, 0 for right angles and for nothing", () => {
    expect(cosineSimilarity([1, 2, 3], [2, 4, 6])).toBeCloseTo(1);
    expect(cosineSimilarity([1, 0], [-3, 0])).toBeCloseTo(-1);
    expect(cosineSimilarity(Float32Array.of(1, 0), [0, 5])).toBe(0);
    expect(cosineSimilarity([0, 0], [1, 1])).toBe(0);
  });

  test("does not compare vectors of different lengths", () => {
    expect(() => dot([1], [1, 2])).toThrow("1 and 2 dimensions");
    expect(() => cosineSimilarity([1, 2, 3], [1, 2])).toThrow("3 and 2 dimensions");
  });

  test("the top k are those of a full sort, the earlier first among equals", () => {
    fc.assert(
      fc.property(vector, fc.array(vector, { maxLength: 40 }), fc.nat(12), fc.boolean(), (query, vectors, k, plain) => {
        const measure = plain ? dot : cosineSimilarity;
        const sorted = vectors
          .map((each, index) => ({ index, score: measure(query, each) }))
          .toSorted((a, b) => b.score - a.score || a.index - b.index);
        expect(topK(query, vectors, k, { measure })).toEqual(sorted.slice(0, k));
        const atLeast = sorted[Math.floor(sorted.length / 2)]?.score ?? 0;
        expect(topK(query, vectors, k, { measure, atLeast })).toEqual(sorted.filter(({ score }) => score >= atLeast).slice(0, k));
      }),
    );
  });

  test.each([-1, 1.5, Number.NaN])("a k of %s makes no sense", (k) => {
    expect(() => topK([1], [[1]], k)).toThrow("whole number");
  });
});
