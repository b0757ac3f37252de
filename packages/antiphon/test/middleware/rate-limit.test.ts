import { describe, expect, test } from "vitest";
import { collect } from "../../src/core/collect.ts";
import { AntiphonError } from "../../src/core/error.ts";
import type { Respond } from "../../src/core/respond.ts";
import { rateLimit, type RateLimitOptions } from "../../src/middleware/rate-limit.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { scripted } from "../../src/testing/scripted.ts";
import { clock, held, settled, watched } from "./models.ts";

/** A limited model, and when each of its calls was let through or refused. */
function limited(options: RateLimitOptions, model: Respond = offline()) {
  const time = clock();
  const log: string[] = [];
  const inner: Respond = (request, call) => {
    log.push(`${String(request.input)} at ${time.now()}`);
    return model(request, call);
  };
  const respond = rateLimit({ now: time.now, sleep: time.sleep, ...options })(inner);
  const ask = (input: string, signal?: AbortSignal): Promise<string> =>
    collect(respond({ input }, signal ? { signal } : {})).then(
      ({ status }) => status,
      (error: AntiphonError) => error.code,
    );
  return { time, log, respond, ask };
}

test.each(["requestsPerMinute", "tokensPerMinute", "concurrency"])("a limit of nothing is an error: %s", (name) => {
  for (const limit of [0, -1, Number.NaN]) expect(() => rateLimit({ [name]: limit })).toThrow(`\`${name}\` of \`rateLimit\``);
});

describe("requests a minute", () => {
  test("go at once as far as the burst allows, then evenly and in order", async () => {
    const { time, log, ask } = limited({ requestsPerMinute: 60, burst: 2 });
    const all = Promise.all(["a", "b", "c", "d"].map((name) => ask(name)));
    await settled();
    expect(log).toEqual(["a at 0", "b at 0"]);
    await time.pass(5_000);
    expect(log.slice(2)).toEqual(["c at 1000", "d at 2000"]);
    expect(await all).toEqual(["completed", "completed", "completed", "completed"]);
  });

  test("are refused at once where the wait would be too long, and the error says how long", async () => {
    const { respond, ask } = limited({ requestsPerMinute: 60, burst: 1, maxWait: 1_500 });
    await ask("a");
    void ask("b");
    await settled();
    const error = await collect(respond({ input: "c" })).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "RATE_LIMIT", retryAfter: 2_000 });
  });

  test("are refused where too many wait already", async () => {
    const { ask } = limited({ requestsPerMinute: 60, burst: 1, maxQueue: 1 });
    await ask("a");
    void ask("b");
    await settled();
    expect(await ask("c")).toBe("RATE_LIMIT");
  });

  test("are shared by the models of one value", async () => {
    const time = clock();
    const limit = rateLimit({ requestsPerMinute: 60, burst: 1, maxWait: 0, now: time.now, sleep: time.sleep });
    await collect(limit(offline())({ input: "a" }));
    await expect(collect(limit(offline())({ input: "b" }))).rejects.toMatchObject({ code: "RATE_LIMIT" });
  });
});

describe("tokens a minute", () => {
  const usage = (input: number, output: number) => ({
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  });
  const costing = async (tokens: number): Promise<Respond> => {
    const response = await collect(offline()({ input: "Hi" }));
    return scripted(Array.from({ length: 9 }, () => ({ ...response, usage: usage(0, tokens) })));
  };

  test("are put right by what was reported", async () => {
    // Estimated at 100 each; the first really costs 700, so the next must wait until 600 of them have come back.
    const { time, log, ask } = limited({ tokensPerMinute: 600, estimate: () => 100 }, await costing(700));
    await ask("a");
    void ask("b");
    await time.pass(30_000);
    expect(log).toEqual(["a at 0", "b at 20000"]);
  });

  test("are given back where less was used than thought", async () => {
    const { log, ask } = limited({ tokensPerMinute: 600, estimate: () => 500 }, await costing(10));
    await ask("a");
    await ask("b");
    expect(log).toEqual(["a at 0", "b at 0"]);
  });

  test("let a request through that is larger than a minute's worth, when nothing else was taken", async () => {
    const { ask } = limited({ tokensPerMinute: 10 });
    expect(await ask("word ".repeat(500))).toBe("completed");
  });
});

describe("calls at the same time", () => {
  test("are no more than allowed, and the next goes when one ends, fails or is left", async () => {
    const gate = held(offline());
    const { log, ask, respond } = limited({ concurrency: 1 }, gate.respond);
    const left = respond({ input: "left" }).batches!();
    const pending = left.next();
    await settled();
    const first = ask("first");
    const failing = ask("[[error:server_error]]");
    const last = ask("last");
    await settled();
    expect(log).toHaveLength(1);
    await left.return!();
    for (let turn = 0; turn < 3; turn += 1) {
      await settled();
      gate.release();
    }
    await pending;
    await settled();
    gate.release();
    expect(await Promise.all([first, failing, last])).toEqual(["completed", "SERVER_ERROR", "completed"]);
    expect(log.map((line) => line.split(" ")[0])).toEqual(["left", "first", "[[error:server_error]]", "last"]);
  });

  test("give up waiting after a time", async () => {
    const gate = held(offline());
    const { time, ask } = limited({ concurrency: 1, maxWait: 3_000 }, gate.respond);
    void ask("a");
    await settled();
    const second = ask("b");
    await settled();
    await time.pass(3_000);
    expect(await second).toBe("RATE_LIMIT");
    gate.release();
  });
});

describe("a call that waits", () => {
  test("can be stopped, and does not hold up those behind it", async () => {
    const { time, log, ask } = limited({ requestsPerMinute: 60, burst: 1 });
    const controller = new AbortController();
    await ask("a");
    const stopped = ask("b", controller.signal);
    const next = ask("c");
    await settled();
    controller.abort();
    expect(await stopped).toBe("ABORTED");
    await time.pass(1_000);
    expect(await next).toBe("completed");
    expect(log).toEqual(["a at 0", "c at 1000"]);
  });

  test("can be left, and the model is never asked", async () => {
    const model = watched(offline());
    const { time, ask, respond } = limited({ requestsPerMinute: 60, burst: 1 }, model.respond);
    await ask("a");
    const batches = respond({ input: "b" }).batches!();
    const pending = batches.next();
    await settled();
    await batches.return!();
    expect(await pending).toMatchObject({ done: true });
    await time.pass(2_000);
    expect(model.opened).toBe(1);
  });
});

test("keeps quiet as long as the provider asks it to", async () => {
  const model = scripted([new AntiphonError("RATE_LIMIT", "Slow down.", { retryAfter: 7_000 }), "fine"]);
  const { time, log, ask } = limited({ concurrency: 4 }, model);
  expect(await ask("a")).toBe("RATE_LIMIT");
  const second = ask("b");
  await settled();
  await time.pass(7_000);
  expect(await second).toBe("completed");
  expect(log).toEqual(["a at 0", "b at 7000"]);
});

test("a signal that has fired stops a call before it takes a place", async () => {
  const { log, ask } = limited({ requestsPerMinute: 60, burst: 1 });
  expect(await ask("a", AbortSignal.abort())).toBe("ABORTED");
  expect(await ask("b")).toBe("completed");
  expect(log).toEqual(["b at 0"]);
});
