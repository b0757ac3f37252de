import { request as requestHttp } from "node:http";
import { Duplex } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ResponseHead } from "../../src/node/response-head.ts";
import { ResponseParser } from "../../src/node/response-parser.ts";
import { runs } from "../support/runs.ts";

interface Outcome {
  status?: number;
  body: string;
  /** Whether it is whole, and then whether no other answer may follow on the connection. */
  isLast?: boolean;
  fault?: string;
}

/** What a parser makes of some pieces, after which the server closes. */
function parse(pieces: readonly Buffer[], { isBodiless = false, closes = true } = {}): Outcome & { head?: ResponseHead } {
  const outcome: Outcome & { head?: ResponseHead } = { body: "" };
  const parser = new ResponseParser();
  parser.begin(
    {
      onHead: (head) => Object.assign(outcome, { head, status: head.status }),
      onBytes: (bytes) => (outcome.body += bytes.toString("latin1")),
      onEnd: (isLast) => (outcome.isLast = isLast),
      onFault: (fault) => (outcome.fault = fault),
    },
    isBodiless,
  );
  for (const piece of pieces) parser.push(piece);
  if (closes) parser.end();
  return outcome;
}

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
const byteByByte = (bytes: Buffer): Buffer[] => Array.from(bytes, (byte) => Buffer.of(byte));
const ok = (rest: string): string => `HTTP/1.1 200 OK\r\n${rest}`;
const chunked = (rest: string): string => ok(`transfer-encoding: chunked\r\n\r\n${rest}`);

