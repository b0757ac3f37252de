import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createServer as createTcpServer, type AddressInfo, type Socket } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createSocketTransport } from "../../src/node/socket-transport.ts";
import { NotConnected } from "../../src/transport/connection-error.ts";
import type { HttpRequest } from "../../src/transport/upstream.ts";
import { certificate, certificateKey } from "./support/certificate.ts";
import { listen, serve, serveRaw, signalled } from "./support/servers.ts";
import { bodyOf, errorOf } from "./support/transport-suite.ts";

const post = (url: string, rest: Partial<HttpRequest> = {}): HttpRequest => ({
  method: "POST",
  url,
  headers: {},
  body: "{}",
  ...rest,
});
const textOf = async (...args: Parameters<typeof bodyOf>): Promise<string> => (await bodyOf(...args)).toString();

/** A server that answers each request with some text, and counts its connections. */
async function answering(text: string): Promise<{ origin: string; connections: () => number; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const { origin } = await serveRaw((socket) => {
    sockets.push(socket);
    socket.on("data", () => socket.write(text));
  });
  return { origin, connections: () => sockets.length, sockets };
}

const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n";

describe("a connection is not used again", () => {
  test.each([
    ["that its server closes", `${ok}connection: close\r\n\r\nok`],
    ["of HTTP/1.0", "HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok"],
    ["that is kept for a second only", `${ok}keep-alive: timeout=1\r\n\r\nok`],
    ["on which more comes than was asked for", `${ok}\r\nokHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil`],
  ])("%s", async (_, text) => {
    const { origin, connections } = await answering(text);
    const transport = createSocketTransport();
    for (let request = 0; request < 2; request += 1) expect(await textOf(await transport(post(origin)))).toBe("ok");
    expect(connections()).toBe(2);
  });

  test("on which something comes while nobody asks", async () => {
    const { origin, connections, sockets } = await answering(`${ok}\r\nok`);
    const transport = createSocketTransport();
    expect(await textOf(await transport(post(origin)))).toBe("ok");
    sockets[0]!.write("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil");
    await once(sockets[0]!, "close");
    expect(await textOf(await transport(post(origin)))).toBe("ok");
    expect(connections()).toBe(2);
  });

  test("that its server has closed since", async () => {
    const { origin, connections, sockets } = await answering(`${ok}\r\nok`);
    const transport = createSocketTransport();
    await bodyOf(await transport(post(origin)));
    sockets[0]!.end();
    await once(sockets[0]!, "close");
    // Nothing is sent a second time for it, so that this holds for what must not be sent twice too.
    expect(await textOf(await transport(post(origin, { once: true })))).toBe("ok");
    expect(connections()).toBe(2);
  });

  test("whose request was answered before all of it was sent", async () => {
    let connections = 0;
    const { origin } = await serveRaw((socket, index) => {
      connections = index + 1;
      socket.once("data", () => socket.pause().write("HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno"));
    });
    const transport = createSocketTransport();
    const response = await transport(post(origin, { body: "x".repeat(20_000_000) }));
    expect([response.status, await textOf(response)]).toEqual([413, "no"]);
    await bodyOf(await transport(post(origin)));
    expect(connections).toBe(2);
  });

  test("where the agent's options say that none is kept", async () => {
    const { origin, connections } = await answering(`${ok}\r\nok`);
    const transport = createSocketTransport({ agent: { keepAlive: false } });
    for (let request = 0; request < 2; request += 1) await bodyOf(await transport(post(origin)));
    expect(connections()).toBe(2);
  });
});

