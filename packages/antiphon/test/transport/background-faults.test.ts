import { describe, expect, test } from "vitest";
import type { ResponseEvent, ResponseResource } from "../../src/model/index.ts";
import { refuses } from "../faults/support.ts";
import { pass, passAndBreak, serveJob, type JobServerOptions } from "./support/job-server.ts";
import { expectLawful, gist, jobsAt, story, told } from "./support/jobs.ts";
import { closedPort, reset, serve, signalled } from "./support/servers.ts";

const events = story();
const whole = (events.at(-1) as { response: ResponseResource }).response;
const { id } = whole;
const tooOld = { status: 400, message: "This response can no longer be streamed because it is more than 5 minutes old." };

describe("a stream that has expired", () => {
  test.each([tooOld, { status: 404, message: "Gone." }, { status: 405, message: "No." }, { status: 501, message: "No." }])(
    "is told from the response, from any event on: $status",
    async (gone) => {
      for (let cut = 1; cut < events.length; cut += 1) {
        const server = await serveJob(events, {
          expired: (index) => (index > 0 ? gone : undefined),
          stream: ({ response, events: rest }) => passAndBreak(response, rest.slice(0, cut)),
        });
        const { events: seen } = await told(
          jobsAt(server.origin, { retry: { retries: 1, minDelay: 1 } }).stream({ input: "Hello" }),
        );
        expectLawful(seen);
        expect(seen.slice(0, cut)).toEqual(events.slice(0, cut));
        expect(gist(seen)).toEqual(gist(events));
        expect(seen.at(-1)).toMatchObject({ type: "response.completed", response: whole });
      }
    },
  );

  test("is told from the response, from a snapshot on", async () => {
    for (let at = 0; at < events.length - 1; at += 1) {
      const server = await serveJob(events, { expired: (index) => (index > 0 ? tooOld : undefined) });
      const stream = jobsAt(server.origin).stream({ input: "Hello" });
      const { events: seen } = await told(stream, at);
      const rest = await told(jobsAt(server.origin).follow(stream.snapshot()!));
      expectLawful([...seen, ...rest.events]);
      expect(gist([...seen, ...rest.events])).toEqual(gist(events));
    }
  });

  test("is waited for where the response is not ready", async () => {
    const server = await serveJob(events, {
      expired: () => tooOld,
      made: (asked) => [1, 1, 2, 2, events.length][asked] ?? events.length,
    });
    const { events: seen } = await told(jobsAt(server.origin).follow(id));
    expectLawful(seen);
    expect(seen.slice(0, 2).map(({ type }) => type)).toEqual(["response.created", "response.in_progress"]);
    expect(seen.filter(({ type }) => type === "response.in_progress")).toHaveLength(1);
    expect(gist(seen)).toEqual(gist(events));
  });

  test("of a response that is gone altogether ends in an error", async () => {
    const { origin } = await serve(refuses(404, { error: { message: "Response not found." } }));
    const server = await serveJob(events);
    const stream = jobsAt(server.origin).stream({ input: "Hello" });
    const { events: seen } = await told(stream, 8);
    const rest = await told(jobsAt(origin).follow(stream.snapshot()!));
    expectLawful([...seen, ...rest.events]);
    expect(rest.events.at(-1)).toMatchObject({
      type: "response.failed",
      response: { error: { message: "Response not found." } },
    });
  });
});

describe("a server that does not stream jobs", () => {
  test("is asked until the job is done", async () => {
    const server = await serveJob(events, { plain: true, made: (asked) => [1, 2, 2, events.length][asked] ?? events.length });
    const { events: seen, error } = await told(jobsAt(server.origin).stream({ input: "Hello" }));
    expect(error).toBeUndefined();
    expectLawful(seen);
    expect(gist(seen)).toEqual(gist(events));
    expect(server.asked().filter((line) => line.startsWith("POST"))).toHaveLength(1);
    expect(server.asked()[1]).toBe(`GET /responses/${id}`);
  });

  test("tells at once of a job that is done", async () => {
    const server = await serveJob(events, { plain: true });
    const { events: seen } = await told(jobsAt(server.origin).follow(id));
    expectLawful(seen);
    expect(server.seen).toHaveLength(1);
  });

  test("or that does not number its events is asked how the job stands once the stream breaks", async () => {
    const server = await serveJob(events, {
      stream: ({ response, events: rest }) =>
        passAndBreak(
          response,
          rest.slice(0, 9).map(({ sequence_number: _, ...event }) => event),
        ),
    });
    const { events: seen } = await told(jobsAt(server.origin).stream({ input: "Hello" }));
    expectLawful(seen);
    expect(gist(seen)).toEqual(gist(events));
    expect(server.asked()[1]).toBe(`GET /responses/${id}`);
  });
});

