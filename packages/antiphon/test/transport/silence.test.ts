import { setImmediate as turn } from "node:timers/promises";
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createHttpTransport, createSocketTransport } from "../../src/node/index.ts";
import type { CreateResponse } from "../../src/model/index.ts";
import { connect, fetchJson } from "../../src/transport/connect.ts";
import { fetchTransport } from "../../src/transport/fetch-transport.ts";
import { reduce } from "../../src/core/reduce.ts";
import { answer, frame, outcomeOf, stream } from "../faults/support.ts";
import { serve, serveRaw, type Handler } from "./support/servers.ts";
import { upstreamAt } from "./support/upstream.ts";

const minute = 60_000;
const events = answer("Hi");
const whole = reduce(events);

beforeEach(
  () => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] }),
);
afterEach(() => void vi.useRealTimers());

/** Waits for the network, whose clock is real. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
  for (let turns = 0; turns < 20; turns += 1) await turn();
}

const begin = (response: ServerResponse): ServerResponse => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  return response;
};
const rest = (from: number): string => events.slice(from).map(frame).join("");
const answerPlain = (response: ServerResponse): void =>
  void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole));

/** Where a model falls silent, and how its answer goes on. */
const silences: [string, CreateResponse, Handler, (response: ServerResponse) => void][] = [
  ["before its answer", { input: "Hi" }, () => {}, (response) => void begin(response).end(rest(0))],
  ["before its first event", { input: "Hi" }, begin, (response) => void response.end(rest(0))],
  [
    "after response.created",
    { input: "Hi" },
    (response) => stream(response, ...events.slice(0, 2)),
    (response) => void response.end(rest(2)),
  ],
  [
    "in its answer",
    { input: "Hi" },
    (response) => stream(response, ...events.slice(0, 5)),
    (response) => void response.end(rest(5)),
  ],
  ["before a plain answer", { input: "Hi", stream: false }, () => {}, answerPlain],
];

describe.each([
  ["node:http", () => createHttpTransport()],
  ["sockets", () => createSocketTransport()],
])("over %s, a model that is silent", (_, create) => {
  test.each(silences)("%s for 9.5 minutes is waited for", async (__, request, begins, ends) => {
    let open: ServerResponse | undefined;
    const { origin, seen } = await serve((response, ...more) => begins((open = response), ...more));
    const outcome = outcomeOf(connect(upstreamAt(origin), { transport: create() }), request);
    await until(() => open !== undefined);
    vi.advanceTimersByTime(9.5 * minute);
    await until(() => true);
    ends(open!);
    expect((await outcome).response?.status).toBe("completed");
    expect(seen).toHaveLength(1);
  });

  test.each(silences)("%s for longer than 15 minutes fails once, after one request", async (__, request, begins) => {
    let open = false;
    const { origin, seen } = await serve((...args) => {
      begins(...args);
      open = true;
    });
    const outcome = outcomeOf(connect(upstreamAt(origin), { transport: create() }), request);
    await until(() => open);
    for (let minutes = 0; minutes < 60; minutes += 1) {
      vi.advanceTimersByTime(minute);
      await until(() => true);
    }
    const { error, response } = await outcome;
    expect(error?.message ?? response?.error?.message).toMatch(/900000 ms \(`timeouts\.(firstEvent|idle)`\)/);
    expect(seen).toHaveLength(1);
  });
});

test("a connection that is not made in time is tried again: nothing was sent", async () => {
  let connections = 0;
  // Accepts connections but never answers the TLS handshake.
  const { port } = await serveRaw(() => (connections += 1));
  const upstream = upstreamAt(`https://127.0.0.1:${port}`);
  const outcome = outcomeOf(connect(upstream, { transport: createHttpTransport() }));
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    await until(() => connections === attempt);
    vi.advanceTimersByTime(10_000);
    await until(() => true);
    vi.advanceTimersByTime(8_000);
  }
  expect((await outcome).error).toMatchObject({ code: "TIMEOUT", message: expect.stringContaining("`timeouts.connect`") });
  expect(connections).toBe(3);
});

describe("a document", () => {
  test.each([
    ["that is only read is asked for again after two minutes", {}, 2, 2],
    ["that a model makes is not asked for again", { body: { input: "Hi" } }, 15, 1],
  ])("%s", async (_, options, minutes, requests) => {
    const { origin, seen } = await serve(
      () => {},
      (response) => void response.writeHead(200, { "content-type": "application/json" }).end("{}"),
    );
    const fetched = fetchJson(upstreamAt(origin), "/thing", options).catch(({ code }: { code: string }) => code);
    await until(() => seen.length === 1);
    vi.advanceTimersByTime(minutes * minute);
    await until(() => true);
    vi.advanceTimersByTime(8_000);
    expect(await fetched).toEqual(requests === 2 ? {} : "TIMEOUT");
    expect(seen).toHaveLength(requests);
  });
});

test("the time limit of Node's own fetch is a timeout, which is not tried again", async () => {
  for (const code of ["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]) {
    let requests = 0;
    const fetch = (): Promise<Response> => {
      requests += 1;
      return Promise.reject(new TypeError("fetch failed", { cause: Object.assign(new Error("Timeout"), { code }) }));
    };
    const { error } = await outcomeOf(connect(upstreamAt("http://127.0.0.1:1"), { transport: fetchTransport(fetch) }));
    expect(error).toMatchObject({ code: "TIMEOUT", message: expect.stringContaining(code) });
    expect(requests).toBe(1);
  }
});
