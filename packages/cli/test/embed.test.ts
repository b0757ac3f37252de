import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { piecesOf } from "../src/embedding-lines.ts";
import { antiphon, jsonLines } from "./support/antiphon.ts";

let cwd: string;
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), "antiphon-embed-"))));
afterEach(() => rmSync(cwd, { recursive: true }));

interface Line {
  id: string;
  text: string;
  model: string;
  embedding: number[];
}

describe("embed create", () => {
  test("prints a vector for each line of standard input, in their order", async () => {
    const input = 'plain\n\n"in quotes"\n{"id":7,"text":"an object"}\n';
    const { stdout, code } = await antiphon(["embed", "create", "--dimensions", "8"], input);
    const lines = jsonLines<Line>(stdout);
    expect(lines.map(({ id, text }) => [id, text])).toEqual([
      ["stdin:1", "plain"],
      ["stdin:3", "in quotes"],
      ["7", "an object"],
    ]);
    expect(lines.map(({ model, embedding }) => [model, embedding.length])).toEqual(Array(3).fill(["offline-embedding", 8]));
    expect(code).toBe(0);
  });

  test("cuts files into pieces, takes lines of .jsonl as they are, and writes to a file", async () => {
    writeFileSync(join(cwd, "a.txt"), "one two three four five six");
    writeFileSync(join(cwd, "b.jsonl"), '{"id":"b","text":"whole"}\n');
    const args = ["embed", "create", "--chunk-size", "10", "--chunk-overlap", "0", "-o", "index.jsonl", "a.txt", "b.jsonl"];
    const { stdout, code } = await antiphon(args, "", { cwd });
    const lines = jsonLines<Line & { offset?: number }>(readFileSync(join(cwd, "index.jsonl"), "utf8"));
    expect(lines.map(({ id, text }) => [id, text])).toEqual([
      ["a.txt:0", "one two "],
      ["a.txt:8", "three four"],
      ["a.txt:18", " five six"],
      ["b", "whole"],
    ]);
    expect({ stdout, code }).toEqual({ stdout: "", code: 0 });
  });

  test.each([
    [[], "", "the input contains no text", 1],
    [["nothing.txt"], "", "cannot read nothing.txt", 1],
    [["-"], '{"id":1}\n', "stdin:1: the object requires a non-empty", 1],
    [["-o", "no/such/folder.jsonl"], "x", "cannot write no/such/folder.jsonl", 1],
    [["--chunk-size", "5", "--chunk-overlap", "5", "-"], "x", "--chunk-overlap must be less", 2],
  ])("%j reports the problem", async (args, input, message, expected) => {
    const { stderr, code } = await antiphon(["embed", "create", ...args], input, { cwd });
    expect(stderr).toContain(message);
    expect(code).toBe(expected);
  });
});

test("pieces cover a file without a gap, none longer than it may be", () => {
  const file = join(cwd, "x.txt");
  const cuts = fc.integer({ min: 1, max: 30 }).chain((size) => fc.record({ size: fc.constant(size), overlap: fc.nat(size - 1) }));
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "bb", "\n", " ", "é", "ccc"), { maxLength: 80 }), cuts, (parts, cut) => {
      const text = parts.join("");
      writeFileSync(file, text);
      const pieces = piecesOf(file, cut);
      const covered = new Set<number>();
      for (const piece of pieces) {
        expect(piece.text.length).toBeLessThanOrEqual(cut.size);
        expect(text.startsWith(piece.text, piece.offset)).toBe(true);
        for (let at = 0; at < piece.text.length; at += 1) covered.add(piece.offset! + at);
      }
      const missed =
        [...text].length === 0
          ? ""
          : text
              .split("")
              .filter((_, at) => !covered.has(at))
              .join("");
      expect(missed.trim()).toBe("");
    }),
  );
});

describe("embed search", () => {
  const index = async (): Promise<void> => {
    const texts = "the cat sat on the mat\nstocks fell today\na dog and a cat\n";
    writeFileSync(join(cwd, "index.jsonl"), (await antiphon(["embed", "create"], texts)).stdout);
  };

  test("prints the nearest first", async () => {
    await index();
    const { stdout, code } = await antiphon(["embed", "search", "-i", "index.jsonl", "-n", "2", "stocks today"], "", { cwd });
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^0\.\d{3} {2}stdin:2 {2}stocks fell today$/);
    expect(code).toBe(0);
  });

  test("prints JSON for programs, and leaves out what is not alike", async () => {
    await index();
    const args = ["embed", "search", "--json", "--at-least", "0.5", "-i", "index.jsonl", "stocks fell today"];
    const lines = jsonLines<{ score: number; id: string }>((await antiphon(args, "", { cwd })).stdout);
    expect(lines).toEqual([
      { score: expect.closeTo(1, 3) as number, id: "stdin:2", text: "stocks fell today", model: "offline-embedding" },
    ]);
  });

  test("refuses to compare what different models made", async () => {
    await index();
    const { stderr, code } = await antiphon(["embed", "search", "--dimensions", "16", "-i", "index.jsonl", "x"], "", { cwd });
    expect(stderr).toContain("use the same --model and --dimensions");
    expect(code).toBe(1);
  });

  test.each([
    [["-i", "nothing.jsonl", "x"], "--index: cannot read nothing.jsonl", 1],
    [["x"], "--index is required", 2],
    [["-i", "bad.jsonl", "x"], "bad.jsonl:2: this line has no vector", 1],
    [["-i", "bad.jsonl"], "specify a query", 2],
  ])("%j reports the problem", async (args, message, expected) => {
    writeFileSync(join(cwd, "bad.jsonl"), '\n{"id":"a","embedding":["x"]}\n');
    const { stderr, code } = await antiphon(["embed", "search", ...args], "", { cwd });
    expect(stderr).toContain(message);
    expect(code).toBe(expected);
  });
});
