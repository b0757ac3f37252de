import { describe, expect, test } from "vitest";
import { collect } from "../../src/core/collect.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { text } from "../../src/core/views.ts";
import { foldLaw } from "../../src/testing/laws.ts";
import { answers, outcomeOf, refuses, spelt } from "../faults/support.ts";
import { closedPort, serve, serveRaw, signalled } from "./support/servers.ts";
import { failing, serveSockets, type ServerTurn } from "./support/socket-server.ts";
import { fleeting, socketsTo, until } from "./support/sockets.ts";
import { secret } from "./support/upstream.ts";

const error = (status: number, code: string | null, message = "No.") => ({ type: "error", status, error: { code, message } });

describe("where there is no WebSocket", () => {
  test.each([400, 404, 405, 426, 501])("a refusal with status %i is remembered, and HTTP takes over", async (status) => {
    const server = await serveSockets({ refuse: () => status });
    const respond = socketsTo(server.origin);
    const seen = [await outcomeOf(respond, { input: "Hello", seed: 7 }), await outcomeOf(respond)];
    expect(seen.map(({ events }) => spelt(events))).toEqual(["over HTTP", "over HTTP"]);
    expect(seen[0]?.notes).toMatchObject([{ type: "antiphon:loss" }]);
    expect([server.upgrades.length, server.posts.length]).toEqual([1, 2]);
    expect(JSON.parse(server.posts[0]!)).toEqual({ model: "test-model", input: "Hello", stream: true });
  });

  test("a server that is nowhere is named as over HTTP", async () => {
    const port = await closedPort();
    const { error } = await outcomeOf(socketsTo(`http://127.0.0.1:${port}`, { retry: { retries: 0 } }));
    expect(error).toMatchObject({ code: "CONNECTION_ERROR", message: `Could not connect to 127.0.0.1:${port} (ECONNREFUSED).` });
  });

  test("a base URL that is none is named as over HTTP", async () => {
    expect((await outcomeOf(socketsTo("nowhere"))).error).toMatchObject({ code: "BAD_REQUEST" });
  });

  test("a key that is refused is refused as over HTTP", async () => {
    const server = await serveSockets({
      refuse: () => 401,
      http: refuses(401, { error: { message: "Wrong key.", code: "invalid_api_key" } }),
    });
    const { error } = await outcomeOf(socketsTo(server.origin));
    expect(error).toMatchObject({ code: "AUTH_ERROR", message: "Wrong key.", status: 401 });
  });

  test("a server that hangs up on the first message is asked over HTTP", async () => {
    const server = await serveSockets({ answer: ({ socket }) => socket.close(1011) });
    expect(spelt((await outcomeOf(socketsTo(server.origin))).events)).toBe("over HTTP");
    expect(server.upgrades).toHaveLength(1);
  });

  test("a server that never shakes hands is given up in time", async () => {
    const server = await serveRaw(() => {});
    const { error } = await outcomeOf(
      socketsTo(server.origin, { fallback: false, timeouts: { connect: 30 }, retry: { retries: 0 } }),
    );
    expect(error).toMatchObject({ code: "TIMEOUT", message: expect.stringContaining("`timeouts.connect`") });
  });

  test("a new connection that cannot be had is no reason to leave one that is open", async () => {
    const server = await serveSockets({ refuse: (_, index) => (index > 0 ? 503 : undefined) });
    const respond = socketsTo(server.origin);
    const { id } = await collect(respond(fleeting()));
    expect(spelt((await outcomeOf(respond, fleeting())).events)).toBe("over HTTP");
    expect(spelt((await outcomeOf(respond, fleeting(id))).events)).toBe("Answer 1.");
  });

  test("a server that fails over HTTP too is asked again that way", async () => {
    const server = await serveSockets({ refuse: () => 503, http: refuses(503) });
    const { error } = await outcomeOf(socketsTo(server.origin, { retry: { retries: 2, minDelay: 1 } }));
    expect(error).toMatchObject({ code: "SERVER_OVERLOADED" });
    expect([server.upgrades.length, server.posts.length]).toEqual([1, 3]);
  });

  test("a server that only knows HTTP is asked that way", async () => {
    const { origin, seen } = await serve(answers("Hi"));
    expect(text(await collect(socketsTo(origin)({ input: "Hello" })))).toBe("Hi");
    // `node:http` takes an upgrade that it does not know for a plain request.
    expect(seen.map(({ method }) => method)).toEqual(["GET", "POST"]);
  });

  test("a runtime without sockets is no hindrance", async () => {
    const { origin } = await serve(answers("Hi"));
    const webSocket = () => {
      throw new AntiphonError("UNSUPPORTED", "None here.");
    };
    expect(text(await collect(socketsTo(origin, { webSocket })({ input: "Hello" })))).toBe("Hi");
  });

  test.each([
    [404, "NOT_FOUND"],
    [401, "AUTH_ERROR"],
    [429, "RATE_LIMIT"],
    [503, "SERVER_OVERLOADED"],
  ])("a refusal with status %i is an error like that of HTTP where HTTP must not take over", async (status, code) => {
    const server = await serveSockets({ refuse: () => status });
    const { error } = await outcomeOf(socketsTo(server.origin, { fallback: false, retry: { retries: 0 } }));
    expect(error).toMatchObject({ code, status, message: "No sockets here.", provider: "test" });
    expect(server.posts).toEqual([]);
  });

  test("a message that may have added to a conversation is not sent twice", async () => {
    const server = await serveSockets({ answer: ({ socket }) => socket.terminate() });
    const { error } = await outcomeOf(socketsTo(server.origin), { input: "Hello", conversation: "conv_1" });
    expect(error).toMatchObject({ code: "CONNECTION_ERROR" });
    expect([server.seen.length, server.posts.length]).toEqual([1, 0]);
  });
});

