import { describe, expect, test } from "vitest";
import { outcome } from "../../src/core/views.ts";
import type { CreateResponse } from "../../src/model/index.ts";
import { closedPort, reset, serve, type Handler } from "../transport/support/servers.ts";
import { answer, answers, connectTo, failure, outcomeOf, refuses, spelt, stream } from "./support.ts";

async function tried(request: CreateResponse, ...handlers: Handler[]) {
  const { origin, seen } = await serve(...handlers);
  const { response, ...rest } = await outcomeOf(connectTo(origin), request);
  return { ...rest, response, state: response && outcome(response)?.state, attempts: seen.length };
}
const hello: CreateResponse = { input: "Hello" };
const stateful: CreateResponse = { input: "Hello", background: true };

describe("an error status", () => {
  test.each([500, 502, 503, 529, 408, 429])("%i is tried again", async (status) => {
    const { state, attempts, notes } = await tried(hello, refuses(status), answers("Hi"));
    expect({ state, attempts }).toEqual({ state: "completed", attempts: 2 });
    expect(notes).toMatchObject([{ type: "antiphon:retry", sequence_number: 0, attempt: 1, error: { message: "No." } }]);
  });

  test("504 is tried again only if the server says so: the model may have worked until then", async () => {
    const { error, attempts } = await tried(hello, refuses(504), answers("Hi"));
    expect({ code: error?.code, attempts }).toEqual({ code: "TIMEOUT", attempts: 1 });
    const told = await tried(hello, refuses(504, undefined, { "x-should-retry": "true" }), answers("Hi"));
    expect({ state: told.state, attempts: told.attempts }).toEqual({ state: "completed", attempts: 2 });
  });

  test.each([400, 401, 403, 404, 413, 422])("%i is thrown at once", async (status) => {
    const { error, attempts } = await tried(hello, refuses(status), answers("Hi"));
    expect({ status: error?.status, attempts }).toEqual({ status, attempts: 1 });
  });

  test("gives up after two retries, and throws the last error", async () => {
    const { error, attempts, events } = await tried(
      hello,
      refuses(500),
      refuses(502),
      refuses(503, "busy", { "x-request-id": "r3" }),
    );
    expect({ attempts, events }).toEqual({ attempts: 3, events: [] });
    expect(error).toMatchObject({ code: "SERVER_OVERLOADED", status: 503, message: "busy", requestId: "r3", provider: "test" });
  });

  test("a used-up quota is not tried again, though its status is that of a rate limit", async () => {
    const body = { error: { code: "insufficient_quota", message: "You exceeded your current quota." } };
    const { error, attempts } = await tried(hello, refuses(429, body, { "retry-after": "0" }), answers("Hi"));
    expect({ code: error?.code, attempts }).toEqual({ code: "QUOTA_EXCEEDED", attempts: 1 });
  });

  test("the server's own word decides", async () => {
    const no = await tried(hello, refuses(500, undefined, { "x-should-retry": "false" }), answers("Hi"));
    expect({ code: no.error?.code, attempts: no.attempts }).toEqual({ code: "SERVER_ERROR", attempts: 1 });
    const yes = await tried(hello, refuses(400, undefined, { "x-should-retry": "true" }), answers("Hi"));
    expect({ state: yes.state, attempts: yes.attempts }).toEqual({ state: "completed", attempts: 2 });
  });
});

describe("a pause that the server asks for", () => {
  const limited = (headers: Record<string, string>, message = "Slow down.") => refuses(429, { error: { message } }, headers);

  test.each<[string, Handler, number]>([
    ["retry-after-ms", limited({ "retry-after-ms": "7" }), 7],
    ["retry-after in seconds", limited({ "retry-after": "0.012" }), 12],
    ["a limit's reset", limited({ "x-ratelimit-reset-requests": "9ms", "x-ratelimit-remaining-requests": "0" }), 9],
    ["a hint in the message", limited({}, "Rate limit reached. Please try again in 0.02s."), 20],
  ])("%s is kept", async (_, handler, delay) => {
    const { notes, state } = await tried(hello, handler, answers("Hi"));
    expect(notes).toMatchObject([{ type: "antiphon:retry", delay, error: { code: "RATE_LIMIT" } }]);
    expect(state).toBe("completed");
  });

  test.each<[string, Handler]>([
    ["retry-after-ms", limited({ "retry-after-ms": "60000" })],
    ["retry-after", limited({ "retry-after": "60" })],
    ["a date", limited({ "retry-after": new Date(Date.now() + 60_000).toUTCString() })],
    ["a hint", limited({}, "Please try again in 6m0s.")],
  ])("%s that is too long is an error at once", async (_, handler) => {
    const { error, attempts } = await tried(hello, handler, answers("Hi"));
    expect(attempts).toBe(1);
    expect(error?.code).toBe("RATE_LIMIT");
    expect(error?.retryAfter).toBeGreaterThan(55_000);
  });
});

