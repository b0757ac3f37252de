import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeBase64, encodeBase64 } from "../../src/core/base64.ts";

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