describe("an error that a server tells", () => {
  test.each([
    [error(400, "context_length_exceeded"), "CONTEXT_LENGTH_EXCEEDED"],
    [error(400, "invalid_encrypted_content"), "INVALID_ENCRYPTED_CONTENT"],
    [error(401, null), "AUTH_ERROR"],
    [error(413, null), "CONTEXT_LENGTH_EXCEEDED"],
    [{ type: "error", code: "insufficient_quota", message: "Pay." }, "QUOTA_EXCEEDED"],
  ])("before an answer has the code that it has on HTTP: %j", async (message, code) => {
    const server = await serveSockets({ answer: ({ send }) => send(message) });
    const respond = socketsTo(server.origin, { retry: { retries: 0 } });
    expect((await outcomeOf(respond)).error).toMatchObject({ code, provider: "test" });
    await outcomeOf(respond);
    expect([server.upgrades.length, server.posts.length]).toEqual([1, 0]);
  });

  test("is waited out as long as it says", async () => {
    const busy = { ...error(429, "rate_limit_exceeded"), headers: { "retry-after-ms": "3" } };
    const server = await serveSockets({ answer: (turn) => turn.send(...(turn.index === 0 ? [busy] : turn.events)) });
    const { notes, response } = await outcomeOf(socketsTo(server.origin));
    expect(notes).toMatchObject([{ type: "antiphon:retry", attempt: 1, delay: 3, error: { code: "RATE_LIMIT" } }]);
    expect([response?.status, server.upgrades.length]).toEqual(["completed", 1]);
  });

  test("after output ends the answer, and the connection goes on", async () => {
    const server = await serveSockets({
      answer: ({ index, send, events }) =>
        send(...(index === 0 ? [...events.slice(0, 6), error(500, "server_error", "Oops.")] : events)),
    });
    const respond = socketsTo(server.origin);
    const { response, events } = await outcomeOf(respond);
    expect(response).toMatchObject({ status: "failed", error: { code: "server_error", message: "Oops." } });
    expect(foldLaw(events)).toBeUndefined();
    expect((await outcomeOf(respond)).response?.status).toBe("completed");
    expect(server.upgrades).toHaveLength(1);
  });

  test("may be followed by an event that nobody waits for", async () => {
    const late = signalled<ServerTurn>();
    const server = await serveSockets({
      answer: (turn) => {
        if (turn.index === 0) {
          turn.send(...turn.events.slice(0, 2), error(500, "server_error"));
          return late.resolve(turn);
        }
        const [failed] = failing(0, "server_error", "No.").slice(-1);
        turn.send(failed!, ...turn.events);
      },
    });
    const respond = socketsTo(server.origin, { retry: { retries: 0 } });
    expect((await outcomeOf(respond)).response?.status).toBe("failed");
    await late.promise;
    expect(spelt((await outcomeOf(respond)).events)).toBe("Answer 1.");
  });

  test("does not repeat the key", async () => {
    const server = await serveSockets({ answer: ({ send }) => send(error(401, null, `Wrong key: ${secret}`)) });
    expect((await outcomeOf(socketsTo(server.origin))).error?.message).toBe("Wrong key: ***");
  });
});

