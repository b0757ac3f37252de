import { describe, expect, test } from "vitest";
import { chatCodec } from "../../src/codecs/chat/index.ts";
import { collect } from "../../src/core/collect.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { text } from "../../src/core/views.ts";
import { foldLaw, lifecycleLaw } from "../../src/testing/laws.ts";
import { connectSocket } from "../../src/transport/websocket-connect.ts";
import { outcomeOf, spelt } from "../faults/support.ts";
import { serve, signalled } from "./support/servers.ts";
import { failing, serveSockets, type ServerTurn } from "./support/socket-server.ts";
import { fleeting, socketsTo, until } from "./support/sockets.ts";
import { secret, upstreamAt } from "./support/upstream.ts";

describe("a request over a WebSocket", () => {
  test("is a message, with the key in the handshake, and its answer comes through as it is", async () => {
    const server = await serveSockets();
    const { events } = await outcomeOf(socketsTo(server.origin, { headers: { "X-A": "1" } }), { input: "Hello", store: false });
    expect(server.seen).toEqual([
      { connection: 0, message: { type: "response.create", model: "test-model", input: "Hello", store: false } },
    ]);
    expect(server.upgrades[0]?.url).toBe("/v1/responses");
    expect(server.upgrades[0]?.headers).toMatchObject({
      authorization: `Bearer ${secret}`,
      "x-a": "1",
      "user-agent": "antiphon",
    });
    expect([lifecycleLaw(events), foldLaw(events), spelt(events)]).toEqual([undefined, undefined, "Answer 0."]);
    expect(server.posts).toEqual([]);
  });

  test("leaves out what HTTP says of streams, and tells so where that is a loss", async () => {
    const server = await serveSockets();
    const { notes } = await outcomeOf(socketsTo(server.origin), {
      input: "Hello",
      stream: true,
      background: false,
      stream_options: { include_obfuscation: false },
    });
    expect(notes).toMatchObject([{ type: "antiphon:loss", losses: [{ path: "stream_options" }] }]);
    expect(Object.keys(server.seen[0]!.message).sort()).toEqual(["input", "model", "type"]);
  });

  test("that runs in the background goes over HTTP, since the wire has no such jobs on sockets", async () => {
    const server = await serveSockets();
    const { events } = await outcomeOf(socketsTo(server.origin), { input: "Hello", background: true });
    expect([spelt(events), server.upgrades.length, server.posts.length]).toEqual(["over HTTP", 0, 1]);
  });

  test("opens nothing before it is read", async () => {
    const server = await serveSockets();
    socketsTo(server.origin)({ input: "Hello" });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(server.upgrades).toEqual([]);
  });

  test("is put right like any other answer", async () => {
    const { origin } = await serveSockets({
      answer: ({ send, events }) => send(...events.map(({ sequence_number: _, ...event }) => event)),
    });
    const { events, notes } = await outcomeOf(socketsTo(origin, { reportRepairs: true }));
    expect(spelt(events)).toBe("Answer 0.");
    expect(notes).toMatchObject([{ type: "antiphon:repairs", repairs: [{ rule: "sequence-number" }] }]);
  });

  test("may be answered in binary messages", async () => {
    const { origin } = await serveSockets({
      answer: ({ socket, events }) =>
        events.forEach((event) => socket.send(Buffer.from(JSON.stringify(event)), { binary: true })),
    });
    expect(spelt((await outcomeOf(socketsTo(origin))).events)).toBe("Answer 0.");
  });
});

