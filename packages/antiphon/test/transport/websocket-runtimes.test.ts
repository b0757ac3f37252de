import { createServer, type IncomingMessage } from "node:http";
import { connect as connectTcp, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, expectTypeOf, test, vi } from "vitest";
import { WebSocket } from "ws";
import { collect } from "../../src/core/collect.ts";
import { text } from "../../src/core/views.ts";
import { createWebSocket } from "../../src/node/web-socket.ts";
import { openGlobalWebSocket } from "../../src/transport/websocket-global.ts";
import type { OpenWebSocket, WebSocketLike } from "../../src/transport/websocket.ts";
import { outcomeOf, spelt } from "../faults/support.ts";
import { certificate } from "./support/certificate.ts";
import { listen } from "./support/servers.ts";
import { serveSockets } from "./support/socket-server.ts";
import { fleeting, socketsTo, until } from "./support/sockets.ts";
import { secret } from "./support/upstream.ts";

afterEach(() => void vi.unstubAllGlobals());

describe("the package `ws`", () => {
  test("lets the process end while a connection is not used", async () => {
    const open = (): number => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
    const before = open();
    let during = 0;
    const server = await serveSockets({ answer: ({ send, events }) => ((during = open()), send(...events)) });
    await collect(socketsTo(server.origin)({ input: "Hello" }));
    // The server's end is in this process too, and stays.
    expect([during - before, open() - before, server.open()]).toEqual([2, 1, 1]);
  });

  test("fits as it is, and tells the status of a refusal", async () => {
    const webSocket: OpenWebSocket = (url, { headers, protocols }) => new WebSocket(url, protocols, { headers });
    const server = await serveSockets({ refuse: (_, index) => (index === 1 ? 404 : undefined) });
    expect(text(await collect(socketsTo(server.origin, { webSocket })({ input: "Hello" })))).toBe("Answer 0.");
    const { error } = await outcomeOf(socketsTo(server.origin, { webSocket, fallback: false }));
    expect(error).toMatchObject({ code: "NOT_FOUND", status: 404 });
  });

  test("speaks TLS, also through a proxy", async () => {
    const server = await serveSockets({ secure: true });
    const asked: (string | undefined)[] = [];
    const proxy = await listen(
      createServer().on("connect", (request: IncomingMessage, socket: Socket) => {
        asked.push(request.url);
        const target = connectTcp(server.port, "127.0.0.1", () => {
          socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
          target.pipe(socket).pipe(target);
        });
        target.on("error", () => socket.destroy());
      }),
    );
    const agent = { ca: certificate };
    const near = createWebSocket({ agent, proxy: false });
    const far = createWebSocket({ agent, proxy: proxy.origin });
    const strict = { fallback: false, retry: { retries: 0 } };
    const ask = (host: string, webSocket: OpenWebSocket) =>
      outcomeOf(socketsTo(`https://${host}:${server.port}`, { ...strict, webSocket }));
    expect(spelt((await ask("localhost", near)).events)).toBe("Answer 0.");
    expect(spelt((await ask("api.example.test", far)).events)).toBe("Answer 1.");
    expect(asked).toEqual([`api.example.test:${server.port}`]);
    expect((await ask("localhost", createWebSocket({ proxy: false }))).error).toMatchObject({
      code: "CONNECTION_ERROR",
      message: `Could not connect to localhost:${server.port} (DEPTH_ZERO_SELF_SIGNED_CERT).`,
    });
  });

  test("gives up a connection whose pings are not answered", async () => {
    const server = await serveSockets({ pongs: false });
    const respond = socketsTo(server.origin, { webSocket: createWebSocket({ pingInterval: 20 }) });
    const { id } = await collect(respond(fleeting()));
    await until(() => !respond.holds(id));
    expect((await outcomeOf(respond, fleeting(id))).error).toMatchObject({ code: "CHAIN_NOT_FOUND" });
  });

  test("keeps one whose pings are answered", async () => {
    const server = await serveSockets();
    let pings = 0;
    const respond = socketsTo(server.origin, { webSocket: createWebSocket({ pingInterval: 100 }) });
    const { id } = await collect(respond(fleeting()));
    server.sockets[0]!.on("ping", () => (pings += 1));
    await until(() => pings > 2);
    expect(respond.holds(id)).toBe(true);
  });

  test("makes a server wait whose answer nobody reads, and loses nothing of it", async () => {
    const large = "x".repeat(1024 * 1024);
    const server = await serveSockets({
      answer: ({ send, events }) =>
        send(...events.slice(0, 5), ...Array.from({ length: 48 }, () => ({ ...events[4], delta: large })), {
          type: "response.incomplete",
          response: { ...(events.at(-1) as { response: object }).response, status: "incomplete", output: [] },
        }),
    });
    const stream = socketsTo(server.origin)({ input: "Hello" })[Symbol.asyncIterator]();
    await stream.next();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(server.sockets[0]!.bufferedAmount).toBeGreaterThan(large.length);
    let length = 0;
    for (let next = await stream.next(); !next.done; next = await stream.next())
      if (next.value.type === "response.output_text.delta") length += next.value.delta.length;
    expect(length).toBe("Answer".length + 48 * large.length);
  });
});

