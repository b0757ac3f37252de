import { describe, expect, test } from "vitest";
import { batchesOf, fromBatches, type Middleware } from "../../src/core/respond.ts";
import { cache } from "../../src/middleware/cache.ts";
import { circuitBreaker } from "../../src/middleware/circuit-breaker.ts";
import { fallback } from "../../src/middleware/fallback.ts";
import { guardrail } from "../../src/middleware/guardrail.ts";
import { logger } from "../../src/middleware/logger.ts";
import { rateLimit } from "../../src/middleware/rate-limit.ts";
import { telemetry } from "../../src/middleware/telemetry.ts";
import type { ResponseEvent } from "../../src/model/index.ts";
import { abortLaw } from "../../src/testing/abort-law.ts";
import { foldLaw, lifecycleLaw } from "../../src/testing/laws.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { scripted } from "../../src/testing/scripted.ts";
import { eventsOf, watched } from "./models.ts";

const span = { setAttributes: () => {}, setStatus: () => {}, end: () => {} };
const all: readonly (readonly [string, () => Middleware])[] = [
  ["fallback", () => fallback([scripted([])])],
  ["rateLimit", () => rateLimit({ requestsPerMinute: 6_000, tokensPerMinute: 1_000_000, concurrency: 2 })],
  ["circuitBreaker", () => circuitBreaker()],
  ["cache", () => cache()],
  ["telemetry", () => telemetry({ tracer: { startSpan: () => span } })],
  ["logger", () => logger({ log: () => {} })],
  ["guardrail", () => guardrail({ input: () => {} })],
];

// One of each around the other, as a program might have them.
const stacked: Middleware = (model) => all.reduceRight((next, [, make]) => make()(next), model);
const request = { input: "What is the weather in Oslo? [[long:30]]", reasoning: { effort: "low" as const } };

describe.each([...all, ["all of them", () => stacked] as const])("%s", (_, make) => {
  test("passes a stream on as it is, whatever its end", async () => {
    for (const order of ["", "[[refuse]]", "[[stop]]", "[[fail:server_error]]", "[[truncate]]"]) {
      const asked = { ...request, input: `${request.input} ${order}` };
      const events = await eventsOf(make()(offline({ now: () => 1 }))(asked));
      expect(events).toEqual(await eventsOf(offline({ now: () => 1 })(asked)));
      expect(lifecycleLaw(events) ?? foldLaw(events)).toBeUndefined();
    }
  });

  test("closes the model when its reader leaves, and ends lawfully when it is stopped", async () => {
    const open = () => {
      const model = watched(offline());
      let stopped = false;
      const respond = make()((asked, call) => {
        call?.signal?.addEventListener("abort", () => (stopped = true));
        return model.respond(asked, call);
      });
      return { respond, closed: () => stopped || model.closed === model.opened };
    };
    expect(await abortLaw(open, request, [1, 2, 3, 5, 9, 20])).toBeUndefined();
  });
});

test.each(all)("%s hands on whole batches, not events", async (_, make) => {
  const events = await eventsOf(offline()(request));
  const batches: ResponseEvent[][] = [events.slice(0, 5), events.slice(5, 9), events.slice(9)];
  const model: Parameters<Middleware>[0] = () =>
    fromBatches(async function* () {
      yield* batches;
    });
  const seen: ResponseEvent[][] = [];
  const stream = batchesOf(make()(model)(request));
  for (let next = await stream.next(); !next.done; next = await stream.next()) seen.push(next.value);
  expect(seen.map(({ length }) => length)).toEqual(batches.map(({ length }) => length));
});