describe("a connection that breaks", () => {
  test("in the middle of an answer, at any event: lawful, failed, and the next request works", async () => {
    const count = 10;
    for (let cut = 1; cut < count - 1; cut += 1) {
      const server = await serveSockets({
        answer: ({ index, socket, send, events }) => {
          if (index > 0) return send(...events);
          send(...events.slice(0, cut));
          setTimeout(() => socket.terminate(), 5);
        },
      });
      const respond = socketsTo(server.origin, { retry: { retries: 0 } });
      const { response, events } = await outcomeOf(respond, fleeting());
      expect([cut, response?.status, response?.error?.code]).toEqual([cut, "failed", "truncated"]);
      expect(foldLaw(events)).toBeUndefined();
      expect((await outcomeOf(respond, fleeting())).response?.status).toBe("completed");
      expect(server.posts).toEqual([]);
    }
  });

  test("before output is tried again on another one", async () => {
    const server = await serveSockets({
      answer: ({ index, socket, send, events }) => {
        if (index > 0) return send(...events);
        send(...events.slice(0, 2));
        setTimeout(() => socket.terminate(), 5);
      },
    });
    const { events, notes } = await outcomeOf(socketsTo(server.origin));
    expect(notes).toMatchObject([{ type: "antiphon:retry", error: { code: "CONNECTION_ERROR" } }]);
    expect([spelt(events), server.upgrades.length]).toEqual(["Answer 1.", 2]);
  });

  test("by a plain close cuts the answer off", async () => {
    const server = await serveSockets({
      answer: ({ socket, send, events }) => (send(...events.slice(0, 6)), socket.close(1000)),
    });
    expect((await outcomeOf(socketsTo(server.origin))).response).toMatchObject({
      status: "failed",
      error: { code: "truncated" },
    });
  });

  test.each([
    [1008, "permission"],
    [1011, "server_error"],
    [1012, "server_overloaded"],
    [4999, "truncated"],
  ])("with code %i says why", async (code, expected) => {
    const server = await serveSockets({
      answer: ({ socket, send, events }) => (send(...events.slice(0, 6)), socket.close(code, "Because.")),
    });
    expect((await outcomeOf(socketsTo(server.origin))).response?.error).toMatchObject({ code: expected });
  });

  test("while it is not used is not noticed by the next request", async () => {
    const server = await serveSockets({
      answer: ({ index, socket, send, events }) => {
        // The second message crosses with the close.
        if (index === 1) return socket.close(1001);
        send(...events);
      },
    });
    const respond = socketsTo(server.origin, { retry: { retries: 0 } });
    await collect(respond({ input: "Hello" }));
    expect(text(await collect(respond({ input: "Hello" })))).toBe("Answer 2.");
    expect([server.upgrades.length, server.posts.length]).toEqual([2, 0]);
  });

  test("together with all others that were not used is not noticed either", async () => {
    const arrived: ServerTurn[] = [];
    let dead = false;
    const server = await serveSockets({
      answer: (turn) => {
        if (dead && turn.connection < 3) return turn.socket.terminate();
        if (dead) return turn.send(...turn.events);
        if (arrived.push(turn) === 3) for (const { send, events } of arrived) send(...events);
      },
    });
    const respond = socketsTo(server.origin, { retry: { retries: 0 } });
    await Promise.all([1, 2, 3].map(() => collect(respond({ input: "Hello" }))));
    dead = true;
    expect(text(await collect(respond({ input: "Hello" })))).toBe("Answer 4.");
    expect([server.upgrades.length, server.posts.length]).toEqual([4, 0]);
  });

  test("while it is not used loses an unstored chain, and says so", async () => {
    const server = await serveSockets({
      answer: ({ index, socket, send, events }) => (index === 1 ? socket.terminate() : send(...events)),
    });
    const respond = socketsTo(server.origin);
    const first = await collect(respond(fleeting()));
    expect((await outcomeOf(respond, fleeting(first.id))).error).toMatchObject({ code: "CHAIN_NOT_FOUND" });
  });
});