describe("without the package `ws`", () => {
  const about = { headers: {}, protocols: [], authorized: false, maxMessageBytes: 1 };
  beforeEach(() => {
    vi.doMock("ws", () => {
      throw new Error("Cannot find package 'ws'");
    });
  });
  afterEach(() => vi.doUnmock("ws"));

  test("says what to install where the runtime has no WebSocket of its own", async () => {
    vi.stubGlobal("WebSocket", undefined);
    await expect(createWebSocket()("ws://127.0.0.1", about)).rejects.toMatchObject({
      code: "UNSUPPORTED",
      message: "WebSockets require the package `ws` on this version of Node. Run `npm install ws`.",
    });
  });

  test("uses the runtime's own where there is one", async () => {
    const opened: string[] = [];
    vi.stubGlobal("WebSocket", function own(url: string) {
      opened.push(url);
    });
    await createWebSocket()("ws://127.0.0.1", about);
    expect(opened).toEqual(["ws://127.0.0.1"]);
  });
});

describe("the runtime's own WebSocket", () => {
  test("fits by its type", () => expectTypeOf<globalThis.WebSocket>().toExtend<WebSocketLike>());

  /** A runtime by its name, whose sockets take what that one's take. */
  const runtime = (userAgent: string): void => {
    vi.stubGlobal("navigator", { userAgent });
    vi.stubGlobal(
      "WebSocket",
      class extends WebSocket {
        constructor(url: string, options: string[] | { headers: Record<string, string>; protocols: string[] }) {
          if (Array.isArray(options)) super(url, options);
          else super(url, options.protocols, { headers: options.headers });
        }
      },
    );
  };

  test("is required: a runtime without one throws", () => {
    vi.stubGlobal("WebSocket", undefined);
    const options = { headers: {}, protocols: [], authorized: false, maxMessageBytes: 1 };
    expect(() => openGlobalWebSocket("ws://127.0.0.1", options)).toThrow("This runtime has no WebSocket");
  });

  test("takes headers on servers", async () => {
    runtime("Node.js/22");
    const server = await serveSockets();
    await collect(socketsTo(server.origin, { webSocket: openGlobalWebSocket })({ input: "Hello" }));
    expect(server.upgrades[0]?.headers.authorization).toBe(`Bearer ${secret}`);
  });

  test("is not used in browsers for want of a place for the key", async () => {
    runtime("Mozilla/5.0");
    const server = await serveSockets();
    const { events } = await outcomeOf(socketsTo(server.origin, { webSocket: openGlobalWebSocket }));
    expect([spelt(events), server.upgrades.length]).toEqual(["over HTTP", 0]);
  });

  test("takes the key in browsers as a protocol or in the URL", async () => {
    runtime("Mozilla/5.0");
    const server = await serveSockets();
    const webSocket = openGlobalWebSocket;
    await collect(socketsTo(server.origin, { webSocket, protocols: ["realtime", "key.abc"] })({ input: "Hello" }));
    await collect(socketsTo(server.origin, { webSocket, query: { key: "a b" } })({ input: "Hello" }));
    expect(server.upgrades[0]?.headers["sec-websocket-protocol"]).toBe("realtime,key.abc");
    expect(server.upgrades[1]?.url).toBe("/v1/responses?key=a%20b");
    expect(server.upgrades.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });

  test("finds out that a message is too large once it is there", async () => {
    runtime("Node.js/22");
    const server = await serveSockets();
    const { error } = await outcomeOf(socketsTo(server.origin, { webSocket: openGlobalWebSocket, maxEventBytes: 100 }));
    expect(error).toMatchObject({ code: "PROTOCOL", message: expect.stringContaining("`maxEventBytes`") });
  });
});
