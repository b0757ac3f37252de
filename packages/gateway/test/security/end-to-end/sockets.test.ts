import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Socket } from "node:net";
import { offline } from "antiphon/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { runs } from "../../../../antiphon/test/support/runs.ts";
import type { Served, ServeOptions } from "../../../src/node.ts";
import { Puppet } from "../../runs/support/puppet.ts";
import { SocketClient } from "../../support/client.ts";
import { catalogueOf } from "../../support/upstreams.ts";
import { ask, eventually, serve } from "./support/gateways.ts";
import { dial, lines } from "./support/raw.ts";

const models = { models: { offline: "offline" } };
const asking = (more: object = {}): string => JSON.stringify({ type: "response.create", model: "offline", input: "Hi", ...more });

/** A client that keeps to no rules but those of the handshake. */
async function rude({ url }: Served): Promise<Socket> {
  const socket = await dial(url);
  const key = randomBytes(16).toString("base64");
  socket.write(
    lines(
      "GET /v1/responses HTTP/1.1",
      "host: localhost",
      "connection: Upgrade",
      "upgrade: websocket",
      "sec-websocket-version: 13",
      `sec-websocket-key: ${key}`,
    ),
  );
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toContain("101 Switching Protocols");
  return socket;
}

/** A frame as a client sends it: masked, here with zeros. */
function frame(opcode: number, payload: Uint8Array | string = "", isLast = true): Buffer {
  const bytes = Buffer.from(payload);
  const head =
    bytes.length < 126
      ? [bytes.length]
      : bytes.length < 65_536
        ? [126, bytes.length >> 8, bytes.length & 255]
        : [127, 0, 0, 0, 0, ...beforeBytes(bytes.length)];
  return Buffer.concat([Buffer.from([(isLast ? 0x80 : 0) | opcode, 0x80 | head[0]!, ...head.slice(1), 0, 0, 0, 0]), bytes]);
}

const beforeBytes = (length: number): number[] => [
  (length >>> 24) & 255,
  (length >>> 16) & 255,
  (length >>> 8) & 255,
  length & 255,
];

const opcodes = { more: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 };

/** The code with which the other side closes. */
async function closeCode(socket: Socket): Promise<number> {
  const [heard] = (await once(socket, "data")) as [Buffer];
  expect(heard[0]).toBe(0x80 | opcodes.close);
  return heard.readUInt16BE(2);
}