describe("a connection that is kept", () => {
  const fakeClock = (): void => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
  };

  test.each([
    ["its server announces, less a second", "keep-alive: timeout=5\r\n", 3_900, 4_100],
    ["the default says", "", 29_900, 30_100],
    ["the default says, where its server announces more", "keep-alive: timeout=600\r\n", 29_900, 30_100],
  ])("is kept as long as %s", async (_, header, before, after) => {
    fakeClock();
    const { origin, connections } = await answering(`${ok}${header}\r\nok`);
    const transport = createSocketTransport();
    const ask = async (): Promise<number> => {
      await bodyOf(await transport(post(origin)));
      return connections();
    };
    expect(await ask()).toBe(1);
    vi.setSystemTime(0);
    vi.advanceTimersByTime(before);
    expect(await ask()).toBe(1);
    vi.advanceTimersByTime(after);
    expect(await ask()).toBe(2);
  });

  test("is closed when its time is over, though nobody asks any more", async () => {
    fakeClock();
    const { origin, sockets } = await answering(`${ok}\r\nok`);
    await bodyOf(await createSocketTransport({ agent: { timeout: 3_000 } })(post(origin)));
    vi.advanceTimersByTime(2_500);
    await new Promise(setImmediate);
    expect(sockets[0]!.destroyed).toBe(false);
    const closed = once(sockets[0]!, "close");
    vi.advanceTimersByTime(2_000);
    await closed;
  });

  test("keeps no process alive", async () => {
    const sockets = (): number => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
    const { origin } = await answering(`${ok}\r\nok`);
    const before = sockets();
    const transport = createSocketTransport();
    const response = await transport(post(origin));
    await bodyOf(response);
    // The other end of it is here too.
    expect(sockets()).toBe(before + 1);
  });

  test("goes on after a body that was made to wait", async () => {
    const body = "x".repeat(3_000_000);
    const { origin, connections } = await answering(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    const transport = createSocketTransport();
    const response = await transport(post(origin));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await bodyOf(response)).length).toBe(body.length);
    expect((await bodyOf(await transport(post(origin)))).length).toBe(body.length);
    expect(connections()).toBe(1);
  });
});

