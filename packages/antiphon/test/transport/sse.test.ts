import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AntiphonError } from "../../src/core/error.ts";
import { SseParser } from "../../src/transport/sse.ts";
import { runs } from "../support/runs.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function parse(chunks: readonly Uint8Array[], options?: { maxEventBytes?: number }): string[] {
  const parser = new SseParser(options);
  return [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end()];
}
const data = (text: string): string[] => parse([bytesOf(text)]);

function splitAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, index) => bytes.slice(index === 0 ? 0 : ends[index - 1], end));
}

describe("fields", () => {
  test("reads the data of an event, whatever its name", () =>
    expect(data('event: a.b\ndata: {"x":1}\n\ndata: 2\nevent: c\n\n')).toEqual(['{"x":1}', "2"]));
  test("takes an event without data for none", () => expect(data("event: a\n\ndata: 2\n\n")).toEqual(["2"]));
  test("takes data with and without a space, and keeps a second one", () =>
    expect(data("data:1\n\ndata: 2\n\ndata:  3\n\n")).toEqual(["1", "2", " 3"]));
  test("joins several data lines with a line feed", () => expect(data("data: a\ndata:\ndata: b\n\n")).toEqual(["a\n\nb"]));
  test("takes a field without a colon as an empty one", () => expect(data("data\n\n")).toEqual([""]));
  test("ignores comments, ids, retry times and unknown fields", () =>
    expect(data(": hello\nid: 7\nretry: 10\ndataset: x\ndatum: y\neventual: z\nfoo\ndata: 1\n\n")).toEqual(["1"]));
  test("takes plain JSON after the events for one more, over however many lines", () =>
    expect(data('data: 1\n\n{\n  "error": {\n    "data": 2\n  }\n}').map((text) => JSON.parse(text) as unknown)).toEqual([
      1,
      { error: { data: 2 } },
    ]));
  test("does not take a body of plain JSON for events", () => expect(data('{"error":1}\n\n')).toEqual([]));
  test("does not split at characters that only some take for line ends", () =>
    expect(data("data: a\u2028b\u0085c\vd\n\n")).toEqual(["a\u2028b\u0085c\vd"]));
});

describe("line ends", () => {
  test.each([
    ["CRLF", "\r\n"],
    ["CR", "\r"],
    ["LF", "\n"],
  ])("takes %s", (_, end) =>
    expect(data(["event: x", "data: 1", "data: 2", "", "data: 3", "", ""].join(end))).toEqual(["1\n2", "3"]),
  );
  test("delivers an event that ends in a lone CR without waiting for more", () => {
    const parser = new SseParser();
    expect(parser.push(bytesOf("data: 1\r\r"))).toEqual(["1"]);
    expect(parser.push(bytesOf("\ndata: 2\r\r"))).toEqual(["2"]);
  });
});

describe("the beginning and the end", () => {
  test("skips a byte order mark at the beginning only", () =>
    expect(data("\uFEFFdata: 1\n\ndata: \uFEFF2\n\n\uFEFFdata: 3\n\n")).toEqual(["1", "\uFEFF2"]));
  test.each(["data: 1", "data: 1\n", "data: 1\r", "data: 1\n\n"])("delivers the last event of %j", (text) =>
    expect(data(text)).toEqual(["1"]),
  );
  test("puts a replacement character for half a character at the end", () =>
    expect(parse([bytesOf("data: é").slice(0, -1)])).toEqual(["\uFFFD"]));
  test("gives nothing for nothing", () => {
    expect(parse([])).toEqual([]);
    expect(parse([new Uint8Array(0)])).toEqual([]);
  });
});

