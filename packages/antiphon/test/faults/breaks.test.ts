import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { outcome } from "../../src/core/views.ts";
import { createHttpTransport } from "../../src/node/http-transport.ts";
import { fetchTransport } from "../../src/transport/fetch-transport.ts";
import { closedPort, reset, serve, signalled, type Handler } from "../transport/support/servers.ts";
import { secret } from "../transport/support/upstream.ts";
import { answer, answers, connectTo, frame, frames, outcomeOf, spelt, stream } from "./support.ts";

/** Sends the beginning of an answer, waits until the client has read it, and goes on. */
const afterBeginning = (count: number, then: (response: Parameters<Handler>[0]) => void) => {
  const read = signalled();
  const handler: Handler = async (response) => {
    stream(response, ...answer("Hel", "lo").slice(0, count));
    await read.promise;
    then(response);
  };
  return { handler, onEvent: (_: unknown, seen: number) => void (seen === count && read.resolve()) };
};

describe.each([
  ["node:http", createHttpTransport()],
  ["fetch", fetchTransport()],
])("over %s", (_, transport) => {
  test("a refused connection is tried again, and then thrown", async () => {
    const port = await closedPort();
    const { error, notes, events } = await outcomeOf(connectTo(`http://127.0.0.1:${port}`, { transport }));
    expect(events).toEqual([]);
    expect(notes).toMatchObject([
      { type: "antiphon:retry", attempt: 1 },
      { type: "antiphon:retry", attempt: 2 },
    ]);
    expect(error).toMatchObject({ code: "CONNECTION_ERROR", provider: "test" });
    expect(error?.message).toContain("ECONNREFUSED");
  });

  test("a reset before the answer is tried again", async () => {
    const { origin, seen } = await serve(reset, answers("Hi"));
    const { response, notes } = await outcomeOf(connectTo(origin, { transport }));
    expect(outcome(response!)).toEqual({ state: "completed" });
    expect(notes).toHaveLength(1);
    expect(seen.map(({ body }) => body)).toEqual([seen[0]?.body, seen[0]?.body]);
  });

  test("a reset after output ends the stream with what had come", async () => {
    const { handler, onEvent } = afterBeginning(5, reset);
    const { origin, seen } = await serve(handler);
    const { response, events, error } = await outcomeOf(connectTo(origin, { transport }), undefined, { onEvent });
    expect(error).toBeUndefined();
    expect(spelt(events)).toBe("Hel");
    expect(response).toMatchObject({ status: "failed", error: { code: "truncated", request_id: "req_1" } });
    expect(response?.error?.message).toContain("broke during the response");
    expect(outcome(response!)).toMatchObject({ state: "truncated" });
    expect(response?.output).toMatchObject([{ status: "incomplete", content: [{ text: "Hel" }] }]);
    expect(seen).toHaveLength(1);
  });

  test("an end without a terminal event is truncated", async () => {
    const { handler, onEvent } = afterBeginning(5, (response) => response.end());
    const { origin } = await serve(handler);
    const { response } = await outcomeOf(connectTo(origin, { transport }), undefined, { onEvent });
    expect(outcome(response!)).toMatchObject({ state: "truncated" });
  });

  test("a stream that comes byte by byte reads like any other", async () => {
    const events = answer("naïve", " 𝄞");
    const { origin } = await serve(async (response) => {
      stream(response);
      for (const byte of Buffer.from(frames(events))) {
        response.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
      response.end();
    });
    expect((await outcomeOf(connectTo(origin, { transport }))).events).toEqual(events);
  });

  test("an event of 8 MB passes", async () => {
    const word = "x".repeat(8 * 1024 * 1024);
    const { origin } = await serve(answers(word));
    const { response, events } = await outcomeOf(connectTo(origin, { transport }));
    expect(outcome(response!)).toEqual({ state: "completed" });
    expect(spelt(events).length).toBe(word.length);
  });

  test("an event beyond the limit ends the stream and closes the connection", async () => {
    const closed = signalled();
    const { origin } = await serve(async (response) => {
      response.once("close", () => closed.resolve());
      stream(response, ...answer("Hi").slice(0, 5));
      response.write("data: ");
      const megabyte = "x".repeat(1024 * 1024);
      for (let sent = 0; sent < 64 && !response.destroyed; sent += 1)
        if (!response.write(megabyte)) await Promise.race([once(response, "drain"), closed.promise]);
    });
    const { response } = await outcomeOf(connectTo(origin, { transport }));
    expect(response).toMatchObject({ status: "failed", error: { code: "protocol" } });
    expect(response?.error?.message).toContain(`more than ${32 * 1024 * 1024} bytes. Raise \`maxEventBytes\``);
    await closed.promise;
  });
});

test("an answer that was read leaves its connection for the next", async () => {
  const { origin, connections } = await serve(answers("Hi"));
  const respond = connectTo(origin, { transport: createHttpTransport() });
  for (let call = 0; call < 3; call += 1) {
    await outcomeOf(respond);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(connections()).toBe(1);
});

test("a server that says more after the terminal event is not listened to", async () => {
  const closed = signalled();
  const { origin } = await serve((response) => {
    response.once("close", () => closed.resolve());
    const more = (): void =>
      void (response.write(frame({ type: "response.output_text.delta", delta: "!" })) && setTimeout(more, 5));
    stream(response, ...answer("Hi"));
    more();
  });
  const { events } = await outcomeOf(connectTo(origin));
  expect(events).toEqual(answer("Hi"));
  await closed.promise;
});

describe("garbage", () => {
  const told = async (handler: Handler) => {
    const { origin, seen } = await serve(handler);
    return { ...(await outcomeOf(connectTo(origin))), attempts: seen.length };
  };

  test("a page instead of events", async () => {
    const page = `<!doctype html><title>Welcome</title>${"<p>".repeat(200)}`;
    const { error, attempts } = await told((response) => response.writeHead(200, { "content-type": "text/html" }).end(page));
    expect(error?.code).toBe("PROTOCOL");
    expect(error?.message).toBe(`The server returned an HTML page instead of events: ${page.slice(0, 200)}`);
    expect(attempts).toBe(1);
  });

  test("JSON under a type that does not say so", async () => {
    const { error } = await told((response) => response.writeHead(200, { "content-type": "text/plain" }).end('{"id":"x"}'));
    expect(error).toMatchObject({
      code: "PROTOCOL",
      message: 'The server returned plain JSON instead of events: {"id":"x"}',
    });
  });

  test("nothing at all", async () => {
    const { error, attempts } = await told((response) => response.writeHead(200, { "content-type": "text/event-stream" }).end());
    expect(error?.code).toBe("TRUNCATED");
    expect(error?.requestId).toBeUndefined();
    expect(attempts).toBe(3);
  });

  test("a first event that is not JSON", async () => {
    const { error, attempts } = await told((response) => stream(response).end(`data: {"type": oops ${"x".repeat(500)}\n\n`));
    expect(error?.code).toBe("PROTOCOL");
    expect(error?.message).toContain('The server sent an event that is not JSON: {"type": oops xxx');
    expect(error?.message.length).toBeLessThan(300);
    expect(attempts).toBe(1);
  });

  test("a later event that is not JSON, in one packet with good ones", async () => {
    const { events, response } = await told((answering) =>
      stream(answering, ...answer("Hel", "lo").slice(0, 5)).end(`data: {oops\n\n${frames(answer("Hel", "lo").slice(5))}`),
    );
    expect(spelt(events)).toBe("Hel");
    expect(response).toMatchObject({ status: "failed", error: { code: "protocol" } });
  });

  test("half an event at the end is a truncated stream, not a broken one", async () => {
    const { response } = await told((answering) => stream(answering, ...answer("Hel").slice(0, 5)).end('data: {"type":"resp'));
    expect(outcome(response!)).toMatchObject({ state: "truncated" });
  });

  test("half a character at the end", async () => {
    const half = Buffer.from('data: {"type":"response.output_text.delta","delta":"é').subarray(0, -1);
    const { response } = await told((answering) => stream(answering, ...answer("Hel").slice(0, 5)).end(half));
    expect(outcome(response!)).toMatchObject({ state: "truncated" });
  });

  test("a last event without the blank line behind it counts", async () => {
    const { response } = await told((answering) => {
      const events = answer("Hi");
      stream(answering, ...events.slice(0, -1)).end(frame(events.at(-1)!).trimEnd());
    });
    expect(outcome(response!)).toEqual({ state: "completed" });
  });

  test("marks of the end, empty events and comments between", async () => {
    const { events } = await told((response) =>
      stream(response).end(`: hello\n\ndata:\n\n${answer("Hi").map(frame).join(": ping\n\n")}data: [DONE]\n\n`),
    );
    expect(events).toEqual(answer("Hi"));
  });

  test("a redirect", async () => {
    const { error } = await told((response) => response.writeHead(308, { location: "https://else.test/v1?key=k" }).end());
    expect(error).toMatchObject({
      code: "BAD_REQUEST",
      status: 308,
      message: "The server returned a redirect to https://else.test, which is not followed. Check the base URL.",
    });
  });

  test("an answer in one piece where a stream was asked for", async () => {
    const last = answer("Hel", "lo").at(-1) as { response: object };
    const { response, events } = await told((answering) =>
      answering.writeHead(200, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(last.response)),
    );
    expect(outcome(response!)).toEqual({ state: "completed" });
    expect(spelt(events)).toBe("Hello");
  });

  test("an answer in one piece that is cut or no JSON", async () => {
    const { error } = await told((response) => response.writeHead(200, { "content-type": "application/json" }).end('{"id":'));
    expect(error).toMatchObject({ code: "PROTOCOL", message: 'The server sent invalid JSON: {"id":' });
  });
});

test("a key that a server repeats does not get into the error", async () => {
  const { origin } = await serve((response) =>
    response
      .writeHead(401, { "content-type": "application/json" })
      .end(JSON.stringify({ error: { message: `Bad key ${secret}!` } })),
  );
  const { error } = await outcomeOf(connectTo(origin));
  expect(error).toMatchObject({ code: "AUTH_ERROR", message: "Bad key ***!", status: 401, provider: "test" });
  expect(`${error?.stack}`).not.toContain(secret);
});

test("an error's body is read so far and no further", async () => {
  const closed = signalled();
  const { origin } = await serve((response) => {
    response.once("close", () => closed.resolve());
    response.writeHead(500, { "content-type": "text/plain" });
    const more = (): void => void (response.destroyed || (response.write("x".repeat(65_536)), setImmediate(more)));
    more();
  });
  const { error } = await outcomeOf(connectTo(origin, { retry: { retries: 0 } }));
  expect(error).toMatchObject({ code: "SERVER_ERROR", status: 500 });
  expect(error?.message.length).toBeLessThan(2_100);
  await closed.promise;
});
