import { describe, expect, test } from "vitest";
import { blankResponse } from "../../src/core/blank-response.ts";
import { collect } from "../../src/core/collect.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { batchesOf, fromBatches, type Respond } from "../../src/core/respond.ts";
import type { CreateResponse, ResponseEvent } from "../../src/model/index.ts";
import { provider } from "../../src/providers/registry.ts";
import { connect, fetchJson } from "../../src/transport/connect.ts";
import type { Transport, WireUpstream } from "../../src/transport/upstream.ts";
import { answer, answers, connectTo, frame, outcomeOf, quick, refuses, stream } from "../faults/support.ts";
import { reset, serve, signalled } from "./support/servers.ts";
import { secret, upstreamAt } from "./support/upstream.ts";

describe("the request", () => {
  test("carries the upstream's headers, the options' and the call's, each winning over the one before", async () => {
    const { origin, seen } = await serve(answers("Hi"));
    const upstream = { ...upstreamAt(origin), query: { "api-version": "1" } };
    const respond = connect(upstream, { headers: { "X-A": "options", "x-b": "options", accept: "text/x" } });
    await collect(respond({ input: "Hello" }, { headers: { "X-B": "call" } }));
    expect(seen[0]).toMatchObject({ method: "POST", url: "/v1/responses?api-version=1" });
    expect(seen[0]?.headers).toMatchObject({
      authorization: `Bearer ${secret}`,
      "content-type": "application/json",
      accept: "text/x",
      "x-a": "options",
      "x-b": "call",
    });
  });

  test("asks for an event stream", async () => {
    const { origin, seen } = await serve(answers("Hi"));
    await collect(connectTo(origin)({ input: "Hello" }));
    expect(seen[0]?.headers.accept).toBe("text/event-stream");
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ model: "test-model", input: "Hello", stream: true });
  });

  test("names the upstream's model only where it names none itself, and is never changed", async () => {
    const { origin, seen } = await serve(answers("Hi"));
    const request: CreateResponse = Object.freeze({ input: "Hello" });
    await collect(connectTo(origin)(request));
    await collect(connectTo(origin)({ ...request, model: "other" }));
    expect(seen.map(({ body }) => (JSON.parse(body) as CreateResponse).model)).toEqual(["test-model", "other"]);
    expect(request).toEqual({ input: "Hello" });
  });

  test.each([
    ["input", { input: 5 }],
    ["input", { input: {} }],
    ["input", { input: ["Hello"] }],
    ["tools", { input: "Hello", tools: "search" }],
    ["tools", { input: "Hello", tools: [null] }],
  ])("is refused where %s is of the wrong kind: %j", async (param, request) => {
    const { origin, seen } = await serve(answers("Hi"));
    const { error } = await outcomeOf(connectTo(origin), request as CreateResponse);
    expect(error).toMatchObject({ code: "BAD_REQUEST", param, provider: "test" });
    expect(seen).toEqual([]);
  });

  test("asks for headers once per call, and not before it is read", async () => {
    const { origin } = await serve(refuses(500), answers("Hi"));
    let asked = 0;
    const upstream: WireUpstream = { ...upstreamAt(origin), headers: () => ((asked += 1), {}) };
    const events = connect(upstream, quick)({ input: "Hello" });
    expect(asked).toBe(0);
    await collect(events);
    expect(asked).toBe(1);
  });

  test("that cannot be made is an error of the provider, and nothing is sent", async () => {
    const missing = () => {
      throw new AntiphonError("AUTH_ERROR", "TEST_KEY is not set.");
    };
    const { origin, seen } = await serve(answers("Hi"));
    const { error } = await outcomeOf(connect({ ...upstreamAt(origin), headers: missing }));
    expect(error).toMatchObject({ code: "AUTH_ERROR", provider: "test" });
    expect(seen).toEqual([]);
  });

  test("waits for a key that has to be fetched, and is sent with it", async () => {
    const { origin, seen } = await serve(answers("Hi"), answers("Hi"));
    let turn = 0;
    const upstream = provider("openai", { baseUrl: origin, apiKey: async () => `key-${(turn += 1)}`, model: "m" });
    const respond = connect(upstream);
    await collect(respond({ input: "Hello" }));
    await collect(respond({ input: "Hello" }));
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(["Bearer key-1", "Bearer key-2"]);
  });

  test.each([
    [
      "cannot be fetched",
      () => Promise.reject(new Error("no vault")),
      "AUTH_ERROR",
      "The API key could not be fetched: no vault",
    ],
    ["is refused for a reason", () => Promise.reject(new AntiphonError("PERMISSION", "Not you.")), "PERMISSION", "Not you."],
    [
      "never comes",
      () => new Promise<string>(() => {}),
      "TIMEOUT",
      "Fetching the API key took longer than 30 ms (`timeouts.connect`).",
    ],
  ])("whose key %s is not sent", async (_, apiKey, code, message) => {
    const { origin, seen } = await serve(answers("Hi"));
    const upstream = provider("openai", { baseUrl: origin, apiKey, model: "m" });
    const { error } = await outcomeOf(connect(upstream, { timeouts: { connect: 30 } }));
    expect(error).toMatchObject({ code, message, provider: "openai" });
    await expect(fetchJson(upstream as WireUpstream, "/models", { timeouts: { connect: 30 } })).rejects.toMatchObject({
      code,
      message,
    });
    expect(seen).toEqual([]);
  });

  test("can be stopped while its key is fetched", async () => {
    const { origin } = await serve(answers("Hi"));
    const upstream = provider("openai", { baseUrl: origin, apiKey: () => new Promise<string>(() => {}), model: "m" });
    const stop = new AbortController();
    const told = outcomeOf(connect(upstream), { input: "Hello" }, { signal: stop.signal });
    stop.abort();
    expect((await told).error).toMatchObject({ code: "ABORTED" });
  });

  test("that a codec trips over is a fault of the request, not a broken connection, and nothing is sent", async () => {
    const { origin, seen } = await serve(answers("Hi"));
    const upstream = upstreamAt(origin);
    const encodeRequest = () => {
      throw new TypeError("a bug");
    };
    const respond = connect({ ...upstream, codec: { ...upstream.codec, encodeRequest } }, quick);
    await expect(collect(respond({ input: "Hello" }))).rejects.toMatchObject({
      code: "BAD_REQUEST",
      message: "The request could not be encoded: a bug",
      provider: "test",
      cause: expect.any(TypeError),
    });
    expect(seen).toEqual([]);
  });
});

