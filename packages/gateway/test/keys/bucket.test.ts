import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../../../antiphon/test/support/runs.ts";
import { Bucket } from "../../src/keys/bucket.ts";
import { rateHeaders } from "../../src/keys/rate-headers.ts";

const stateOf = (bucket: Bucket, now: number) => ({
  left: bucket.left(now),
  untilOne: bucket.untilOne(now),
  untilFull: bucket.untilFull(now),
});

describe("a limit per minute", () => {
  test("lets a minute's worth through at once, and then refills evenly", () => {
    const bucket = new Bucket(3, 0);
    for (let taken = 0; taken < 3; taken += 1) bucket.take(1, 0);
    expect(stateOf(bucket, 0)).toEqual({ left: 0, untilOne: 20_000, untilFull: 60_000 });
    expect(bucket.untilOne(19_999)).toBe(1);
    expect(stateOf(bucket, 20_000)).toEqual({ left: 1, untilOne: 0, untilFull: 40_000 });
    expect(stateOf(bucket, 1_000_000)).toEqual({ left: 3, untilOne: 0, untilFull: 0 });
  });

  test("waits for what was taken too much", () => {
    const bucket = new Bucket(100, 0);
    bucket.take(1_100, 0);
    expect(stateOf(bucket, 0)).toEqual({ left: 0, untilOne: 600_600, untilFull: 660_000 });
    expect(bucket.untilOne(600_600)).toBe(0);
  });

  test("neither gives nor takes when the clock is set back", () => {
    const bucket = new Bucket(60, 1_000_000);
    bucket.take(60, 1_000_000);
    expect(bucket.left(0)).toBe(0);
    expect(bucket.left(1_000)).toBe(1);
  });

  test("never lets more through than a full minute and what refills, and always when it says so", () => {
    const steps = fc.array(fc.nat({ max: 30_000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000 }), steps, (limit, pauses) => {
        const bucket = new Bucket(limit, 0);
        let [now, through] = [0, 0];
        for (const pause of pauses) {
          now += pause;
          const untilOne = bucket.untilOne(now);
          if (untilOne > 0) {
            expect(bucket.untilOne(now + untilOne - 1)).toBe(1);
            now += untilOne;
          }
          expect(bucket.untilOne(now)).toBe(0);
          bucket.take(1, now);
          through += 1;
        }
        expect(through).toBeLessThanOrEqual(limit + (now * limit) / 60_000);
      }),
      { numRuns: runs(100, 10_000) },
    );
  });
});

describe("the headers about limits", () => {
  test("say what is left, in the form that OpenAI's clients read", () => {
    const [requests, tokens] = [new Bucket(60, 0), new Bucket(1_000, 0)];
    requests.take(1, 0);
    tokens.take(7_000, 0);
    expect(rateHeaders(requests, tokens, 0)).toEqual({
      "x-ratelimit-limit-requests": "60",
      "x-ratelimit-remaining-requests": "59",
      "x-ratelimit-reset-requests": "1s",
      "x-ratelimit-limit-tokens": "1000",
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": "7m0s",
    });
    expect(rateHeaders(requests, undefined, 880)).toMatchObject({ "x-ratelimit-reset-requests": "120ms" });
    expect(rateHeaders(undefined, tokens, 500)).toMatchObject({ "x-ratelimit-reset-tokens": "6m59.5s" });
  });

  test("say nothing where there is no limit", () => {
    expect(rateHeaders(undefined, undefined, 0)).toBeUndefined();
  });
});
