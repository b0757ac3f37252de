import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeBase64 } from "../../src/core/base64.ts";
import * as everywhere from "../../src/core/platform.ts";
import * as node from "../../src/node/platform.ts";

describe.each([
  ["everywhere", everywhere.decodeBase64],
  ["on Node", node.decodeBase64],
])("%s", (_, decodeBase64) => {
  test("what was encoded is decoded, padded or not, in either alphabet", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = encodeBase64(bytes);
        expect(text).toBe(Buffer.from(bytes).toString("base64"));
        expect(decodeBase64(text)).toEqual(bytes);
        expect(decodeBase64(text.replaceAll("=", ""))).toEqual(bytes);
        expect(decodeBase64(Buffer.from(bytes).toString("base64url"))).toEqual(bytes);
      }),
    );
  });

  test.each(["A", "A===", "AB?=", "äbcd", "=", "A=BC"])("%j is no base64", (text) => {
    expect(decodeBase64(text)).toBeUndefined();
  });

  test("lines may be broken", () => {
    expect(decodeBase64("AQID\r\nBAUG\n")).toEqual(Uint8Array.of(1, 2, 3, 4, 5, 6));
  });

  test("the bytes have memory of their own", () => {
    expect(decodeBase64("AAAA")?.buffer.byteLength).toBe(3);
  });
});
