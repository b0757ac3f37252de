import fc, { type Arbitrary } from "fast-check";
import { mutantsOf } from "../../security/end-to-end/support/mutations.ts";
import { seeds } from "../../security/end-to-end/support/seeds.ts";

const methods = ["GET", "POST", "POST", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "QUERY", "M-SEARCH", "get", "X"];
const targets = [
  "/",
  "/v1/responses",
  "/v1/responses?stream=true&a=%00",
  "*",
  "http://localhost/v1/models",
  "HTTPS://[::1]:8080/?x",
  "http://a@b/",
  "//a/b",
  "/a#b",
  '/"<>\\^`{|}',
  "/%2e%2e/",
];
const headers = [
  "authorization: Bearer k",
  "Authorization: Bearer l",
  "X-API-Key:\tk \t",
  "content-type: application/json",
  "cookie: a=b",
  "cookie: c=d",
  "Set-Cookie: a",
  "set-cookie: b",
  "x-a:",
  "x-a: \xe9\xff",
  "X-~_^`: y",
  "connection: keep-alive",
  "connection: close",
  // With "connection: upgrade" Node reads nothing of what follows, also where it does not take up the offer.
  "upgrade: h2c",
  "expect: 100-continue",
  "content-length: 3",
  "content-length: 0",
  "Content-Length: 007",
  "content-length:",
  "transfer-encoding: chunked",
  "Transfer-Encoding: Chunked",
  "transfer-encoding: gzip, chunked",
  "transfer-encoding: identity",
  "te: trailers",
  "trailer: x",
  "host: b",
];
const extensions = ["", "", ";a", ";a=b", ';a="b;\\"c"', ";a=b;c", " ", ";", ";a=", ';a="'];

/** What somebody puts where it does not belong. */
const nasty = [
  "\r\n",
  "\n",
  "\r",
  "\0",
  " ",
  "\t",
  ":",
  ",",
  ";",
  "\x7f",
  "\x80",
  "\xff",
  "\r\n\r\n",
  "\r\n ",
  "0\r\n\r\n",
  "HTTP/1.1",
  "content-length: 5\r\n",
  "transfer-encoding: chunked\r\n",
  "ffffffffffffffff",
  "#",
  "A",
];

interface Parts {
  method: string;
  target: string;
  version: string;
  headers: string[];
  body: string;
  framing: "length" | "chunks" | "none";
  cuts: number[];
  extension: string;
  trailer: string;
}

function inChunks({ body, cuts, extension, trailer }: Parts): string {
  const places = [...new Set(cuts.map((cut) => cut % (body.length + 1)))].filter(Boolean).toSorted((a, b) => a - b);
  const pieces = [0, ...places].map((from, index) => body.slice(from, places[index] ?? body.length)).filter(Boolean);
  return `${pieces.map((piece) => `${piece.length.toString(16)}${extension}\r\n${piece}\r\n`).join("")}0\r\n${trailer}\r\n`;
}

function textOf(parts: Parts): string {
  const { method, target, version, body, framing } = parts;
  const frame = { length: [`content-length: ${body.length}`], chunks: ["transfer-encoding: chunked"], none: [] }[framing];
  const lines = [`${method} ${target} ${version}`, "host: localhost", ...parts.headers, ...frame];
  const sent = { length: body, chunks: inChunks(parts), none: "" }[framing];
  return `${lines.join("\r\n")}\r\n\r\n${sent}`;
}

const bodies = Object.values(seeds).flat();

const good: Arbitrary<string> = fc
  .record<Parts>({
    method: fc.constantFrom(...methods),
    target: fc.constantFrom(...targets),
    version: fc.constantFrom("HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/1.2"),
    headers: fc.array(fc.constantFrom(...headers), { maxLength: 4 }),
    body: fc.oneof(
      mutantsOf(bodies).map((body) => Buffer.from(JSON.stringify(body)).toString("latin1").slice(0, 3_000)),
      fc.constantFrom("", "x", "abc"),
    ),
    framing: fc.constantFrom("length", "chunks", "none"),
    cuts: fc.array(fc.nat(3_000), { maxLength: 4 }),
    extension: fc.constantFrom(...extensions),
    trailer: fc.constantFrom("", "", "a: b\r\n", "a b\r\n", "content-length: 5\r\n"),
  })
  .map(textOf);

interface Change {
  at: number;
  cut: number;
  put: string;
}

/** Most changes are made where it matters: in the head, and around the ends of lines. */
function changed(text: string, { at, cut, put }: Change): string {
  const ends = [...text.matchAll(/\r\n|:/g)].map(({ index }) => index);
  const place = at % 3 === 0 ? at % (text.length + 1) : (ends[at % ends.length] ?? 0) + (at % 4);
  return text.slice(0, place) + put + text.slice(place + cut);
}

/** Requests as bytes, one behind the other; most of them are spoilt in some places. */
export const requests: Arbitrary<Buffer> = fc
  .record({
    texts: fc.array(good, { minLength: 1, maxLength: 3 }),
    changes: fc.array(fc.record({ at: fc.nat(1_000_000), cut: fc.nat(2), put: fc.constantFrom("", ...nasty) }), {
      maxLength: 3,
    }),
  })
  .map(({ texts, changes }) => Buffer.from(changes.reduce(changed, texts.join("")), "latin1"));