describe("the requests of one conversation", () => {
  test("share a connection, and go on from what is stored nowhere", async () => {
    const server = await serveSockets();
    const respond = socketsTo(server.origin);
    let previous: string | undefined;
    for (let turn = 0; turn < 5; turn += 1) {
      const response = await collect(respond(fleeting(previous)));
      expect(response.status).toBe("completed");
      expect(respond.holds(response.id)).toBe(true);
      previous = response.id;
    }
    expect(server.upgrades).toHaveLength(1);
    expect(server.overlaps).toBe(0);
  });

  test("lose their chain with the connection, and the server need not be asked to know it", async () => {
    const server = await serveSockets();
    const respond = socketsTo(server.origin);
    const first = await collect(respond(fleeting()));
    server.sockets[0]!.close(1001);
    await until(() => !respond.holds(first.id));
    const { error } = await outcomeOf(respond, fleeting(first.id));
    expect(error).toMatchObject({ code: "CHAIN_NOT_FOUND", vendorCode: "previous_response_not_found", provider: "test" });
    expect(server.seen).toHaveLength(1);
    expect((await outcomeOf(respond, fleeting())).response?.status).toBe("completed");
  });

  test("keep a stored chain over the loss of the connection", async () => {
    const server = await serveSockets();
    const respond = socketsTo(server.origin);
    const first = await collect(respond({ input: "Hello" }));
    server.sockets[0]!.terminate();
    await until(() => !respond.holds(first.id));
    const second = await collect(respond({ input: "Go on.", previous_response_id: first.id }));
    expect([second.status, server.upgrades.length]).toEqual(["completed", 2]);
  });

  test("learn from the server that it knows no such chain, and can go on afresh on the same connection", async () => {
    const server = await serveSockets();
    const respond = socketsTo(server.origin);
    const { error } = await outcomeOf(respond, fleeting("resp_of_old"));
    expect(error).toMatchObject({ code: "CHAIN_NOT_FOUND", status: 400, param: "previous_response_id" });
    expect((await outcomeOf(respond, fleeting())).response?.status).toBe("completed");
    expect(server.upgrades).toHaveLength(1);
  });

  test("lose their chain when a request that goes on from it fails", async () => {
    const server = await serveSockets();
    const respond = socketsTo(server.origin);
    const first = await collect(respond(fleeting()));
    const output = { type: "function_call_output" as const, call_id: "call_unknown", output: "4" };
    const { error } = await outcomeOf(respond, { ...fleeting(first.id), input: [output] });
    expect(error).toMatchObject({ code: "BAD_REQUEST", param: "input" });
    expect(respond.holds(first.id)).toBe(false);
    expect((await outcomeOf(respond, fleeting(first.id))).error).toMatchObject({ code: "CHAIN_NOT_FOUND" });
    expect(server.upgrades).toHaveLength(1);
  });
});