describe("the end of a job", () => {
  const endedAs = (fields: Partial<ResponseResource>) => ({ ...whole, output: [], ...fields });

  test.each([
    ["queued and cancelled", { status: "cancelled" }, "response.incomplete", { reason: "cancelled" }],
    ["failed", { status: "failed", error: { code: "server_error", message: "Oops." } }, "response.failed", null],
    [
      "stopped short",
      { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
      "response.incomplete",
      { reason: "max_output_tokens" },
    ],
  ] as const)("is told as it was: %s", async (_, fields, type, incomplete_details) => {
    const { origin } = await serve((response, { url }) =>
      url.includes("stream=true")
        ? refuses(400)(response)
        : response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(endedAs(fields))),
    );
    const { events: seen } = await told(jobsAt(origin).follow(id));
    expectLawful(seen);
    expect(seen.at(-1)).toMatchObject({ type, response: { status: fields.status, incomplete_details } });
    expect(await jobsAt(origin).wait(id)).toMatchObject({ status: fields.status });
  });

  test("by a cancellation from elsewhere closes what was open", async () => {
    const server = await serveJob(events, {
      expired: (index) => (index > 0 ? tooOld : undefined),
      stream: ({ response, events: rest }) => {
        passAndBreak(response, rest.slice(0, 11));
        server.cancelled = true;
      },
      made: () => 11,
    });
    const { events: seen } = await told(jobsAt(server.origin).stream({ input: "Hello" }));
    expectLawful(seen);
    expect(seen.at(-1)).toMatchObject({ type: "response.incomplete", response: { status: "cancelled" } });
  });
});

describe("giving up", () => {
  test("comes after some failures in a row, keeps what had come, and can be taken back", async () => {
    let down = false;
    const server = await serveJob(events, {
      stream: ({ response, events: rest }) => {
        if (down) return reset(response);
        down = true;
        passAndBreak(response, rest.slice(0, 8));
      },
      made: () => 8,
    });
    const jobs = jobsAt(server.origin, { retry: { retries: 2, minDelay: 1, maxDelay: 2 } });
    const stream = jobs.stream({ input: "Hello" }, { timeouts: { total: 300 } });
    const { events: seen } = await told(stream);
    expectLawful(seen);
    expect(seen.at(-1)).toMatchObject({ type: "response.failed", response: { error: { code: "timeout" } } });
    const snapshot = stream.snapshot()!;
    expect(snapshot.sequence_number).toBe(7);
    const healthy = await serveJob(events);
    const rest = await told(jobsAt(healthy.origin).follow(snapshot));
    expect([...events.slice(0, 8), ...rest.events]).toEqual(events);
  });

  test("comes where nobody answers any more", async () => {
    const port = await closedPort();
    const server = await serveJob(events);
    const stream = jobsAt(server.origin).stream({ input: "Hello" });
    const { events: seen } = await told(stream, 5);
    const rest = await told(
      jobsAt(`http://127.0.0.1:${port}`, { retry: { retries: 2, minDelay: 1, maxDelay: 2 } }).follow(stream.snapshot()!),
    );
    expectLawful([...seen, ...rest.events]);
    expect(rest.events.at(-1)).toMatchObject({ type: "response.failed", response: { error: { code: "connection_error" } } });
    expect(rest.notes).toHaveLength(4);
  });

  test("is at once where the key is refused", async () => {
    const { origin, seen } = await serve(refuses(401, { error: { message: "Wrong key.", code: "invalid_api_key" } }));
    expect((await told(jobsAt(origin).follow(id))).error).toMatchObject({ code: "AUTH_ERROR" });
    expect(seen).toHaveLength(1);
  });

  test("a job that may have been started is not started twice", async () => {
    const { origin, seen } = await serve((response) => reset(response));
    expect((await told(jobsAt(origin).stream({ input: "Hello" }))).error).toMatchObject({ code: "CONNECTION_ERROR" });
    await expect(jobsAt(origin).start({ input: "Hello" })).rejects.toMatchObject({ code: "CONNECTION_ERROR" });
    expect(seen).toHaveLength(2);
  });
});

