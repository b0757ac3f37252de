import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { batchesOf } from "../../src/core/respond.ts";
import { outcome } from "../../src/core/views.ts";
import { createHttpTransport } from "../../src/node/http-transport.ts";
import { fetchTransport } from "../../src/transport/fetch-transport.ts";
import { serve, signalled, type Handler } from "../transport/support/servers.ts";
import { answer, answers, connectTo, frame, outcomeOf, refuses, spelt, stream } from "./support.ts";

const events = answer("one ", "two ", "three");

/** Sends event after event, each once the client has had time to read the last, and tells when the client is gone. */
function drip(): { handler: Handler; gone: Promise<void> } {
  const gone = signalled();
  const handler: Handler = async (response) => {
    response.once("close", () => gone.resolve());
    stream(response);
    for (const event of events.slice(0, -1)) {
      response.write(frame(event));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    // The stream stays open: only the client can end it.
  };
  return { handler, gone: gone.promise };
}

describe.each([
  ["node:http", () => createHttpTransport()],
  ["fetch", () => fetchTransport()],
])("over %s", (_, create) => {
  const transport = create();
  const retry = { retries: 0 };

  test("stopping at any event closes the connection and ends in `cancelled`", async () => {
    for (let stop = 1; stop < events.length; stop += 1) {
      const { handler, gone } = drip();
      const { origin } = await serve(handler);
      const controller = new AbortController();
      const { response, error } = await outcomeOf(connectTo(origin, { transport, retry }), undefined, {
        signal: controller.signal,
        onEvent: (_event, count) => count === stop && controller.abort("enough"),
      });
      expect(error).toBeUndefined();
      expect(outcome(response!)).toEqual({ state: "cancelled" });
      await gone;
    }
  });

  test("leaving at any event closes the connection", async () => {
    for (let stop = 1; stop < events.length; stop += 1) {
      const { handler, gone } = drip();
      const { origin } = await serve(handler);
      const left: string[] = [];
      for await (const event of connectTo(origin, { transport, retry })({ input: "Hello" }))
        if (left.push(event.type) === stop) break;
      expect(left).toEqual(events.slice(0, stop).map((event) => event.type));
      await gone;
    }
  });

  test("leaving while a read is pending closes the connection and rejects nothing", async () => {
    const { handler, gone } = drip();
    const { origin } = await serve(handler);
    const batches = batchesOf(connectTo(origin, { transport, retry })({ input: "Hello" }));
    for (let seen = 0; seen < events.length - 1;) seen += (await batches.next()).value?.length ?? 0;
    const pending = batches.next();
    await batches.return?.();
    expect(await pending).toEqual({ done: true, value: undefined });
    expect(await batches.next()).toEqual({ done: true, value: undefined });
    await gone;
  });

  test("leaving before the answer closes the connection", async () => {
    const [asked, gone] = [signalled(), signalled()];
    const { origin } = await serve((response) => {
      response.once("close", () => gone.resolve());
      asked.resolve();
    });
    const batches = batchesOf(connectTo(origin, { transport })({ input: "Hello" }));
    const pending = batches.next();
    await asked.promise;
    await batches.return?.();
    expect(await pending).toEqual({ done: true, value: undefined });
    await gone.promise;
  });

  test("stopping before the answer throws, with the reason", async () => {
    const gone = signalled();
    const controller = new AbortController();
    const { origin, seen } = await serve((response) => {
      response.once("close", () => gone.resolve());
      controller.abort("changed my mind");
    });
    const { error } = await outcomeOf(connectTo(origin, { transport }), undefined, { signal: controller.signal });
    expect(error).toMatchObject({ code: "ABORTED", provider: "test", cause: "changed my mind" });
    await gone.promise;
    expect(seen).toHaveLength(1);
  });
});

test("a call that was stopped before it began sends nothing", async () => {
  const { origin, seen } = await serve(answers("Hi"));
  const { error } = await outcomeOf(connectTo(origin), undefined, { signal: AbortSignal.abort("no") });
  expect(error).toMatchObject({ code: "ABORTED", cause: "no" });
  expect(seen).toEqual([]);
});

test("a call that nobody reads sends nothing", async () => {
  const { origin, seen } = await serve(answers("Hi"));
  const batches = batchesOf(connectTo(origin)({ input: "Hello" }));
  await batches.return?.();
  expect(await batches.next()).toEqual({ done: true, value: undefined });
  expect(seen).toEqual([]);
});

test("no call leaves a listener behind, however it ends", async () => {
  const { signal } = new AbortController();
  const { origin } = await serve(answers("Hi"), refuses(400), (response) => stream(response, ...events.slice(0, 5)));
  const respond = connectTo(origin);
  await outcomeOf(respond, undefined, { signal });
  await outcomeOf(respond, undefined, { signal });
  for await (const event of respond({ input: "Hello" }, { signal })) if (event.type === "response.output_text.delta") break;
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

describe("during the pause before a retry", () => {
  const patient = { retry: { minDelay: 60_000, maxDelay: 60_000 } };

  test("stopping throws at once", async () => {
    const { origin, seen } = await serve(refuses(429, undefined, { "retry-after": "30" }), answers("Hi"));
    const controller = new AbortController();
    const { error } = await outcomeOf(connectTo(origin, patient), undefined, {
      signal: controller.signal,
      onEvent: (event) => event.type === "antiphon:retry" && setTimeout(() => controller.abort("enough"), 10),
    });
    expect(error).toMatchObject({ code: "ABORTED", cause: "enough" });
    expect(seen).toHaveLength(1);
  });

  test("leaving ends at once", async () => {
    const { origin, seen } = await serve(refuses(429, undefined, { "retry-after": "30" }), answers("Hi"));
    const batches = batchesOf(connectTo(origin, patient)({ input: "Hello" }));
    expect((await batches.next()).value).toMatchObject([{ type: "antiphon:retry", delay: 30_000 }]);
    const pending = batches.next();
    await batches.return?.();
    expect(await pending).toEqual({ done: true, value: undefined });
    expect(seen).toHaveLength(1);
  });

  test("the limit for the whole holds", async () => {
    const { origin } = await serve(refuses(429, undefined, { "retry-after": "30" }), answers("Hi"));
    const { error } = await outcomeOf(connectTo(origin, { ...patient, timeouts: { total: 60 } }));
    expect(error).toMatchObject({ code: "TIMEOUT", message: expect.stringContaining("timeouts.total") });
  });
});

describe("silence", () => {
  const retry = { retries: 0 };

  test("no first event, though the line is kept open by comments", async () => {
    const gone = signalled();
    const { origin } = await serve((response) => {
      response.once("close", () => gone.resolve());
      stream(response);
      const timer = setInterval(() => response.write(": ping\n\n"), 5);
      response.once("close", () => clearInterval(timer));
    });
    const { error } = await outcomeOf(connectTo(origin, { timeouts: { firstEvent: 60 }, retry }));
    expect(error).toMatchObject({ code: "TIMEOUT", message: expect.stringContaining("timeouts.firstEvent"), requestId: "req_1" });
    await gone.promise;
  });

  test("no answer at all is a missing first event too, and is not tried again: the model may be at work", async () => {
    const { origin, seen } = await serve(() => {}, answers("Hi"));
    const { error } = await outcomeOf(connectTo(origin, { timeouts: { firstEvent: 60 } }));
    expect(error).toMatchObject({ code: "TIMEOUT", message: expect.stringContaining("timeouts.firstEvent") });
    expect(seen).toHaveLength(1);
  });

  test.each([
    ["comments", ": ping\n\n"],
    ["keep-alive events", frame({ type: "keepalive", sequence_number: 0 })],
    ["events that the wire does not know", frame({ no: "type" })],
  ])("%s do not count as a sign of life", async (_, sign) => {
    const gone = signalled();
    const { origin } = await serve((response) => {
      response.once("close", () => gone.resolve());
      stream(response, ...events.slice(0, 5));
      const timer = setInterval(() => response.write(sign), 5);
      response.once("close", () => clearInterval(timer));
    });
    const { response, events: seen } = await outcomeOf(connectTo(origin, { timeouts: { idle: 80 }, retry }));
    expect(spelt(seen)).toBe("one ");
    expect(response).toMatchObject({
      status: "failed",
      error: { code: "timeout", message: expect.stringContaining("timeouts.idle") },
    });
    await gone.promise;
  });

  test("a stream that speaks now and then goes on for as long as it likes", async () => {
    const { origin } = await serve(async (response) => {
      stream(response);
      for (const event of events) {
        response.write(frame(event));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      response.end();
    });
    const { response } = await outcomeOf(connectTo(origin, { timeouts: { firstEvent: 150, idle: 150 } }));
    expect(outcome(response!)).toEqual({ state: "completed" });
  });

  test("a slow reader is not cut off", async () => {
    const { origin } = await serve(async (response) => {
      stream(response, ...events.slice(0, 5));
      await new Promise((resolve) => setTimeout(resolve, 10));
      response.end(events.slice(5).map(frame).join(""));
    });
    const batches = batchesOf(connectTo(origin, { timeouts: { idle: 30 }, retry })({ input: "Hello" }));
    const seen: string[] = [];
    for (let read = await batches.next(); !read.done; read = await batches.next()) {
      seen.push(...read.value.map((event) => event.type));
      await new Promise((resolve) => setTimeout(resolve, 90));
    }
    expect(seen.at(-1)).toBe("response.completed");
  });

  test("the limit for the whole ends a stream in the middle", async () => {
    const { origin } = await serve((response) => {
      stream(response, ...events.slice(0, 5));
      const timer = setInterval(() => response.write(frame(events[4]!)), 5);
      response.once("close", () => clearInterval(timer));
    });
    const { response } = await outcomeOf(connectTo(origin, { timeouts: { total: 100 } }));
    expect(response).toMatchObject({
      status: "failed",
      error: { code: "timeout", message: expect.stringContaining("timeouts.total") },
    });
  });
});