describe("chunking", () => {
  const awkward = bytesOf(
    '\uFEFFevent: a\r\ndata: {"é":"𝄞"}\r\n\r\n: ping\rdata:1\rdata: 2\r\r\n\ndata: \uFEFF\u2028\n\nid: 1\n\nevent: z\ndata: ü\r\n\ndata: last',
  );
  const whole = parse([awkward]);

  test("the fixture holds what it should", () => expect(whole).toEqual(['{"é":"𝄞"}', "1\n2", "\uFEFF\u2028", "ü", "last"]));

  test("any split into two gives the same frames", () => {
    for (let cut = 0; cut <= awkward.length; cut += 1) expect(parse(splitAt(awkward, [cut])), `cut at ${cut}`).toEqual(whole);
  });

  test("any split into three gives the same frames", () => {
    for (let first = 0; first <= awkward.length; first += 1)
      for (let second = first; second <= awkward.length; second += 1)
        expect(parse(splitAt(awkward, [first, second])), `cut at ${first} and ${second}`).toEqual(whole);
  });

  test("bytes that come one by one give the same frames", () =>
    expect(parse([...awkward].map((byte) => Uint8Array.of(byte)))).toEqual(whole));

  const piece = fc.oneof(
    fc.constantFrom("data:", "data: ", "event: ", "\n", "\n\n", "\r\n", "\r", ": c", "id: 1", "\uFEFF", "é", "𝄞", "x"),
    fc.string({ unit: "binary", maxLength: 8 }),
  );
  const stream = fc.array(piece, { maxLength: 40 }).map((pieces) => bytesOf(pieces.join("")));

  test("any split of any stream gives the same frames", () =>
    fc.assert(
      fc.property(stream, fc.array(fc.nat(400), { maxLength: 12 }), (bytes, cuts) => {
        expect(parse(splitAt(bytes, cuts))).toEqual(parse([bytes]));
      }),
      { numRuns: runs(500, 50_000) },
    ));

  test("a chunk that is larger than a block gives the same frames", () => {
    const text = Array.from({ length: 400 }, (_, index) => `data: ${index} ${"é–x".repeat(index % 60)}\n\n`).join("");
    const bytes = bytesOf(text);
    expect(parse([bytes])).toEqual(parse(splitAt(bytes, [1, 5_000, 5_001, 20_000])));
    expect(parse([bytes])).toHaveLength(400);
  });

  test("does not hold on to a chunk that its transport uses again", () => {
    const parser = new SseParser();
    const chunk = bytesOf("data: kept");
    parser.push(chunk);
    chunk.fill(0);
    expect(parser.push(bytesOf("\n\n"))).toEqual(["kept"]);
  });
});

describe("limits", () => {
  const overflow = (chunks: string[]): string[] => {
    const parser = new SseParser({ maxEventBytes: 100 });
    const seen: string[] = [];
    const run = (): void => {
      for (const chunk of chunks) seen.push(...parser.push(bytesOf(chunk)));
      seen.push(...parser.end());
    };
    expect(run).toThrowError(AntiphonError);
    expect(run).toThrowError(/more than 100 bytes. Raise `maxEventBytes`/);
    return seen;
  };

  test("refuses a line that is too long before its end comes", () => expect(overflow(["data: ", "x".repeat(200)])).toEqual([]));
  test("refuses a whole event that is too long", () => expect(overflow([`data: ${"x".repeat(101)}\n\n`])).toEqual([]));
  test("refuses many lines that are too long together", () =>
    expect(overflow(Array.from({ length: 5 }, () => `data: ${"x".repeat(30)}\n`))).toEqual([]));
  test("delivers what came before the event that is too long", () =>
    expect(overflow([`data: 1\n\ndata: ${"x".repeat(200)}`])).toEqual(["1"]));
  test("takes an event of exactly the limit, whole or in pieces", () => {
    const event = bytesOf(`data: ${"x".repeat(100)}\n\n`);
    expect(parse([event], { maxEventBytes: 100 })).toHaveLength(1);
    expect(parse(splitAt(event, [50, 105]), { maxEventBytes: 100 })).toHaveLength(1);
  });
  test("does not count events that are small one by one", () =>
    expect(parse([bytesOf(`data: ${"x".repeat(60)}\n\n`.repeat(50))], { maxEventBytes: 100 })).toHaveLength(50));
});