describe("notes", () => {
  test("tell first what the wire could not say", async () => {
    const { origin } = await serve(answers("Hi"));
    const { notes, events } = await outcomeOf(connectTo(origin), { input: "Hello", seed: 7 });
    expect(notes).toMatchObject([{ type: "antiphon:loss", sequence_number: 0, losses: [{ path: "seed" }] }]);
    expect(events).toEqual(answer("Hi"));
  });

  test("tell before the terminal event what had to be put right, where that is asked for", async () => {
    const numberless = answer("Hi").map(({ sequence_number: _, ...event }) => event);
    const { origin } = await serve((response) => stream(response, ...numberless).end());
    const all: ResponseEvent[] = [];
    for await (const event of connectTo(origin, { reportRepairs: true })({ input: "Hello" })) all.push(event);
    expect(all.at(-2)).toMatchObject({ type: "antiphon:repairs", sequence_number: numberless.length - 2 });
    expect(all.filter(({ type }) => type !== "antiphon:repairs")).toEqual(answer("Hi"));
    expect((await outcomeOf(connectTo(origin))).notes).toEqual([]);
  });

  test("tell of repairs also where the stream breaks", async () => {
    const numberless = answer("Hi").map(({ sequence_number: _, ...event }) => event);
    const { origin } = await serve((response) => {
      stream(response, ...numberless.slice(0, 5));
      setTimeout(() => reset(response), 30);
    });
    const { notes, response } = await outcomeOf(connectTo(origin, { reportRepairs: true }));
    expect(notes).toMatchObject([{ type: "antiphon:repairs" }]);
    expect(response?.status).toBe("failed");
  });

  test("number a retry like the event before it", async () => {
    const { origin } = await serve(refuses(503, { error: { message: "Busy." } }), answers("Hi"));
    const { notes } = await outcomeOf(connectTo(origin));
    expect(notes).toEqual([
      {
        type: "antiphon:retry",
        sequence_number: 0,
        attempt: 1,
        delay: expect.any(Number),
        error: { code: "SERVER_OVERLOADED", message: "Busy." },
      },
    ]);
  });
});

describe("a stream", () => {
  test("comes in one batch per read", async () => {
    const [first, rest] = [answer("Hi").slice(0, 5), answer("Hi").slice(5)];
    const read = signalled();
    const { origin } = await serve(async (response) => {
      stream(response, ...first);
      await read.promise;
      response.end(rest.map(frame).join(""));
    });
    const batches = batchesOf(connectTo(origin)({ input: "Hello" }));
    expect((await batches.next()).value).toEqual(first);
    read.resolve();
    expect((await batches.next()).value).toEqual(rest);
    expect(await batches.next()).toEqual({ done: true, value: undefined });
  });

  test("ends at its terminal event, without waiting for the server to hang up", async () => {
    const { origin } = await serve((response) => stream(response, ...answer("Hi")));
    expect((await outcomeOf(connectTo(origin))).events).toEqual(answer("Hi"));
  });

  test("that is a plain answer, still at work, ends without a terminal event", async () => {
    const queued = { ...blankResponse("resp_1", 1, {}), status: "queued", background: true };
    const { origin } = await serve((response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(queued)),
    );
    const types: string[] = [];
    for await (const event of connectTo(origin)({ input: "Hello", background: true })) types.push(event.type);
    expect(types).toEqual(["response.created", "response.queued"]);
  });

  test("takes ids and times from the options", async () => {
    const { origin } = await serve((response) => stream(response, { type: "response.output_text.delta", delta: "Hi" }).end());
    const { response } = await outcomeOf(
      connectTo(origin, { newId: (prefix) => `${prefix}_mine`, now: () => 42, retry: { retries: 0 } }),
    );
    expect(response).toMatchObject({ id: "resp_mine", created_at: 42 });
  });
});