describe("how an answer ends", () => {
  const answered = async (handler: (socket: Socket) => void) => {
    const { origin } = await serveRaw((socket) => socket.once("data", () => handler(socket)));
    return createSocketTransport()(post(origin));
  };

  test("a body without a length ends with the connection", async () => {
    const response = await answered((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\nall of it"));
    expect(await textOf(response)).toBe("all of it");
  });

  test("such a body is broken where the connection is reset", async () => {
    const response = await answered((socket) =>
      socket.write("HTTP/1.1 200 OK\r\n\r\nhalf", () => setTimeout(() => socket.resetAndDestroy(), 20)),
    );
    expect(await errorOf(bodyOf(response))).toMatchObject({ code: "CONNECTION_ERROR" });
  });

  test.each(["5\r\nhello\r\n", "5\r\nhello\r\n0\r\n", "5\r\nhel", "5\r\nhello\r\n0\r\nx: y\r\n"])(
    "chunks without an end are broken: %j",
    async (body) => {
      const response = await answered((socket) => socket.end(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${body}`));
      const error = await errorOf(bodyOf(response));
      expect(error).toMatchObject({ code: "CONNECTION_ERROR", message: expect.stringContaining("during the response") });
    },
  );

  test("chunks that are none are the server's fault", async () => {
    const response = await answered((socket) =>
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\nx\r\n"),
    );
    expect(await errorOf(bodyOf(response))).toMatchObject({
      code: "PROTOCOL",
      message: expect.stringMatching(/^127\.0\.0\.1:\d+ sent an invalid HTTP response \(a chunk without a size\)\.$/),
    });
  });

  test("a server that closes without a word has not answered", async () => {
    const error = await errorOf(answered((socket) => socket.end()));
    expect(error.message).toMatch(/^The connection to 127\.0\.0\.1:\d+ broke before the response arrived\.$/);
  });

  test("a packed body that is cut off is broken", async () => {
    const response = await answered((socket) =>
      socket.end(
        "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 12\r\n\r\n\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b\x4c",
        "latin1",
      ),
    );
    expect(await errorOf(bodyOf(response))).toMatchObject({ code: "CONNECTION_ERROR" });
  });
});

describe("what is sent", () => {
  test.each([
    ["a line end in a value", { "x-a": "b\r\nhost: evil" }, "x-a"],
    ["a zero in a value", { "x-a": "b\0" }, "x-a"],
    ["a line end in a name", { "x-a: b\r\nx-c": "d" }, "x-a"],
    ["a framing of its own", { "Transfer-Encoding": "chunked" }, "Transfer-Encoding"],
    ["a length of its own", { "content-length": "1" }, "content-length"],
  ])("never holds %s", async (_, headers, named) => {
    const error = await errorOf(createSocketTransport()(post("http://127.0.0.1:9", { headers })));
    expect(error).toMatchObject({ code: "BAD_REQUEST", message: expect.stringContaining(named) });
    expect(error.message).not.toContain("evil");
  });

  test("never has a method that is none", async () => {
    // Programs without types may say anything.
    const method = "GET / HTTP/1.1\r\nhost: evil\r\n\r\nGET" as "GET";
    expect(await errorOf(createSocketTransport()(post("http://127.0.0.1:9", { method })))).toMatchObject({ code: "BAD_REQUEST" });
  });

  test("is refused again where it was refused before, and other headers are not taken for the last ones", async () => {
    const { origin, seen } = await serve((response) => response.end());
    const transport = createSocketTransport();
    const ask = async (headers: Record<string, string>): Promise<void> =>
      void (await bodyOf(await transport(post(origin, { headers }))));
    await ask({ "x-a": "1", "x-b": "2" });
    await expect(ask({ "x-a": "1\n" })).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await expect(ask({ "x-a": "1\n" })).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await ask({ "x-a": "1", "x-b": "3" });
    await ask({ "x-a": "1" });
    await ask({ "x-a": "1" });
    await ask({});
    const told = seen.map(({ headers }) => [headers["x-a"], headers["x-b"]]);
    expect(told).toEqual([
      ["1", "2"],
      ["1", "3"],
      ["1", undefined],
      ["1", undefined],
      [undefined, undefined],
    ]);
  });

  test("has each header once, the request's own before the default", async () => {
    const { origin, seen } = await serve((response) => response.end());
    await bodyOf(await createSocketTransport()(post(origin, { headers: { Host: "api.example.test", "User-Agent": "me" } })));
    expect(seen[0]?.headers).toMatchObject({ host: "api.example.test", "user-agent": "me" });
  });

  test("has a length where there should be a body", async () => {
    const { origin, seen } = await serve((response) => response.end());
    const transport = createSocketTransport();
    for (const method of ["POST", "DELETE", "GET"] as const) await bodyOf(await transport({ method, url: origin, headers: {} }));
    expect(seen.map(({ headers }) => headers["content-length"])).toEqual(["0", undefined, undefined]);
  });

  test("keeps a header's bytes, whatever the body is written in", async () => {
    const { origin, seen } = await serve((response) => response.end());
    const transport = createSocketTransport();
    for (const body of ["plain", "naïve 𝄞"]) await bodyOf(await transport(post(origin, { body, headers: { "x-name": "Zoë" } })));
    expect(seen.map(({ headers, body }) => [headers["x-name"], body])).toEqual([
      ["Zoë", "plain"],
      ["Zoë", "naïve 𝄞"],
    ]);
  });

  test("has the name and the password of the URL, and its path", async () => {
    const { port, seen } = await serve((response) => response.end());
    await bodyOf(await createSocketTransport()(post(`http://user:p%40ss@127.0.0.1:${port}/a b?c=d|é#e`)));
    expect(seen[0]).toMatchObject({
      url: "/a%20b?c=d|%C3%A9",
      headers: { host: `127.0.0.1:${port}`, authorization: `Basic ${Buffer.from("user:p@ss").toString("base64")}` },
    });
  });

  test("finds an address of the sixth version", async ({ skip }) => {
    const server = createTcpServer((socket) =>
      socket.once("data", (bytes) => socket.end(`${ok}x-host: ${/host: (\S+)/.exec(String(bytes))?.[1]}\r\n\r\nok`)),
    );
    const listening = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(0, "::1", () => resolve(true));
    });
    if (!listening) return skip("this machine has none");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const response = await createSocketTransport()(post(`http://[::1]:${port}`));
    expect([response.headers.get("x-host"), await textOf(response)]).toEqual([`[::1]:${port}`, "ok"]);
  });
});

describe("no more connections than the agent's options allow", () => {
  test("others wait for the first that comes free, or for a new one in the place of one that broke", async () => {
    const { origin, connections } = await serve(
      (response) => setTimeout(() => response.end("0"), 20),
      (response) => setTimeout(() => response.writeHead(200, { connection: "close" }).end("1"), 10),
      (response, _, index) => response.end(String(index)),
    );
    const transport = createSocketTransport({ agent: { maxSockets: 2 } });
    const five = Array.from({ length: 5 }, async () => textOf(await transport(post(origin))));
    expect((await Promise.all(five)).sort()).toEqual(["0", "1", "2", "3", "4"]);
    expect(connections()).toBe(3);
  });

  test("whoever stops waiting is not sent", async () => {
    const free = signalled();
    const { origin, seen } = await serve(async (response) => {
      await free.promise;
      response.end("ok");
    });
    const transport = createSocketTransport({ agent: { maxSockets: 1 } });
    const first = transport(post(origin));
    const controller = new AbortController();
    const stopped = errorOf(transport(post(origin, { signal: controller.signal })));
    const late = errorOf(transport(post(origin, { connectTimeout: 30 })));
    const last = transport(post(origin));
    await new Promise(setImmediate);
    controller.abort("enough");
    expect(await stopped).toMatchObject({ code: "ABORTED" });
    expect(await late).toMatchObject({ code: "TIMEOUT", cause: expect.any(NotConnected) });
    free.resolve();
    expect([await textOf(await first), await textOf(await last)]).toEqual(["ok", "ok"]);
    expect(seen).toHaveLength(2);
  });
});

describe("TLS", () => {
  const secured = async () => {
    const seen: { name: unknown; protocol: unknown; reused: boolean }[] = [];
    const server = createTlsServer({ cert: certificate, key: certificateKey }, (_, response) =>
      response.writeHead(200, { connection: "close" }).end("safe"),
    );
    server.on("secureConnection", (socket) =>
      seen.push({ name: socket.servername, protocol: socket.alpnProtocol, reused: socket.isSessionReused() }),
    );
    const { port } = await listen(server);
    return { port, seen };
  };

  test("names the server, speaks HTTP/1.1 and takes sessions up again", async () => {
    const { port, seen } = await secured();
    const transport = createSocketTransport({ agent: { ca: certificate } });
    for (let request = 0; request < 2; request += 1)
      expect(await textOf(await transport(post(`https://localhost:${port}`)))).toBe("safe");
    const both = { name: "localhost", protocol: "http/1.1" };
    expect(seen).toEqual([
      { ...both, reused: false },
      { ...both, reused: true },
    ]);
  });

  test("asks for no name where there is an address, and checks it", async () => {
    const { port, seen } = await secured();
    const transport = createSocketTransport({ agent: { ca: certificate } });
    expect(await textOf(await transport(post(`https://127.0.0.1:${port}`)))).toBe("safe");
    expect(seen[0]).toMatchObject({ name: false });
  });

  test("sends nothing to a server that has not proved its name", async () => {
    const { port } = await secured();
    const transport = createSocketTransport({ agent: { ca: certificate, servername: "other.example.test" } });
    const error = await errorOf(transport(post(`https://localhost:${port}`)));
    expect(error.message).toBe(`Could not connect to localhost:${port} (ERR_TLS_CERT_ALTNAME_INVALID).`);
    expect(error.cause).toBeInstanceOf(NotConnected);
  });

  test("makes a server wait whose answer nobody reads, and loses nothing of it", async () => {
    const megabyte = Buffer.alloc(1024 * 1024, "x");
    const total = 48;
    let written = 0;
    const fill = async (response: ServerResponse): Promise<void> => {
      for (; written < total; written += 1) if (!response.write(megabyte)) await once(response, "drain");
      response.end();
    };
    const server = createTlsServer({ cert: certificate, key: certificateKey }, (_, response) => void fill(response));
    const { port } = await listen(server);
    const response = await createSocketTransport({ agent: { ca: certificate } })(post(`https://localhost:${port}`));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(written).toBeLessThan(total);
    expect((await bodyOf(response)).length).toBe(total * megabyte.length);
  });

  test("says so where the agent's options cannot be read", async () => {
    const error = await errorOf(createSocketTransport({ agent: { cert: "none" } })(post("https://localhost:9")));
    expect(error).toMatchObject({ code: "CONNECTION_ERROR", cause: expect.any(NotConnected) });
  });
});
