import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../../../antiphon/test/support/runs.ts";
import { lines } from "../security/end-to-end/support/raw.ts";
import { RequestParser } from "../../src/node/request-parser.ts";
import { readWithNode, readWithParser } from "./support/readers.ts";
import { requests } from "./support/requests.ts";

const bytesOf = (text: string): Buffer => Buffer.from(text, "latin1");
const read = (text: string) => readWithParser([bytesOf(text)]);
const host = "host: localhost";
const chunks = lines("POST / HTTP/1.1", host, "transfer-encoding: chunked");

const fixtures: Readonly<Record<string, string>> = {
  "a request without a body": lines("GET /a?b HTTP/1.1", host),
  "a body of a length": `${lines("POST / HTTP/1.1", host, "content-length: 5")}12345`,
  "chunks, with what may stand beside and behind them": `${chunks}3;a=b;c="d\\""\r\nabc\r\n0a\r\n0123456789\r\n0\r\na: b\r\n\r\n`,
  "three, one behind the other": `${lines("GET /1 HTTP/1.1", host)}${chunks}1\r\nx\r\n0\r\n\r\n${lines("GET /3 HTTP/1.1", host)}`,
  "an empty line before it": `\r\n${lines("GET / HTTP/1.1", host)}`,
  "the last of a connection": `${lines("GET / HTTP/1.1", host, "connection: close")}${lines("GET /2 HTTP/1.1", host)}`,
  "a good one before a bad one": `${lines("GET / HTTP/1.1", host)}${lines("GET / HTTP/1.1", "host : a")}`,
  "bad chunks": `${chunks}2\r\nabc\r\n0\r\n\r\n`,
  "two empty lines before it": `\r\n\r\n${lines("GET / HTTP/1.1", host)}`,
};