describe("the way there", () => {
  test("is the `fetch` that the options name", async () => {
    const { origin } = await serve(answers("Hi"));
    const urls: string[] = [];
    const mine: typeof fetch = (url, init) => (urls.push(String(url)), fetch(url, init));
    await collect(connect(upstreamAt(origin), { fetch: mine })({ input: "Hello" }));
    expect(urls).toEqual([`${origin}/v1/responses`]);
  });

  test("is the transport that the options name, before `fetch`", async () => {
    const bytes = [new TextEncoder().encode(answer("Hi").map(frame).join(""))];
    const transport: Transport = async () => ({
      status: 200,
      headers: { get: () => null },
      read: async () => bytes.pop(),
      cancel: () => {},
    });
    const refuse: typeof fetch = () => Promise.reject(new Error("not this way"));
    const { events } = await outcomeOf(connect(upstreamAt("http://nowhere.test"), { transport, fetch: refuse }));
    expect(events).toEqual(answer("Hi"));
  });

  test("needs no network for a local upstream, which gets the model's name and the call's options", async () => {
    const asked: Parameters<Respond>[] = [];
    const respond: Respond = (...args) => (asked.push(args), fromBatches(() => batchesOf(connectNothing())));
    const connectNothing = () => ({
      async *[Symbol.asyncIterator]() {
        yield* answer("Hi");
      },
    });
    const options = { headers: { a: "b" } };
    await collect(connect({ name: "local", model: "tiny", respond })({ input: "Hello" }, options));
    expect(asked).toEqual([[{ input: "Hello", model: "tiny" }, options]]);
  });
});

describe("fetchJson", () => {
  const fetchOptions = { retry: { minDelay: 1, maxDelay: 50 } };

  test("gets a document with the upstream's headers and query", async () => {
    const { origin, seen } = await serve((response) => response.end('{"data":[1]}'));
    const upstream = { ...upstreamAt(origin), query: { v: "1" } };
    expect(await fetchJson(upstream, "/models", { headers: { "X-A": "1" } })).toEqual({ data: [1] });
    expect(seen[0]).toMatchObject({ method: "GET", url: "/v1/models?v=1", body: "" });
    expect(seen[0]?.headers).toMatchObject({ authorization: `Bearer ${secret}`, accept: "application/json", "x-a": "1" });
  });

  test("tries again what may succeed a little later", async () => {
    const { origin, seen } = await serve(refuses(503), reset, (response) => response.end("[]"));
    expect(await fetchJson(upstreamAt(origin), "/models", fetchOptions)).toEqual([]);
    expect(seen).toHaveLength(3);
  });

  test("throws what a call would throw", async () => {
    const { origin, seen } = await serve(refuses(401, { error: { message: `No: ${secret}` } }, { "x-request-id": "r1" }));
    await expect(fetchJson(upstreamAt(origin), "/models", fetchOptions)).rejects.toMatchObject({
      code: "AUTH_ERROR",
      message: "No: ***",
      provider: "test",
      requestId: "r1",
    });
    expect(seen).toHaveLength(1);
  });

  test("refuses what is not JSON", async () => {
    const { origin } = await serve((response) => response.end("<html>"));
    await expect(fetchJson(upstreamAt(origin), "/models", fetchOptions)).rejects.toMatchObject({ code: "PROTOCOL" });
  });

  test("gives up in time, and where it is told to", async () => {
    const { origin } = await serve(() => {});
    const options = { ...fetchOptions, timeouts: { firstEvent: 40 }, retry: { retries: 0 } };
    await expect(fetchJson(upstreamAt(origin), "/models", options)).rejects.toMatchObject({ code: "TIMEOUT", provider: "test" });
    const controller = new AbortController();
    const pending = fetchJson(upstreamAt(origin), "/models", { signal: controller.signal });
    setTimeout(() => controller.abort("enough"), 20);
    await expect(pending).rejects.toMatchObject({ code: "ABORTED", cause: "enough" });
    await expect(fetchJson(upstreamAt(origin), "/models", { signal: AbortSignal.abort("no") })).rejects.toMatchObject({
      code: "ABORTED",
    });
  });

  test("is stopped during the pause before a retry", async () => {
    const { origin, seen } = await serve(refuses(429, undefined, { "retry-after": "5" }));
    const controller = new AbortController();
    const pending = fetchJson(upstreamAt(origin), "/models", { signal: controller.signal });
    while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    setTimeout(() => controller.abort("enough"), 50);
    await expect(pending).rejects.toMatchObject({ code: "ABORTED" });
  });
});