/** Answers, and what they are. */
const good: Record<string, [text: string, outcome: Outcome]> = {
  "a length": [ok("content-length: 5\r\n\r\nhello"), { status: 200, body: "hello", isLast: false }],
  "no body at all": [ok("Content-Length: 0\r\n\r\n"), { status: 200, body: "", isLast: false }],
  chunks: [chunked('5\r\nhello\r\n1;a=b;c="d;\\""\r\n!\r\n0\r\n\r\n'), { status: 200, body: "hello!", isLast: false }],
  "chunks that hold line ends": [
    chunked("4\r\n\r\n\r\n\r\n00a\r\n0123456789\r\n000\r\n\r\n"),
    { status: 200, body: "\r\n\r\n0123456789", isLast: false },
  ],
  trailers: [chunked("A\r\n0123456789\r\n0\r\nx-sum: 1\r\nx-more:\r\n\r\n"), { status: 200, body: "0123456789", isLast: false }],
  "a body until the end": [ok("\r\nall of it"), { status: 200, body: "all of it", isLast: true }],
  "an empty body until the end": [ok("\r\n"), { status: 200, body: "", isLast: true }],
  "a status without words": ["HTTP/1.1 204\r\n\r\n", { status: 204, body: "", isLast: false }],
  "a status that has no body": [
    "HTTP/1.1 304 Not Modified\r\ncontent-length: 100\r\n\r\n",
    { status: 304, body: "", isLast: false },
  ],
  "answers before the answer": [
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n${ok("content-length: 1\r\n\r\nx")}`,
    { status: 200, body: "x", isLast: false },
  ],
  "a connection that is closed": [
    ok("content-length: 1\r\nConnection: TE, Close\r\n\r\nx"),
    { status: 200, body: "x", isLast: true },
  ],
  "closed and kept at once": [
    ok("connection: close\r\nconnection: keep-alive\r\ncontent-length: 1\r\n\r\nx"),
    { status: 200, body: "x", isLast: true },
  ],
  "1.0": ["HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\nx", { status: 200, body: "x", isLast: true }],
  "1.0 that is kept": [
    "HTTP/1.0 200 OK\r\nconnection: Keep-Alive\r\ncontent-length: 1\r\n\r\nx",
    { status: 200, body: "x", isLast: false },
  ],
  "chunks of 1.0": [
    "HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
    { status: 200, body: "x", isLast: true },
  ],
};

const malformed = "a malformed head";
const noHttp = "an answer that is not HTTP/1";
const encoding = "an unknown transfer encoding";
const length = "a content length that is not a number";
const size = "a chunk without a size";
const chunk = "a malformed chunk";

/** What is no answer, or could be read as two different ones, and what is said of it. */
const bad: Record<string, [text: string, fault: string]> = {
  "another protocol": ["SSH-2.0-OpenSSH_9.6\r\n", noHttp],
  "HTTP/2": ["HTTP/2.0 200 OK\r\n\r\n", noHttp],
  "no version": ["HTTP/1\r\n\r\n", noHttp],
  "HTTP/1.2": ["HTTP/1.2 200 OK\r\n\r\n", malformed],
  "small letters": ["http/1.1 200 OK\r\n\r\n", noHttp],
  "an empty line first": [`\r\n${ok("\r\n")}`, noHttp],
  "two digits": ["HTTP/1.1 20 OK\r\n\r\n", malformed],
  "four digits": ["HTTP/1.1 2000 OK\r\n\r\n", malformed],
  "a status below 100": ["HTTP/1.1 099 OK\r\n\r\n", malformed],
  "two spaces": ["HTTP/1.1  200 OK\r\n\r\n", malformed],
  "another protocol, as asked by nobody": ["HTTP/1.1 101 Switching Protocols\r\n\r\n", "an unexpected change of protocol"],
  "interim answers without an end": ["HTTP/1.1 100 Continue\r\n\r\n".repeat(33), "too many interim responses"],
  "an interim answer of 1.0": [`HTTP/1.0 100 Continue\r\n\r\n${ok("\r\n")}`, "an interim response without a final one"],
  "a bare line feed": [ok("a: b\ncontent-length: 0\r\n\r\n"), malformed],
  "bare line feeds only": ["HTTP/1.1 200 OK\ncontent-length: 1\n\nx", malformed],
  "a bare carriage return": [ok("a: b\rcontent-length: 0\r\n\r\n"), malformed],
  "a zero": [ok("a: b\0\r\n\r\n"), malformed],
  "a zero in a name": [ok("a\0: b\r\n\r\n"), malformed],
  "a delete": [ok("a: b\x7f\r\n\r\n"), malformed],
  "no colon": [ok("content-length\r\n\r\n"), malformed],
  "no name": [ok(": b\r\n\r\n"), malformed],
  "a space before the colon": [ok("content-length : 5\r\n\r\nhello"), malformed],
  "a tab before the colon": [ok("transfer-encoding\t: chunked\r\n\r\n"), malformed],
  "a folded line": [ok("a: b\r\n c\r\n\r\n"), malformed],
  "a name that is no token": [ok("a(b): c\r\n\r\n"), malformed],
  "a content length together with chunks": [
    ok("content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"),
    "a content length together with chunks",
  ],
  "chunks beside a length": [
    ok("transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n"),
    "a content length together with chunks",
  ],
  "two content lengths": [ok("content-length: 5\r\nContent-Length: 6\r\n\r\nhello"), "two content lengths"],
  "the same length twice": [ok("content-length: 5\r\ncontent-length: 5\r\n\r\nhello"), "two content lengths"],
  "two lengths in one": [ok("content-length: 5, 5\r\n\r\nhello"), length],
  "a length with a sign": [ok("content-length: +5\r\n\r\nhello"), length],
  "a negative length": [ok("content-length: -1\r\n\r\n"), length],
  "a hexadecimal length": [ok("content-length: 0x5\r\n\r\nhello"), length],
  "an empty length": [ok("content-length:\r\n\r\n"), length],
  "a length that no number holds": [ok("content-length: 18446744073709551621\r\n\r\nhello"), length],
  "a coding that is almost chunked": [ok("transfer-encoding: xchunked\r\n\r\n0\r\n\r\n"), encoding],
  "chunked, and then not": [ok("transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n"), encoding],
  "packed chunks": [ok("transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n"), encoding],
  "chunked twice": [ok("transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"), encoding],
  "no coding": [ok("transfer-encoding:\r\n\r\n"), encoding],
  "a coding after another kind of blank": [ok("transfer-encoding: \xa0chunked\r\n\r\n0\r\n\r\n"), encoding],
  "a chunk without a size": [chunked("\r\nhello\r\n"), size],
  "a size that is no number": [chunked("g\r\nhello\r\n"), size],
  "a size with a sign": [chunked("+5\r\nhello\r\n"), size],
  "a negative size": [chunked("-5\r\nhello\r\n"), size],
  "a size with a prefix": [chunked("0x5\r\nhello\r\n"), chunk],
  "a space before a size": [chunked(" 5\r\nhello\r\n"), size],
  "a space behind a size": [chunked("5 \r\nhello\r\n0\r\n\r\n"), chunk],
  "a size that no number holds": [chunked("10000000000000005\r\nhello\r\n"), "a chunk with an invalid size"],
  "a line feed behind a size": [chunked("5\nhello\r\n"), chunk],
  "half a line end behind a size": [chunked("5\rhello\r\n"), chunk],
  "a chunk that is too long": [chunked("4\r\nhello\r\n"), "a chunk that is longer than its size"],
  "a chunk with half a line end": [chunked("5\r\nhello\rx"), "a chunk that is longer than its size"],
  "a line feed in an extension": [chunked("5;a\nb\r\nhello\r\n"), "malformed chunk extensions"],
  "a quote that stays open": [chunked('5;a="b\r\nhello\r\n'), "malformed chunk extensions"],
  "extensions without an end": [chunked(`5;${"a".repeat(1100)}`), "chunk extensions that are too large"],
  "a trailer without a colon": [chunked("0\r\noops\r\n\r\n"), "malformed trailers"],
  "a line feed in a trailer": [chunked("0\r\na: b\nc: d\r\n\r\n"), "malformed trailers"],
  "trailers without an end": [chunked(`0\r\na: ${"a".repeat(17_000)}`), "trailers that are too large"],
};

describe("an answer", () => {
  test.each(Object.entries(good))("with %s is read, however it is split", (_, [text, outcome]) => {
    const bytes = latin1(text);
    for (let at = 0; at <= bytes.length; at += 1)
      expect(parse([bytes.subarray(0, at), bytes.subarray(at)])).toMatchObject(outcome);
    expect(parse(byteByByte(bytes))).toMatchObject(outcome);
  });

  test.each(Object.entries(bad))("with %s is refused, however it is split", (_, [text, fault]) => {
    const bytes = latin1(text);
    // Splitting what is only there for its length proves no more.
    const longest = Math.min(bytes.length, 200);
    for (let at = 0; at <= longest; at += 1) expect(parse([bytes.subarray(0, at), bytes.subarray(at)])).toMatchObject({ fault });
    const outcome = parse(byteByByte(bytes.subarray(0, 2_000)));
    if (bytes.length <= 2_000) expect(outcome).toMatchObject({ fault });
    expect(outcome.isLast).toBeUndefined();
  });

  test.each(Object.entries(good))("with %s is not whole before its end", (name, [text]) => {
    const bytes = latin1(text);
    const isOpen = name.includes("until the end");
    for (let at = 0; at < bytes.length; at += 1) {
      const { isLast, fault } = parse([bytes.subarray(0, at)], { closes: !isOpen });
      expect([isLast, fault]).toEqual([undefined, undefined]);
    }
  });

  test.each(Object.entries(good).filter(([name]) => !name.includes("until the end")))(
    "with %s is whole, but the last, where more follows",
    (_, [text, { status, body }]) => {
      expect(parse([latin1(`${text}H`)])).toMatchObject({ status, body, isLast: true });
    },
  );

  test("to HEAD has no body, whatever it says", () => {
    const bytes = latin1(ok("content-length: 5\r\n\r\n"));
    expect(parse([bytes], { isBodiless: true })).toMatchObject({ status: 200, body: "", isLast: false });
  });

  test("has a head of 64 KiB at most", () => {
    const head = (size: number): string => `HTTP/1.1 204\r\na: ${"x".repeat(size - 17)}`;
    expect(parse([latin1(`${head(65_536)}\r\n\r\n`)])).toMatchObject({ isLast: false });
    expect(parse([latin1(`${head(65_536)}\r\n\r`), latin1("\n")])).toMatchObject({ isLast: false });
    expect(parse([latin1(`${head(65_537)}\r\n\r\n`)])).toMatchObject({ fault: "a head that is too large" });
    expect(parse([latin1(head(65_540))])).toMatchObject({ fault: "a head that is too large" });
  });

  test("gives headers under any spelling of their names, without the blanks around them, and joined", () => {
    const text = ok(
      "X-One: \t a b \t\r\nx-two:\r\nX-ONE:c\r\nx-on: d\r\nkeep-alive: max=3, timeout=5\r\ncontent-length: 0\r\n\r\n",
    );
    const { head } = parse([latin1(text)]);
    expect(["x-one", "X-Two", "x-three", "200 ok", ""].map((name) => head!.get(name))).toEqual(["a b, c", "", null, null, null]);
    expect(head!.keptFor).toBe(5);
  });

  test("is handed over in one piece for each push, which what is pushed has no part in", () => {
    const parser = new ResponseParser();
    const seen: Buffer[] = [];
    parser.begin({ onHead: () => {}, onBytes: (piece) => seen.push(piece), onEnd: () => {}, onFault: () => {} });
    for (const text of [chunked("5\r\nhello\r\n5\r\nthe"), "re\r\n1\r", "\n!\r\n0\r\n\r\n"]) {
      const bytes = latin1(text);
      parser.push(bytes);
      bytes.fill(0);
    }
    expect(seen.map(String)).toEqual(["hellothe", "re", "!"]);
  });
});

interface Read {
  status: number | undefined;
  headers: Record<string, string>;
  body: string;
}

/** What Node's own client makes of the same bytes. */
function readByNode(bytes: Buffer, method: string): Promise<Read | undefined> {
  const stream = new Duplex({ read: () => {}, write: (_, __, done) => done() });
  return new Promise((resolve) => {
    const request = requestHttp({ method, createConnection: () => stream });
    request.on("error", () => resolve(undefined));
    request.on("response", (message) => {
      let body = "";
      const headers: Record<string, string> = {};
      for (let at = 0; at < message.rawHeaders.length; at += 2) {
        const name = message.rawHeaders[at]!.toLowerCase();
        const value = message.rawHeaders[at + 1]!;
        headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
      }
      message.on("data", (piece: Buffer) => (body += piece.toString("latin1")));
      message.on("error", () => resolve(undefined));
      message.on("end", () => resolve(message.complete ? { status: message.statusCode, headers, body } : undefined));
    });
    request.end();
    stream.push(bytes);
    stream.push(null);
  });
}

/** The first bytes that are a whole answer, if some are. */
function wholeOf(bytes: Buffer, isBodiless: boolean): { bytes: Buffer; head: ResponseHead; body: string } | undefined {
  let taken = 0;
  const all = parse(byteByByte(bytes), { isBodiless });
  if (all.isLast === undefined) return undefined;
  // A body until the end takes all.
  for (let to = bytes.length; to > 0; to -= 1) {
    if (parse([bytes.subarray(0, to)], { isBodiless, closes: false }).isLast === undefined) break;
    taken = to;
  }
  return { bytes: taken > 0 ? bytes.subarray(0, taken) : bytes, head: all.head!, body: all.body };
}

const oneOf = (...texts: string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);
const names = oneOf(
  "content-length",
  "Content-Length",
  "transfer-encoding",
  "Transfer-Encoding",
  "connection",
  "a",
  "x-b",
  "Trailer",
);
const values = oneOf(
  "5",
  "0",
  "chunked",
  "Chunked",
  "close",
  "keep-alive",
  "b",
  "",
  " 5 ",
  "gzip, chunked",
  "\xe9",
  "5, 5",
  "a:b",
);
const header = fc.tuple(names, oneOf(":", ": ", ":\t", " : "), values).map((parts) => `${parts.join("")}\r\n`);
const statuses = oneOf(
  "HTTP/1.1 200 OK",
  "HTTP/1.1 200",
  "HTTP/1.0 200 OK",
  "HTTP/1.1 204 None",
  "HTTP/1.1 304 ",
  "HTTP/1.1 500 \xe9",
);
const frames = oneOf(
  "5\r\nhello\r\n",
  "1\r\nx\r\n",
  "a;b=c\r\n0123456789\r\n",
  "0\r\n",
  "\r\n",
  "hello",
  "5\r\n",
  "x: y\r\n",
  "005\r\nhello\r\n",
);
const framed = oneOf("content-length: 5\r\n", "transfer-encoding: chunked\r\n", "");
const interim = oneOf("", "", "", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early\r\na: b\r\n\r\n");

const texts = fc
  .tuple(
    interim,
    statuses,
    fc.array(header, { maxLength: 2 }),
    framed,
    fc.array(frames, { maxLength: 4 }),
    oneOf("", "0\r\n\r\n"),
  )
  .map(
    ([before, status, headers, length, body, end]) =>
      `${before}${status}\r\n${headers.join("")}${length}\r\n${body.join("")}${end}`,
  );

/** A small damage: some characters put in the place of others. */
const damage = fc.record({
  at: fc.nat(400),
  removed: fc.nat(2),
  put: oneOf("", "\r", "\n", "\r\n", "\0", " ", "\t", ":", ";", ",", "0", "5", "f", "x", "\x7f", "\xa0", '"', "="),
});
const damaged = fc.tuple(texts, fc.array(damage, { maxLength: 2 })).map(([text, damages]) => {
  let result = text;
  for (const { at, removed, put } of damages) {
    const place = at % (result.length + 1);
    result = result.slice(0, place) + put + result.slice(place + removed);
  }
  return latin1(result);
});

/** A tab behind a length, which RFC 9110 allows as any other blank. */
const nodeRefuses = /^content-length:[^\r\n]*\d\t/im;

test("whatever is taken for an answer is the same answer to Node's own client", async () => {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(texts.map(latin1), damaged), fc.boolean(), async (bytes, isHead) => {
      const whole = wholeOf(bytes, isHead);
      if (!whole || nodeRefuses.test(whole.bytes.toString("latin1"))) return;
      taken += 1;
      const read = await readByNode(whole.bytes, isHead ? "HEAD" : "GET");
      expect(read).toMatchObject({ status: whole.head.status, body: whole.body });
      for (const [name, value] of Object.entries(read!.headers)) expect(whole.head.get(name)).toBe(value);
    }),
    { numRuns: runs(1_000, 200_000) },
  );
  // A property of nothing would hold too.
  expect(taken).toBeGreaterThan(100);
});

test("any split of any bytes gives the same", () => {
  fc.assert(
    fc.property(damaged, fc.array(fc.nat(400), { maxLength: 4 }), (bytes, cuts) => {
      const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
      const pieces = places.slice(1).map((to, index) => bytes.subarray(places[index], to));
      const { head: _, ...split } = parse(pieces);
      const { head: __, ...whole } = parse([bytes]);
      // Whether something follows the end is only seen where it comes with it.
      expect({ ...split, isLast: split.isLast === undefined }).toEqual({ ...whole, isLast: whole.isLast === undefined });
    }),
    { numRuns: runs(1_000, 100_000) },
  );
});