describe("requests at the same time", () => {
  const parallel = async (count: number, connections: number) => {
    const arrived: ServerTurn[] = [];
    const server = await serveSockets({ answer: (turn) => arrived.push(turn) });
    const respond = socketsTo(server.origin, { connections });
    const answers = Array.from({ length: count }, () => outcomeOf(respond));
    for (let done = 0; done < count; done += 1) {
      await until(() => arrived.length > done);
      arrived[done]!.send(...arrived[done]!.events);
    }
    return { server, outcomes: await Promise.all(answers) };
  };

  test("get connections of their own", async () => {
    const { server, outcomes } = await parallel(3, 4);
    expect([server.upgrades.length, server.overlaps]).toEqual([3, 0]);
    expect(outcomes.map(({ response }) => response?.status)).toEqual(["completed", "completed", "completed"]);
  });

  test("wait where there are too many, in order, and never share a connection", async () => {
    const { server, outcomes } = await parallel(7, 2);
    expect([server.upgrades.length, server.overlaps]).toEqual([2, 0]);
    expect(outcomes.map(({ events }) => spelt(events)).sort()).toEqual([0, 1, 2, 3, 4, 5, 6].map((index) => `Answer ${index}.`));
  });

  test("that go on from one response wait for the connection that holds it", async () => {
    const arrived: ServerTurn[] = [];
    const server = await serveSockets({
      answer: (turn) => (turn.index === 0 ? turn.send(...turn.events) : arrived.push(turn)),
    });
    const respond = socketsTo(server.origin);
    const first = await collect(respond(fleeting()));
    const both = [outcomeOf(respond, fleeting(first.id)), outcomeOf(respond, fleeting(first.id))];
    await until(() => arrived.length === 1);
    arrived[0]!.send(...arrived[0]!.events);
    const outcomes = await Promise.all(both);
    expect(outcomes[0]?.response?.status).toBe("completed");
    // The server holds the last response only, so the second one finds out that its own is gone.
    expect(outcomes[1]?.error).toMatchObject({ code: "CHAIN_NOT_FOUND" });
    expect([server.upgrades.length, server.overlaps]).toEqual([1, 0]);
  });

  test("a request that waits can be stopped, and takes no connection", async () => {
    const arrived: ServerTurn[] = [];
    const server = await serveSockets({ answer: (turn) => arrived.push(turn) });
    const respond = socketsTo(server.origin, { connections: 1 });
    const first = outcomeOf(respond);
    await until(() => arrived.length === 1);
    const controller = new AbortController();
    const second = outcomeOf(respond, { input: "Hello" }, { signal: controller.signal });
    await new Promise(setImmediate);
    controller.abort();
    expect((await second).error).toMatchObject({ code: "ABORTED" });
    arrived[0]!.send(...arrived[0]!.events);
    expect((await first).response?.status).toBe("completed");
    expect(server.seen).toHaveLength(1);
  });

  test("a new conversation leaves the state of another one alone, while there are connections", async () => {
    const server = await serveSockets();
    const respond = socketsTo(server.origin, { connections: 2 });
    const a = await collect(respond(fleeting()));
    const b = await collect(respond(fleeting()));
    expect([respond.holds(a.id), respond.holds(b.id), server.upgrades.length]).toEqual([true, true, 2]);
    const c = await collect(respond(fleeting()));
    expect([respond.holds(a.id), respond.holds(b.id), respond.holds(c.id), server.upgrades.length]).toEqual([
      false,
      true,
      true,
      2,
    ]);
  });

  test("stored conversations share one connection, as nothing of theirs can be pushed out", async () => {
    const server = await serveSockets();
    const respond = socketsTo(server.origin);
    for (let turn = 0; turn < 3; turn += 1) await collect(respond({ input: "Hello" }));
    expect(server.upgrades).toHaveLength(1);
  });

  test("requests with other headers get other connections", async () => {
    const server = await serveSockets();
    const respond = socketsTo(server.origin, { connections: 1 });
    await collect(respond({ input: "Hello" }, { headers: { "x-tenant": "a" } }));
    await collect(respond({ input: "Hello" }, { headers: { "x-tenant": "b" } }));
    expect(server.upgrades.map(({ headers }) => headers["x-tenant"])).toEqual(["a", "b"]);
    await until(() => server.open() === 1);
  });
});

