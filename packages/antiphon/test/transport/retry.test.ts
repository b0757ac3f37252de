import { describe, expect, test } from "vitest";
import { AntiphonError, type ErrorDetails } from "../../src/core/error.ts";
import { errorCodes, type ErrorCode } from "../../src/core/error-codes.ts";
import { retryAfter } from "../../src/core/retry-after.ts";
import { NotConnected } from "../../src/transport/connection-error.ts";
import { isStateful, mayRetry, mergeRetry, retryDelay, shouldRetry } from "../../src/transport/retry.ts";

const failed = (code: ErrorCode, details?: ErrorDetails): AntiphonError => new AntiphonError(code, "It failed.", details);
const always = () => 1;

describe("retryDelay", () => {
  test("doubles from the least pause to the longest, less a random share", () => {
    const delays = [0, 1, 2, 3, 4, 5].map((attempt) => retryDelay(failed("SERVER_ERROR"), attempt, { retries: 9 }, always));
    expect(delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000]);
    expect(retryDelay(failed("SERVER_ERROR"), 1, {}, () => 0.25)).toBe(250);
    expect(retryDelay(failed("SERVER_ERROR"), 1, {}, () => 0)).toBe(0);
  });
  test("retries twice where nothing is said", () => {
    expect(retryDelay(failed("SERVER_ERROR"), 1, {}, always)).toBe(1_000);
    expect(retryDelay(failed("SERVER_ERROR"), 2, {}, always)).toBeUndefined();
    expect(retryDelay(failed("SERVER_ERROR"), 0, { retries: 0 }, always)).toBeUndefined();
  });
  test("waits as long as the server asks, to the millisecond", () =>
    expect(retryDelay(failed("RATE_LIMIT", { retryAfter: 1_234.2 }), 0, {}, () => 0)).toBe(1_235));
  test("neither waits nor retries early where the server asks for too much", () => {
    expect(retryDelay(failed("RATE_LIMIT", { retryAfter: 8_001 }), 0, {}, always)).toBeUndefined();
    expect(retryDelay(failed("RATE_LIMIT", { retryAfter: 8_001 }), 0, { maxDelay: 9_000 }, always)).toBe(8_001);
  });
  test("an undefined option leaves the default", () =>
    expect(mergeRetry({ retries: undefined, minDelay: 1 }, { minDelay: undefined })).toEqual({
      retries: 2,
      minDelay: 1,
      maxDelay: 8_000,
    }));
});

describe("mayRetry", () => {
  test.each(Object.entries(errorCodes))("follows the table for %s", (code, { retry }) =>
    expect(mayRetry(failed(code as ErrorCode))).toBe(retry),
  );
  test("retries a timeout only where the model cannot have begun", () => {
    expect(mayRetry(failed("TIMEOUT"))).toBe(false);
    expect(mayRetry(failed("TIMEOUT", { status: 504 }))).toBe(false);
    expect(mayRetry(failed("TIMEOUT", { status: 408 }))).toBe(true);
    expect(mayRetry(failed("TIMEOUT", { cause: new NotConnected("x") }))).toBe(true);
    expect(mayRetry(failed("TIMEOUT"), { readOnly: true })).toBe(true);
  });
  test("obeys a server that reports a timeout, but not one that fell silent", () => {
    expect(mayRetry(failed("TIMEOUT", { status: 504 }), { shouldRetry: true })).toBe(true);
    expect(mayRetry(failed("TIMEOUT"), { shouldRetry: true })).toBe(false);
  });
  test("obeys the server", () => {
    expect(mayRetry(failed("SERVER_ERROR"), { shouldRetry: false })).toBe(false);
    expect(mayRetry(failed("BAD_REQUEST"), { shouldRetry: true })).toBe(true);
  });
  test("never retries a used-up quota, whatever the server says", () =>
    expect(mayRetry(failed("QUOTA_EXCEEDED"), { shouldRetry: true })).toBe(false));
  test("retries a stateful request only where it surely did not start", () => {
    const stateful = true;
    expect(mayRetry(failed("SERVER_ERROR", { status: 500 }), { stateful })).toBe(false);
    expect(mayRetry(failed("CONNECTION_ERROR"), { stateful })).toBe(false);
    expect(mayRetry(failed("TIMEOUT"), { stateful })).toBe(false);
    expect(mayRetry(failed("CONNECTION_ERROR", { cause: new NotConnected("x") }), { stateful })).toBe(true);
    expect(mayRetry(failed("TIMEOUT", { cause: new NotConnected("x") }), { stateful })).toBe(true);
    expect(mayRetry(failed("RATE_LIMIT", { status: 429 }), { stateful })).toBe(true);
    expect(mayRetry(failed("SERVER_ERROR", { status: 500 }), { stateful, shouldRetry: true })).toBe(true);
  });
});