describe("stopping", () => {
  /** Stops at an event. */
  const stopAt = async (origin: string, number: number, cancelOnAbort: boolean) => {
    const controller = new AbortController();
    const stream = jobsAt(origin).stream({ input: "Hello" }, { signal: controller.signal, cancelOnAbort });
    const seen: ResponseEvent[] = [];
    for await (const event of stream) {
      seen.push(event);
      if (event.sequence_number === number) controller.abort();
    }
    return { seen, stream };
  };
  const waiting: JobServerOptions = { stream: ({ response, events: rest }) => pass(response, rest.slice(0, 9)) };

  test("leaves the job alone where nothing else was asked for, and it can be followed again", async () => {
    const server = await serveJob(events, { ...waiting, made: () => 9 });
    const { seen, stream } = await stopAt(server.origin, 8, false);
    expectLawful(seen);
    expect(seen.at(-1)).toMatchObject({ type: "response.incomplete", response: { status: "incomplete" } });
    expect(server.cancelled).toBe(false);
    const rest = await told(jobsAt((await serveJob(events)).origin).follow(stream.snapshot()!));
    expect([...events.slice(0, 9), ...rest.events]).toEqual(events);
  });

  test("at any event cancels the job where that was asked for", async () => {
    for (let at = 0; at < 9; at += 1) {
      const server = await serveJob(events, { ...waiting, made: () => 9 });
      const { seen } = await stopAt(server.origin, at, true);
      expectLawful(seen);
      expect(seen.at(-1)).toMatchObject({ type: "response.incomplete", response: { status: "cancelled" } });
      expect(server.cancelled).toBe(true);
    }
  });

  test.each([false, true])("a job that has ended meanwhile gives its answer (refusing: %s)", async (strictCancel) => {
    const server = await serveJob(events, { ...waiting, strictCancel });
    const { seen } = await stopAt(server.origin, 8, true);
    expectLawful(seen);
    expect(seen.at(-1)).toMatchObject({ type: "response.completed", response: whole });
    expect(server.cancelled).toBe(false);
  });

  test("is final where the cancellation fails", async () => {
    const { origin } = await serve((response, { method, url }) =>
      method === "POST" && !url.endsWith("cancel") ? pass(response, events.slice(0, 9)) : refuses(404)(response),
    );
    const { seen } = await stopAt(origin, 8, true);
    expectLawful(seen);
    expect(seen.at(-1)).toMatchObject({ type: "response.incomplete", response: { status: "incomplete" } });
  });

  test("while it waits to ask again", async () => {
    const server = await serveJob(events, { expired: () => tooOld, made: () => 1 });
    const controller = new AbortController();
    const jobs = jobsAt(server.origin, { poll: { minDelay: 60_000, maxDelay: 60_000 }, cancelOnAbort: true });
    const seen: ResponseEvent[] = [];
    for await (const event of jobs.follow(id, { signal: controller.signal })) {
      seen.push(event);
      if (event.type === "response.in_progress") setTimeout(() => controller.abort(), 5);
    }
    expectLawful(seen);
    expect([seen.at(-1)?.type, server.cancelled]).toEqual(["response.incomplete", true]);
  });

  test("while a job is waited for", async () => {
    const server = await serveJob(events, { made: () => 1 });
    const jobs = jobsAt(server.origin, { poll: { minDelay: 60_000, maxDelay: 60_000 } });
    const signal = AbortSignal.timeout(20);
    await expect(jobs.wait(id, { signal, cancelOnAbort: true })).rejects.toMatchObject({ code: "ABORTED" });
    expect(server.cancelled).toBe(true);
  });

  test("by leaving closes the connection and not the job", async () => {
    const closed = signalled();
    const server = await serveJob(events, {
      stream: ({ response, events: rest }) => {
        response.once("close", () => closed.resolve());
        pass(response, rest.slice(0, 9));
      },
    });
    await told(jobsAt(server.origin, { cancelOnAbort: true }).stream({ input: "Hello" }), 8);
    await closed.promise;
    expect([server.cancelled, server.seen.length]).toEqual([false, 1]);
  });

  test("by leaving in the middle of a wait ends it", async () => {
    const server = await serveJob(events, { ...waiting });
    const batches = jobsAt(server.origin).stream({ input: "Hello" }).batches!();
    await batches.next();
    const pending = batches.next();
    await batches.return!();
    expect((await pending).done).toBe(true);
    expect(server.seen).toHaveLength(1);
  });
});