describe("a connection", () => {
  test("that was unused for too long is closed, and the next request opens another", async () => {
    const server = await serveSockets();
    const respond = socketsTo(server.origin, { maxIdle: 20 });
    await collect(respond({ input: "Hello" }));
    await until(() => server.open() === 0);
    expect(text(await collect(respond({ input: "Hello" })))).toBe("Answer 1.");
  });

  test("that is too old is replaced", async () => {
    const server = await serveSockets();
    const respond = socketsTo(server.origin, { maxAge: 0 });
    await collect(respond({ input: "Hello" }));
    await collect(respond({ input: "Hello" }));
    expect(server.upgrades).toHaveLength(2);
    await until(() => server.open() === 1);
  });

  test("is opened anew where the server says that it has reached its age", async () => {
    const limit = { type: "error", status: 400, error: { code: "websocket_connection_limit_reached", message: "60 minutes." } };
    const server = await serveSockets({ answer: (turn) => turn.send(...(turn.index === 1 ? [limit] : turn.events)) });
    const respond = socketsTo(server.origin, { retry: { retries: 0 } });
    await collect(respond({ input: "Hello" }));
    expect(text(await collect(respond({ input: "Hello" })))).toBe("Answer 2.");
    expect(server.seen.map(({ connection }) => connection)).toEqual([0, 0, 1]);
  });

  test("of old age takes an unstored chain with it", async () => {
    const limit = { type: "error", status: 400, error: { code: "websocket_connection_limit_reached", message: "60 minutes." } };
    const server = await serveSockets({ answer: (turn) => turn.send(...(turn.index === 1 ? [limit] : turn.events)) });
    const respond = socketsTo(server.origin);
    const first = await collect(respond(fleeting()));
    expect((await outcomeOf(respond, fleeting(first.id))).error).toMatchObject({ code: "CHAIN_NOT_FOUND" });
  });

  test("is not asked for ever, where every one has reached its age", async () => {
    const limit = { type: "error", status: 400, error: { code: "websocket_connection_limit_reached", message: "60 minutes." } };
    const server = await serveSockets({ answer: (turn) => turn.send(limit) });
    const { error } = await outcomeOf(socketsTo(server.origin, { retry: { retries: 1, minDelay: 1 } }));
    expect(error).toMatchObject({ code: "CONNECTION_ERROR", vendorCode: "websocket_connection_limit_reached" });
    expect(server.seen).toHaveLength(4);
  });

  test("closes when it is asked to, and an answer that was coming ends as stopped", async () => {
    const begun = signalled();
    const server = await serveSockets({ answer: ({ send, events }) => (send(...events.slice(0, 5)), begun.resolve()) });
    const respond = socketsTo(server.origin);
    const outcome = outcomeOf(respond, { input: "Hello" }, { onEvent: (_, count) => count === 5 && respond.close() });
    await begun.promise;
    expect((await outcome).response).toMatchObject({ status: "incomplete", incomplete_details: { reason: "cancelled" } });
    await until(() => server.open() === 0);
  });
});

describe("warming up", () => {
  test("opens the connection and gives a response to go on from", async () => {
    const server = await serveSockets();
    const respond = socketsTo(server.origin);
    const warm = await respond.warmUp({ ...fleeting(), instructions: "Be brief." });
    expect(server.seen[0]?.message).toMatchObject({ generate: false, instructions: "Be brief." });
    const response = await collect(respond(fleeting(warm?.id)));
    expect([response.status, server.upgrades.length]).toEqual(["completed", 1]);
    expect(server.seen[1]?.message).not.toHaveProperty("generate");
  });

  test("does nothing where there are no sockets, and sends nothing over HTTP", async () => {
    const server = await serveSockets({ refuse: () => 404 });
    const respond = socketsTo(server.origin);
    expect(await respond.warmUp(fleeting())).toBeUndefined();
    expect(await respond.warmUp(fleeting())).toBeUndefined();
    expect([server.posts.length, server.upgrades.length]).toEqual([0, 1]);
  });
});

describe("an upstream without WebSocket mode", () => {
  const chat = async () => {
    const { origin } = await serve((response) => response.writeHead(500).end());
    return { ...upstreamAt(origin), codec: chatCodec() };
  };

  test("is asked over HTTP", async () => {
    const respond = connectSocket(await chat(), { retry: { retries: 0 } });
    expect((await outcomeOf(respond)).error).toMatchObject({ code: "SERVER_ERROR" });
    expect([respond.holds("resp_1"), await respond.warmUp({})]).toEqual([false, undefined]);
    respond.close();
  });

  test("is refused where HTTP must not take over", async () => {
    const upstream = await chat();
    expect(() => connectSocket(upstream, { fallback: false })).toThrow(AntiphonError);
  });

  test("may be a model of this process", async () => {
    const events = failing(0, "server_error", "No.");
    const respond = connectSocket({
      name: "here",
      respond: () => ({
        async *[Symbol.asyncIterator]() {
          yield* events;
        },
      }),
    });
    expect((await outcomeOf(respond)).response?.status).toBe("failed");
  });
});