async function connected({ url }: Served): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/v1/responses`);
  onTestFinished(() => socket.terminate());
  await once(socket, "open");
  return socket;
}

const gateway = (options: ServeOptions = {}): Promise<Served> => serve({ ...models, ...options });

describe("a socket", () => {
  test("may be asked for behind a request, with messages behind it", async () => {
    const { url } = await gateway();
    const socket = await dial(url);
    const asked = [
      "connection: Upgrade",
      "upgrade: websocket",
      "sec-websocket-version: 13",
      `sec-websocket-key: ${"a".repeat(22)}==`,
    ];
    socket.write(
      lines("GET /healthz HTTP/1.1", "host: localhost") + lines("GET /v1/responses HTTP/1.1", "host: localhost", ...asked),
    );
    let heard = "";
    socket.on("data", (piece: Buffer) => (heard += piece.toString("latin1")));
    // While the client is let in, nobody listens to its socket.
    for (let ping = 0; ping < 3; ping += 1) {
      socket.write(frame(opcodes.ping, `ping ${ping}`));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await eventually(() => heard.endsWith("ping 2"));
    expect(heard).toMatch(
      /^HTTP\/1\.1 200 OK[^]+HTTP\/1\.1 101 Switching Protocols[^]+x-request-id: req_[^]+ping 0[^]+ping 1[^]+ping 2$/,
    );
  });

  test("is closed for what is no message, and the others live on", async () => {
    const served = await gateway({ limits: { maxBodyBytes: 1_000 } });
    const other = await new SocketClient(`${served.url}/v1/responses`).open();
    const sent: readonly [string, Buffer, number][] = [
      ["binary", frame(opcodes.binary, asking()), 1003],
      ["bad UTF-8", frame(opcodes.text, Buffer.from([0xc3, 0x28])), 1007],
      ["too large", frame(opcodes.text, "x".repeat(2_000)), 1009],
      [
        "too large in pieces",
        Buffer.concat([frame(opcodes.text, "x".repeat(900), false), frame(opcodes.more, "x".repeat(900), false)]),
        1009,
      ],
      [
        "in too many pieces",
        Buffer.concat([frame(opcodes.text, "", false), ...Array.from({ length: 20_000 }, () => frame(opcodes.more, "", false))]),
        1008,
      ],
      ["not masked", Buffer.from([0x81, 0x01, 0x78]), 1002],
      ["of a kind that there is not", frame(3, "x"), 1002],
      ["with bits that mean nothing", Buffer.from([0xf1, 0x81, 0, 0, 0, 0, 0x78]), 1002],
      ["a ping that is too long", frame(opcodes.ping, "x".repeat(200)), 1002],
      ["a piece of nothing", frame(opcodes.more, "x"), 1002],
    ];
    for (const [what, bytes, code] of sent) {
      const socket = await rude(served);
      socket.write(bytes);
      expect({ what, code: await closeCode(socket) }).toEqual({ what, code });
    }
    expect((await other.turn({ model: "offline", input: "Hi" })).at(-1)?.type).toBe("response.completed");
    other.close();
  });

  test("answers what is no request with an error, and goes on", async () => {
    const socket = await new SocketClient(`${(await gateway()).url}/v1/responses`).open();
    for (const message of [
      { type: "nothing" },
      {},
      { type: "response.create", model: 1 },
      { type: "response.create", stream: true },
      { type: "__proto__" },
    ]) {
      socket.send(message);
      expect({ message, told: await socket.next() }).toMatchObject({ message, told: [{ type: "error", status: 400 }] });
    }
    expect((await socket.turn({ model: "offline", input: "Hi" })).at(-1)?.type).toBe("response.completed");
    socket.close();
  });

  test("that asks for too much at once is closed, in number and in size", async () => {
    const puppet = new Puppet();
    const served = await gateway({ catalogue: catalogueOf({ puppet: puppet.respond }), limits: { maxBodyBytes: 100_000 } });
    const floods = [
      Array.from({ length: 100 }, () => asking({ model: "puppet" })),
      Array.from({ length: 10 }, () => asking({ model: "puppet", instructions: "x".repeat(50_000) })),
    ];
    for (const flood of floods) {
      const socket = await connected(served);
      for (const message of flood) socket.send(message);
      const [code] = (await once(socket, "close")) as [number];
      expect(code).toBe(1008);
    }
    // Whatever ran is stopped, and nothing more is begun.
    await eventually(() => puppet.calls.length >= 1 && puppet.calls.every(({ signal }) => signal.aborted));
    expect(puppet.calls.length).toBeLessThanOrEqual(floods.length);
  });

  test("that is closed stops what it asked for", async () => {
    const puppet = new Puppet();
    const served = await gateway({ catalogue: catalogueOf({ puppet: puppet.respond }) });
    for (const leave of [(socket: WebSocket) => socket.close(), (socket: WebSocket) => socket.terminate()]) {
      const socket = await connected(served);
      socket.send(asking({ model: "puppet" }));
      const call = await puppet.next();
      call.start().say("Hm");
      await once(socket, "message");
      leave(socket);
      await eventually(() => call.signal.aborted);
    }
    await eventually(() => served.gateway.context.live.size === 0);
    expect(puppet.calls).toHaveLength(2);
  });

  test("answers pings", async () => {
    const socket = await connected(await gateway());
    socket.ping("x");
    const [data] = (await once(socket, "pong")) as [Buffer];
    expect(data.toString()).toBe("x");
  });

  test("is not waited for when the gateway closes, whatever its client says", async () => {
    const served = await gateway();
    const socket = await rude(served);
    const gone = once(socket, "close");
    await served.close();
    await gone;
    expect(socket.destroyed).toBe(true);
  });

  test("is closed when it has reached its age", async () => {
    const served = await gateway({ limits: { socketLifetime: 200 } });
    const socket = await connected(served);
    const [message] = (await once(socket, "message")) as [Buffer];
    expect(message.toString()).toContain("websocket_connection_limit_reached");
    await once(socket, "close");
  });

  test("whose client reads nothing is cut off, whatever it sends", async () => {
    const served = await gateway({ limits: { stallTimeout: 200 } });
    const floods = {
      pings: frame(opcodes.ping, "x".repeat(125)),
      errors: frame(opcodes.text, "{}"),
      requests: frame(opcodes.text, asking({ input: "x".repeat(10_000) })),
    };
    for (const [what, bytes] of Object.entries(floods)) {
      const socket = await rude(served);
      socket.pause();
      const many = Buffer.concat(Array.from({ length: 500 }, () => bytes));
      const closed = new Promise<string>((resolve) =>
        socket.once("error", () => resolve(what)).once("close", () => resolve(what)),
      );
      const flood = setInterval(() => socket.writableLength < 1_000_000 && socket.write(many), 1);
      // A socket that is paused hears of its end only when it writes.
      expect(await closed).toBe(what);
      clearInterval(flood);
    }
    expect(await ask(served.url, "GET /healthz")).toMatchObject({ status: 200 });
  });

  test("is refused with what makes clients use plain HTTP, where there are to be none", async () => {
    const served = await gateway({ limits: { maxSockets: 0 } });
    await expect(new SocketClient(`${served.url}/v1/responses`).open()).rejects.toThrow("426");
  });

  test("costs little while it says nothing, and there are no more than so many", async () => {
    const count = runs(200, 2_000);
    const served = await gateway({ limits: { maxSockets: count } });
    const before = settledHeap();
    const sockets = await Promise.all(Array.from({ length: count }, () => rude(served)));
    const each = (settledHeap() - before) / count;
    const refused = new WebSocket(`${served.url.replace("http", "ws")}/v1/responses`);
    const [, response] = (await once(refused, "unexpected-response")) as [unknown, { statusCode: number }];
    refused.on("error", () => {}).terminate();
    expect(response.statusCode).toBe(503);
    // Both ends are in this process; what is measured is that nothing large hangs on each.
    if (process.env["ANTIPHON_SOAK"]) expect(each).toBeLessThan(100_000);
    for (const socket of sockets) socket.destroy();
    await eventually(() => served.gateway.context.live.size === 0);
    const again = await new SocketClient(`${served.url}/v1/responses`).open();
    expect((await again.turn({ model: "offline", input: "Hi" })).at(-1)?.type).toBe("response.completed");
    again.close();
  });
});

const settledHeap = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};

describe("a socket of a web page", () => {
  const connectAs = async (url: string, headers: Record<string, string>): Promise<number> => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/v1/responses`, { headers });
    socket.on("error", () => {});
    onTestFinished(() => socket.terminate());
    return new Promise((resolve) => {
      socket.once("open", () => resolve(101));
      socket.once("unexpected-response", (_, response) => resolve(response.statusCode ?? 0));
    });
  };

  test("is let in without keys only from this machine, by a name of it, or where the page is configured", async () => {
    const { url } = await gateway({ cors: { origins: ["https://app.example"] } });
    const cases: readonly [Record<string, string>, number][] = [
      [{}, 101],
      [{ origin: "http://localhost:3000" }, 101],
      [{ origin: "https://app.example" }, 101],
      [{ origin: "https://evil.example" }, 403],
      [{ origin: "null" }, 403],
      [{ origin: "https://app.example.evil.example" }, 403],
      [{ origin: "http://localhost.evil.example" }, 403],
      [{ host: "evil.example" }, 403],
      [{ host: "localhost.evil.example:8787" }, 403],
      [{ host: "127.0.0.1.evil.example" }, 403],
    ];
    for (const [headers, status] of cases)
      expect({ headers, status: await connectAs(url, headers) }).toEqual({ headers, status });
  });
});

test("what only this machine may see is not shown to pages that come by a name of their own", async () => {
  const { store } = await import("./support/gateways.ts").then(({ storeInFolder }) => storeInFolder());
  const { url } = await gateway({ store, catalogue: catalogueOf({ offline: offline() }) });
  expect((await ask(url, "GET /metrics")).status).toBe(200);
  const socket = await dial(url);
  socket.write(lines("GET /metrics HTTP/1.1", "host: evil.example", "connection: close"));
  const [heard] = (await once(socket, "data")) as [Buffer];
  expect(heard.toString()).toContain("HTTP/1.1 403");
  expect((await ask(url, "GET /metrics", { origin: "https://evil.example" })).status).toBe(403);
});
