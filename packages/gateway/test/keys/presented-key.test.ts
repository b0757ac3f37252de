import { describe, expect, test } from "vitest";
import { presentedKey } from "../../src/keys/presented-key.ts";
import { headers } from "./support.ts";

describe("the key of a request", () => {
  test.each([
    [{ authorization: "Bearer ak-1" }],
    [{ authorization: "bearer   ak-1 " }],
    [{ "x-api-key": "ak-1" }],
    [{ "api-key": "ak-1" }],
    [{ authorization: "Bearer ak-1", "x-api-key": "ak-1" }],
    [{ authorization: "Basic dTpw", "api-key": "ak-1" }],
    [{ authorization: "Bearer ", "x-api-key": "ak-1" }],
  ])("is found in %j", (fields) => {
    expect(presentedKey(headers(fields as Record<string, string>))).toBe("ak-1");
  });

  test.each([[{}], [{ authorization: "ak-1" }], [{ authorization: "Basic dTpw" }], [{ "x-api-key": "" }]])(
    "is missing in %j",
    (fields) => expect(presentedKey(headers(fields as Record<string, string>))).toBeUndefined(),
  );

  test.each([
    [{ authorization: "Bearer ak-1", "x-api-key": "ak-2" }],
    [{ "x-api-key": "ak-1", "api-key": "ak-2" }],
    [{ authorization: "Bearer ak-1", "api-key": "ak-2" }],
  ])("is refused where there are two different ones: %j", (fields) => {
    expect(() => presentedKey(headers(fields as Record<string, string>))).toThrow(
      expect.objectContaining({ code: "AUTH_ERROR", status: 401, message: expect.not.stringContaining("ak-") }),
    );
  });

  test("is none of the two where a header came twice", () => {
    const twice = new Headers([
      ["authorization", "Bearer ak-1"],
      ["authorization", "Bearer ak-2"],
    ]);
    expect(presentedKey(twice)).toBe("ak-1, Bearer ak-2");
  });
});