describe("however bytes are cut", () => {
  test.each(Object.entries(fixtures))("the same is read: %s", (_, text) => {
    const bytes = bytesOf(text);
    const whole = readWithParser([bytes]);
    expect(whole.seen.length + (whole.refused ?? 0)).toBeGreaterThan(0);
    for (let cut = 1; cut < bytes.length; cut += 1)
      expect({ cut, ...readWithParser([bytes.subarray(0, cut), bytes.subarray(cut)]) }).toEqual({ cut, ...whole });
    expect(readWithParser([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
  });

  test("the same is read, of any requests", () => {
    fc.assert(
      fc.property(requests, fc.array(fc.nat(10_000), { maxLength: 6 }), (bytes, cuts) => {
        const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
        const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        const [whole, parts] = [readWithParser([bytes]), readWithParser(pieces)];
        expect(parts.seen).toEqual(whole.seen);
        expect(parts.refused === undefined).toBe(whole.refused === undefined);
      }),
      { numRuns: runs(500, 100_000) },
    );
  });
});

test("whatever is read, Node's own server reads in the same way", { timeout: runs(60_000, 3_600_000) }, async () => {
  let read = 0;
  await fc.assert(
    fc.asyncProperty(requests, async (bytes) => {
      const { seen, used } = readWithParser([bytes]);
      if (seen.length === 0) return;
      read += seen.length;
      // Behind bytes that it refuses, Node does not tell of the request before them, either.
      expect(await readWithNode(bytes.subarray(0, used))).toEqual(seen);
    }),
    { numRuns: runs(1_000, 200_000) },
  );
  // Where all were refused, nothing was compared.
  expect(read).toBeGreaterThan(runs(100, 20_000));
});

describe("a head", () => {
  test.each<[string, string, number]>([
    ["a version that is none", lines("GET / HTTP/1.10", host), 400],
    ["a version in small letters", lines("GET / http/1.1", host), 400],
    ["no version", lines("GET /", host), 400],
    ["two blanks", lines("GET  / HTTP/1.1", host), 400],
    ["a blank behind the version", lines("GET / HTTP/1.1 ", host), 400],
    ["a blank in front", lines(" GET / HTTP/1.1", host), 400],
    ["a method in small letters", lines("get / HTTP/1.1", host), 400],
    ["a target without a slash", lines("GET v1 HTTP/1.1", host), 400],
    ["a target with a fragment", lines("GET /#a HTTP/1.1", host), 400],
    ["a target beyond ASCII", lines("GET /\xe9 HTTP/1.1", host), 400],
    ["DEL in a target", lines("GET /\x7f HTTP/1.1", host), 400],
    ["another scheme", lines("GET ftp://a/ HTTP/1.1", host), 400],
    ["two hosts", lines("GET / HTTP/1.1", host, host), 400],
    ["chunks from HTTP/1.0", lines("POST / HTTP/1.0", "transfer-encoding: chunked"), 400],
    ["a tab beside a length", lines("POST / HTTP/1.1", host, "content-length: 3\t"), 400],
    ["a tab beside a coding", lines("POST / HTTP/1.1", host, "Transfer-Encoding:\tchunked"), 400],
    ["an empty length", lines("POST / HTTP/1.1", host, "content-length:"), 400],
    ["more headers than anybody has", lines("GET / HTTP/1.1", host, ...Array.from({ length: 2_000 }, () => "a:")), 431],
    ["a head that is too long", lines("GET / HTTP/1.1", host, `a: ${"x".repeat(64 * 1024)}`), 431],
    ["a head that never ends", `GET / HTTP/1.1\r\na: ${"x".repeat(64 * 1024)}`, 431],
    ["TLS", "\x16\x03\x01\x02\x00", 400],
    ["half a line that ends in LF", "GET / HTTP/1.1\n", 400],
    ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
    ["CONNECT, without a word", lines("CONNECT a:443 HTTP/1.1", "host: a:443"), 0],
  ])("is refused: %s", (_, text, status) => {
    expect(read(text)).toMatchObject({ seen: [], refused: status });
  });

  test("has its headers by name, joined where they come again, and without the blanks around them", () => {
    const parser = new RequestParser();
    parser.push(
      bytesOf(lines("GET / HTTP/1.1", "HOST:localhost", "X-A: \t1 2\t ", "x-a:3", "cookie: a", "Cookie: b", "x-b: \xe9")),
    );
    const head = parser.readHead();
    if (!head || typeof head === "number") throw new Error("There is no head.");
    const names = ["host", "x-a", "cookie", "x-b", "x-c", "x"];
    expect(names.map((name) => head.get(name))).toEqual(["localhost", "1 2, 3", "a; b", "\xe9", null, null]);
    expect(head.all()).toEqual({ host: "localhost", "x-a": "1 2, 3", cookie: "a; b", "x-b": "\xe9" });
  });

  test.each<[string, string[], object]>([
    ["stays by itself", ["GET / HTTP/1.1", host], { keeps: true }],
    ["leaves where it says so", ["GET / HTTP/1.1", host, "connection: x, Close"], { keeps: false }],
    ["of HTTP/1.0 leaves", ["GET / HTTP/1.0"], { keeps: false }],
    ["of HTTP/1.0 stays where it says so", ["GET / HTTP/1.0", "connection: Keep-Alive"], { keeps: true }],
    ["is a WebSocket's", ["GET / HTTP/1.1", host, "connection: a, Upgrade", "upgrade: WebSocket"], { upgrades: true }],
    ["offers something else", ["GET / HTTP/1.1", host, "connection: upgrade", "upgrade: h2c"], { upgrades: false }],
    ["has a body, and no WebSocket", webSocketWithBody(), { upgrades: false, bodyLength: 5 }],
    ["does not mean it", ["GET / HTTP/1.1", host, "upgrade: websocket"], { upgrades: false }],
    ["of HTTP/1.0 knows no WebSockets", ["GET / HTTP/1.0", "connection: upgrade", "upgrade: websocket"], { upgrades: false }],
  ])("%s", (_, said, expected) => {
    const parser = new RequestParser();
    parser.push(bytesOf(lines(...said)));
    expect(parser.readHead()).toMatchObject(expected);
  });
});

function webSocketWithBody(): string[] {
  return ["POST / HTTP/1.1", host, "connection: upgrade", "upgrade: websocket", "content-length: 5"];
}

describe("chunks", () => {
  test.each<[string, string, number]>([
    ["a size beyond counting", `${"f".repeat(14)}\r\n`, 400],
    ["no size", "\r\n", 400],
    ["a size with a sign", "+1\r\nx\r\n0\r\n\r\n", 400],
    ["a size with 0x", "0x1\r\nx\r\n0\r\n\r\n", 400],
    ["a blank behind a size", "1 \r\nx\r\n0\r\n\r\n", 400],
    ["LF behind a size", "1\nx\r\n0\r\n\r\n", 400],
    ["LF behind a chunk", "1\r\nx\n0\r\n\r\n", 400],
    ["a carriage return in an extension", "1;a\rb\r\nx\r\n0\r\n\r\n", 400],
    ["more beside them than anybody needs", `1;${"a".repeat(17_000)}\r\nx\r\n0\r\n\r\n`, 413],
    ["more and more beside them", `1;${"a".repeat(1_000)}\r\nx\r\n`.repeat(20), 413],
    ["a line beside them that never ends", `1;${"a".repeat(17_000)}`, 413],
    ["a trailer that is none", "0\r\na b\r\n\r\n", 400],
    ["a length behind them", "0\r\nContent-Length: 5\r\n\r\n", 400],
    ["more trailers than anybody needs", `0\r\n${`a: ${"x".repeat(1_000)}\r\n`.repeat(70)}\r\n`, 431],
  ])("are refused: %s", (_, body, status) => {
    expect(read(chunks + body)).toMatchObject({ seen: [], refused: status });
  });

  test("of a byte each are one piece, as they came", () => {
    const parser = new RequestParser();
    parser.push(bytesOf(`${chunks}${"1\r\nx\r\n".repeat(1_000)}0\r\n\r\n`));
    parser.readHead();
    expect(String(parser.readBody())).toBe("x".repeat(1_000));
    expect([parser.isComplete, parser.waiting]).toEqual([true, 0]);
  });
});