test("a request is stateful that adds to a conversation or starts a job", () => {
  expect(isStateful({ input: "x" })).toBe(false);
  expect(isStateful({ input: "x", previous_response_id: "resp_1", store: true, background: false, conversation: null })).toBe(
    false,
  );
  expect(isStateful({ input: "x", conversation: "conv_1" })).toBe(true);
  expect(isStateful({ input: "x", conversation: { id: "conv_1" } })).toBe(true);
  expect(isStateful({ input: "x", background: true })).toBe(true);
});

test("x-should-retry is yes, no or nothing", () => {
  const read = (value: string | null) => shouldRetry({ get: () => value });
  expect([read("true"), read("false"), read("maybe"), read(null)]).toEqual([true, false, undefined, undefined]);
});

describe("retryAfter", () => {
  const now = Date.parse("2026-05-01T12:00:00Z");
  const read = (headers: Record<string, string>, message?: string) =>
    retryAfter({ get: (name) => headers[name] ?? null }, message, now);

  test.each<[string, Record<string, string>, string | undefined, number | undefined]>([
    ["milliseconds before seconds", { "retry-after-ms": "640", "retry-after": "2" }, undefined, 640],
    ["seconds", { "retry-after": "2" }, undefined, 2_000],
    ["a fraction of a second", { "retry-after": "0.25" }, undefined, 250],
    ["a date", { "retry-after": "Fri, 01 May 2026 12:00:07 GMT" }, undefined, 7_000],
    ["a date that is past", { "retry-after": "Fri, 01 May 2026 11:00:00 GMT" }, undefined, 0],
    ["a header before the message", { "retry-after": "2" }, "Please try again in 20s.", 2_000],
    ["a limit's reset", { "x-ratelimit-reset-requests": "1s" }, undefined, 1_000],
    ["a reset in minutes and seconds", { "x-ratelimit-reset-tokens": "6m0s" }, undefined, 360_000],
    ["a reset in milliseconds", { "x-ratelimit-reset-tokens": "120ms" }, undefined, 120],
    ["the later of two resets", { "x-ratelimit-reset-tokens": "2s", "x-ratelimit-reset-requests": "8.64s" }, undefined, 8_640],
    ["a reset as a moment in seconds", { "x-ratelimit-reset": String(now / 1_000 + 5) }, undefined, 5_000],
    ["a reset as a moment in milliseconds", { "x-ratelimit-reset": String(now + 5_500) }, undefined, 5_500],
    ["a reset as a date", { "anthropic-ratelimit-tokens-reset": "2026-05-01T12:00:09Z" }, undefined, 9_000],
    [
      "no limit that is not used up",
      { "x-ratelimit-reset-tokens": "9s", "x-ratelimit-remaining-tokens": "12" },
      undefined,
      undefined,
    ],
    ["a limit that is", { "x-ratelimit-reset-tokens": "9s", "x-ratelimit-remaining-tokens": "0" }, undefined, 9_000],
    ["a hint in seconds", {}, "Rate limit reached. Please try again in 1.5s. Visit the page.", 1_500],
    ["a hint in milliseconds", {}, "Please try again in 120ms", 120],
    ["a hint in words", {}, "Please retry after 26 seconds.", 26_000],
    ["a hint in minutes", {}, "Try again in 2 minutes 3 sec", 123_000],
    ["a hint before a reset", { "x-ratelimit-reset-tokens": "9s" }, "try again in 20s", 20_000],
    ["nothing where nothing is said", {}, "Please try again later.", undefined],
    ["nothing that cannot be read", { "retry-after": "soon", "x-ratelimit-reset-tokens": "XXX" }, "in 5 apples", undefined],
  ])("takes %s", (_, headers, message, expected) => expect(read(headers, message)).toBe(expected));
});