describe("a message that cannot be taken", () => {
  test.each([
    ["is not JSON", "<html>"],
    ["is half of one", '{"type":"response.output_text.de'],
  ])("that %s ends the answer, and the connection", async (_, garbage) => {
    const server = await serveSockets({
      answer: ({ index, socket, send, events }) =>
        index === 0 ? (send(...events.slice(0, 6)), socket.send(garbage)) : send(...events),
    });
    const respond = socketsTo(server.origin);
    expect((await outcomeOf(respond)).response).toMatchObject({ status: "failed", error: { code: "protocol" } });
    await until(() => server.open() === 0);
    expect((await outcomeOf(respond)).response?.status).toBe("completed");
  });

  test("first of all is an error, and the answer is not asked for twice", async () => {
    const server = await serveSockets({ answer: ({ socket }) => socket.send("hello there") });
    expect((await outcomeOf(socketsTo(server.origin))).error).toMatchObject({
      code: "PROTOCOL",
      message: "The server sent an event that is not JSON: hello there",
    });
    expect([server.seen.length, server.posts.length]).toEqual([1, 0]);
  });

  test("that is too large ends the answer before it is read", async () => {
    const server = await serveSockets({
      answer: ({ send, events }) => send(...events.slice(0, 6), { type: "x:large", data: "x".repeat(5_000) }),
    });
    const { response } = await outcomeOf(socketsTo(server.origin, { maxEventBytes: 4_000 }));
    expect(response?.error).toMatchObject({ code: "protocol", message: expect.stringContaining("`maxEventBytes`") });
    await until(() => server.open() === 0);
  });
});

describe("stopping", () => {
  const hanging = (count: number) =>
    serveSockets({ answer: ({ index, send, events }) => send(...(index === 0 ? events.slice(0, count) : events)) });

  test("at any event closes the connection, ends lawfully, and the next request works", async () => {
    for (let position = 3; position < 9; position += 1) {
      const server = await hanging(position);
      const respond = socketsTo(server.origin);
      const controller = new AbortController();
      const onEvent = (_: unknown, count: number) => count === position && controller.abort();
      const { response, events } = await outcomeOf(respond, fleeting(), { signal: controller.signal, onEvent });
      expect(response).toMatchObject({ status: "incomplete", incomplete_details: { reason: "cancelled" } });
      expect(foldLaw(events)).toBeUndefined();
      await until(() => server.open() === 0);
      expect((await outcomeOf(respond, fleeting())).response?.status).toBe("completed");
    }
  });

  test("before the first event closes the connection, and nothing is sent over HTTP", async () => {
    const server = await hanging(0);
    const respond = socketsTo(server.origin);
    const controller = new AbortController();
    const outcome = outcomeOf(respond, { input: "Hello" }, { signal: controller.signal });
    await until(() => server.seen.length === 1);
    controller.abort();
    expect((await outcome).error).toMatchObject({ code: "ABORTED" });
    await until(() => server.open() === 0);
    expect(server.posts).toEqual([]);
    expect((await outcomeOf(respond)).response?.status).toBe("completed");
  });

  test("while the connection is being opened sends nothing", async () => {
    const arrived = signalled();
    const { origin } = await serveRaw((socket) => socket.once("data", () => arrived.resolve()));
    const controller = new AbortController();
    const outcome = outcomeOf(socketsTo(origin), { input: "Hello" }, { signal: controller.signal });
    await arrived.promise;
    controller.abort();
    expect((await outcome).error).toMatchObject({ code: "ABORTED" });
  });

  test("by leaving closes the connection", async () => {
    const server = await hanging(6);
    const respond = socketsTo(server.origin);
    for await (const event of respond({ input: "Hello" })) if (event.type === "response.output_text.delta") break;
    await until(() => server.open() === 0);
    expect((await outcomeOf(respond)).response?.status).toBe("completed");
  });

  test("for want of an event closes the connection and is not tried again: the model may be at work", async () => {
    const server = await hanging(0);
    const respond = socketsTo(server.origin, { timeouts: { firstEvent: 40 } });
    const { notes, error } = await outcomeOf(respond);
    expect([notes, error?.code, server.upgrades.length, server.posts.length]).toEqual([[], "TIMEOUT", 1, 0]);
    expect((await outcomeOf(respond)).response?.status).toBe("completed");
  });

  test("in silence after output ends the answer; keep-alives do not count", async () => {
    const server = await serveSockets({
      answer: ({ socket, send, events }) => {
        send(...events.slice(0, 6));
        const timer = setInterval(() => send({ type: "keepalive", sequence_number: 6 }), 10);
        socket.once("close", () => clearInterval(timer));
      },
    });
    const { response } = await outcomeOf(socketsTo(server.origin, { timeouts: { idle: 60 } }));
    expect(response?.error).toMatchObject({ code: "timeout" });
    await until(() => server.open() === 0);
  });
});