describe("a failure inside a good status, before output", () => {
  const overloaded = { type: "error", error: { type: "server_error", code: "server_is_overloaded", message: "Busy." } };

  test("an error as the first event is tried again", async () => {
    const { state, attempts, events } = await tried(hello, (response) => stream(response, overloaded).end(), answers("Hi"));
    expect({ state, attempts }).toEqual({ state: "completed", attempts: 2 });
    expect(events).toEqual(answer("Hi"));
  });

  test("a failed response is tried again, and its events are not seen", async () => {
    const { state, attempts, events, notes } = await tried(
      hello,
      (response) => stream(response, ...failure("server_error", "Sorry.")).end(),
      (response) => stream(response, ...failure("rate_limit_exceeded", "Please try again in 3ms.")).end(),
      answers("Hi"),
    );
    expect({ state, attempts }).toEqual({ state: "completed", attempts: 3 });
    expect(events).toEqual(answer("Hi"));
    expect(notes).toMatchObject([{ error: { code: "SERVER_ERROR" } }, { delay: 3, error: { code: "RATE_LIMIT" } }]);
  });

  test("an error after the lifecycle events is tried again", async () => {
    const { state, attempts } = await tried(
      hello,
      (response) => stream(response, ...answer("x").slice(0, 2), { ...overloaded, sequence_number: 2 }).end(),
      answers("Hi"),
    );
    expect({ state, attempts }).toEqual({ state: "completed", attempts: 2 });
  });

  test("a stream that breaks off before output is tried again", async () => {
    const { state, attempts } = await tried(
      hello,
      (response) => stream(response, ...answer("x").slice(0, 2)).end(),
      async (response) => {
        stream(response, ...answer("x").slice(0, 2));
        setTimeout(() => reset(response), 20);
      },
      answers("Hi"),
    );
    expect({ state, attempts }).toEqual({ state: "completed", attempts: 3 });
  });

  test("the last attempt is passed on as it is", async () => {
    const failed = failure("server_error", "Sorry.");
    const { attempts, events, response } = await tried(hello, (answering) => stream(answering, ...failed).end());
    expect(attempts).toBe(3);
    expect(events).toEqual(failed);
    expect(response?.error).toMatchObject({ code: "server_error", message: "Sorry." });
  });

  test("a failure that a retry cannot help is passed on at once", async () => {
    const failed = failure("context_length_exceeded", "Too long.");
    const { attempts, events } = await tried(hello, (answering) => stream(answering, ...failed).end());
    expect(attempts).toBe(1);
    expect(events).toEqual(failed);
  });

  test("an error in a plain answer counts like one in a stream", async () => {
    const body = JSON.stringify({ error: { code: "server_error", message: "Sorry." } });
    const { state, attempts } = await tried(
      hello,
      (response) => response.writeHead(200, { "content-type": "application/json" }).end(body),
      answers("Hi"),
    );
    expect({ state, attempts }).toEqual({ state: "completed", attempts: 2 });
  });
});

test("a failure after output is never tried again", async () => {
  const begun = answer("Hel").slice(0, 5);
  const failed = {
    type: "response.failed",
    sequence_number: 5,
    response: { error: { code: "server_error", message: "Sorry." } },
  };
  const { attempts, events, response } = await tried(hello, (answering) => stream(answering, ...begun, failed).end());
  expect(attempts).toBe(1);
  expect(spelt(events)).toBe("Hel");
  expect(response?.status).toBe("failed");
});

test("lifecycle events are held back only while a retry is possible", async () => {
  const { origin } = await serve((response) => stream(response, ...answer("Hi").slice(0, 2)).end());
  const first = async (retries: number): Promise<string> => {
    const events = connectTo(origin, { retry: { retries } })({ input: "Hello" });
    for await (const event of events) return event.type;
    return "nothing";
  };
  expect(await first(0)).toBe("response.created");
  expect(await first(1)).toBe("antiphon:retry");
});

describe("a request that changes something", () => {
  test("is not sent again after a reset", async () => {
    const { error, attempts } = await tried(stateful, reset, answers("Hi"));
    expect({ code: error?.code, attempts }).toEqual({ code: "CONNECTION_ERROR", attempts: 1 });
  });

  test("is not sent again over a connection that was kept alive either", async () => {
    const { origin, seen } = await serve(answers("Hi"), reset);
    const respond = connectTo(origin);
    await outcomeOf(respond, stateful);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await outcomeOf(respond, { input: "Hello", conversation: "conv_1" })).error?.code).toBe("CONNECTION_ERROR");
    expect(seen).toHaveLength(2);
  });

  test("is not sent again after a server error, inside a stream or out of it", async () => {
    expect(await tried(stateful, refuses(500), answers("Hi"))).toMatchObject({ attempts: 1, error: { code: "SERVER_ERROR" } });
    const inside = await tried(
      stateful,
      (response) => stream(response, ...failure("server_error", "Sorry.")).end(),
      answers("Hi"),
    );
    expect(inside).toMatchObject({ attempts: 1, state: "failed" });
  });

  test("is sent again where it surely did not start", async () => {
    expect(await tried(stateful, refuses(429), answers("Hi"))).toMatchObject({ attempts: 2, state: "completed" });
    const asked = refuses(500, undefined, { "x-should-retry": "true" });
    expect(await tried(stateful, asked, answers("Hi"))).toMatchObject({ attempts: 2, state: "completed" });
    const { notes, error } = await outcomeOf(connectTo(`http://127.0.0.1:${await closedPort()}`), stateful);
    expect({ retries: notes.length, code: error?.code }).toEqual({ retries: 2, code: "CONNECTION_ERROR" });
  });
});
