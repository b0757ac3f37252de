import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../../../antiphon/test/support/runs.ts";
import { passedOn, passedOnWith, upstreamHeaders } from "../../src/security/upstream-headers.ts";

/** Headers as some server may hand them over: with values that no `Headers` would take. */
const rawHeaders = (fields: Readonly<Record<string, string>>) => ({ get: (name: string) => fields[name] ?? null });

const forbidden = [
  "authorization",
  "Authorization ",
  "proxy-authorization",
  "cookie",
  "set-cookie",
  "x-api-key",
  "api-key",
  "x-goog-api-key",
  "x-amz-security-token",
  "x-auth-token",
  "host",
  "connection",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "content-length",
  "content-type",
  "content-encoding",
  "accept-encoding",
  "upgrade",
  "expect",
  "x-forwarded-for",
  "x-forwarded-host",
  "forwarded",
  "via",
  "x-real-ip",
  "cf-connecting-ip",
  "origin",
  "referer",
  "user-agent",
  "openai-organization",
  "openai-project",
  "anthropic-version",
  "sec-websocket-key",
];

describe("what goes upstream of a client's headers", () => {
  test("is what finds the request again, and nothing else", () => {
    const sent = new Headers({
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "X-Client-Request-Id": "abc",
      authorization: "Bearer ak-1",
      cookie: "a=b",
      "openai-beta": "assistants=v2",
      "x-forwarded-for": "10.0.0.1",
    });
    expect(upstreamHeaders(sent)).toEqual({
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "x-client-request-id": "abc",
    });
    expect(upstreamHeaders(new Headers())).toEqual({});
  });

  test.each([
    "a\r\nauthorization: Bearer x",
    "a\nb",
    "a\rb",
    "a\0b",
    "a\u0085b",
    "a\u010ab",
    "a\u2028b",
    "ä",
    "\ud800",
    "",
    "a\tb",
    "x".repeat(1_025),
  ])("is never %j", (value) => expect(upstreamHeaders(rawHeaders({ tracestate: value }))).toEqual({}));

  test("cannot hold another header, whatever the client sends", () => {
    // Mostly plain, so that values get through unless one character in them must not.
    const plain = fc.constantFrom("a", "0", " ", ":", "-");
    const any = fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code));
    const unit = fc.oneof({ weight: 20, arbitrary: plain }, fc.constantFrom("\r", "\n", "\0"), any);
    const names = fc.constantFrom(...passedOn, "authorization", "cookie", "x-other");
    const fields = fc.dictionary(
      names,
      fc.array(unit, { maxLength: 20 }).map((units) => units.join("")),
    );
    fc.assert(
      fc.property(fields, (sent) => {
        const lines = Object.entries(upstreamHeaders(rawHeaders(sent))).map(([name, value]) => `${name}: ${value}`);
        // What a server would read is as many lines as there are headers, each with a name that may be passed on.
        const read = lines
          .join("\r\n")
          .split(/[\r\n\0\u0085\u2028]+/)
          .filter(Boolean);
        expect(read.length).toBe(lines.length);
        for (const line of read) expect(passedOn).toContain(line.split(":")[0]);
        for (const line of read) expect(line).toMatch(/^[\x20-\x7e]+$/);
      }),
      { numRuns: runs(300, 20_000) },
    );
  });
});

describe("headers that a configuration adds", () => {
  test("are passed on too, once", () => {
    const names = passedOnWith(["X-Team", "baggage", "traceparent"]);
    expect(names).toEqual([...passedOn, "x-team", "baggage"]);
    expect(upstreamHeaders(new Headers({ "x-team": "a", other: "b" }), names)).toEqual({ "x-team": "a" });
  });

  test.each([...forbidden, "", "a b", "a:b", "x\r\ny"])("may not be %j", (name) => {
    expect(() => passedOnWith([name])).toThrow(expect.objectContaining({ code: "BAD_REQUEST", param: "passedOn" }));
  });
});
