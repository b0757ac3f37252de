import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect as connectTcp, type AddressInfo, type Socket } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { createHttpTransport } from "../../src/node/http-transport.ts";
import { createSocketTransport } from "../../src/node/socket-transport.ts";
import { NotConnected } from "../../src/transport/connection-error.ts";
import { fetchTransport } from "../../src/transport/fetch-transport.ts";
import type { HttpRequest } from "../../src/transport/upstream.ts";
import { certificate, certificateKey } from "./support/certificate.ts";
import { listen, reset, serve, serveRaw, signalled } from "./support/servers.ts";
import { bodyOf, errorOf, testTransport } from "./support/transport-suite.ts";

testTransport("node:http", () => createHttpTransport());
testTransport("sockets", () => createSocketTransport());
testTransport("fetch", () => fetchTransport(), { limitsConnecting: false });

const post = (url: string, rest: Partial<HttpRequest> = {}): HttpRequest => ({
  method: "POST",
  url,
  headers: {},
  body: "{}",
  ...rest,
});
const textOf = async (...args: Parameters<typeof bodyOf>): Promise<string> => (await bodyOf(...args)).toString();

describe.each([
  ["node:http", createHttpTransport],
  ["sockets", createSocketTransport],
])("%s", (_, create) => {
  test("asks for a body that is not compressed, under a name", async () => {
    const { origin, seen } = await serve((response) => response.end());
    await bodyOf(await create()(post(origin)));
    expect(seen[0]?.headers).toMatchObject({ "accept-encoding": "identity", "user-agent": "antiphon" });
  });

  test("hands over as one piece what one turn of the event loop brings", async () => {
    const { origin } = await serveRaw((socket) =>
      socket.once("data", () =>
        socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n1\r\nf\r\n0\r\n\r\n"),
      ),
    );
    const response = await create()(post(origin));
    expect(Buffer.from((await response.read())!).toString()).toBe("abcdef");
  });

  test("sends a request again that met a connection which its server had just closed", async () => {
    const { origin, seen, connections } = await serve(
      (response) => response.end("one"),
      reset,
      (response) => response.end("two"),
    );
    const transport = create();
    expect(await textOf(await transport(post(origin)))).toBe("one");
    expect(await textOf(await transport(post(origin, { body: '{"again":true}' })))).toBe("two");
    expect(seen.map(({ body }) => body)).toEqual(["{}", '{"again":true}', '{"again":true}']);
    expect(connections()).toBe(2);
  });

  test("sends it again on a new connection, since what was kept beside a dead one is dead too", async () => {
    const old = new Set<unknown>();
    const both = signalled();
    const { origin } = await serve(async (response, _, index) => {
      if (old.has(response.socket)) return reset(response);
      old.add(response.socket);
      if (index === 1) both.resolve();
      await both.promise;
      response.end("new");
    });
    const transport = create();
    const get = async (): Promise<string> => textOf(await transport(post(origin)));
    expect(await Promise.all([get(), get()])).toEqual(["new", "new"]);
    expect(await get()).toBe("new");
  });

  test("sends it again once only, and never where it is to be sent once", async () => {
    const { origin, seen } = await serve((response) => response.end("one"), reset);
    const transport = create();
    await bodyOf(await transport(post(origin)));
    expect(await errorOf(transport(post(origin)))).toMatchObject({ code: "CONNECTION_ERROR" });
    expect(seen).toHaveLength(3);

    const other = await serve((response) => response.end("one"), reset);
    await bodyOf(await transport(post(other.origin)));
    expect(await errorOf(transport(post(other.origin, { once: true })))).toMatchObject({ code: "CONNECTION_ERROR" });
    expect(other.seen).toHaveLength(2);
  });

  test("does not send a request again whose answer had begun", async () => {
    let requests = 0;
    const { origin } = await serveRaw((socket) =>
      socket.on("data", () => {
        requests += 1;
        if (requests === 1) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
        else socket.write("HTTP/1.1 200 OK\r\nx-half", () => setTimeout(() => socket.resetAndDestroy(), 20));
      }),
    );
    const transport = create();
    await bodyOf(await transport(post(origin)));
    expect(await errorOf(transport(post(origin)))).toMatchObject({ code: "CONNECTION_ERROR" });
    expect(requests).toBe(2);
  });

  test("keeps a stream open that is silent for longer than an unused connection is kept", async () => {
    const { origin } = await serve((response) => {
      response.write("a");
      setTimeout(() => response.end("b"), 150);
    });
    expect(await textOf(await create({ agent: { timeout: 30 } })(post(origin)))).toBe("ab");
  });

  test("says that a server does not speak HTTP", async () => {
    const { origin, port } = await serveRaw((socket) => socket.once("data", () => socket.end("SSH-2.0-OpenSSH_9.6\r\n")));
    const error = await errorOf(create()(post(origin)));
    expect(error.code).toBe("PROTOCOL");
    expect(error.message).toMatch(new RegExp(`^127\\.0\\.0\\.1:${port} sent an invalid HTTP response \\([^()]+\\)\\.$`));
  });

  test("refuses a header that HTTP does not allow, without telling its value", async () => {
    const error = await errorOf(create()(post("http://127.0.0.1:9", { headers: { authorization: "Bearer a\nb" } })));
    expect(error.code).toBe("BAD_REQUEST");
    expect(error.message).toContain("authorization");
    expect(error.message).not.toContain("Bearer");
  });

  test("refuses an encoding that it cannot read", async () => {
    const { origin } = await serve((response) => response.writeHead(200, { "content-encoding": "zebra" }).end("x"));
    expect(await errorOf(create()(post(origin)))).toMatchObject({
      code: "PROTOCOL",
      message: expect.stringContaining("zebra"),
    });
  });

  test("speaks TLS, and keeps to what the agent's options say of it", async () => {
    const { port } = await listen(
      createTlsServer({ cert: certificate, key: certificateKey }, (_, response) => response.end("safe")),
    );
    const url = `https://localhost:${port}`;
    expect(await textOf(await create({ agent: { ca: certificate } })(post(url, { connectTimeout: 5_000 })))).toBe("safe");
    const error = await errorOf(create()(post(url)));
    expect(error.message).toBe(`Could not connect to localhost:${port} (DEPTH_ZERO_SELF_SIGNED_CERT).`);
    expect(error.cause).toBeInstanceOf(NotConnected);
  });
});

/** A proxy that tells what it was asked, and sends tunnels to one port, whatever their target's name. */
async function proxy(
  tunnelTo?: number,
): Promise<{ url: string; asked: string[]; authorization: (string | undefined)[]; server: Server }> {
  const asked: string[] = [];
  const authorization: (string | undefined)[] = [];
  const note = (request: IncomingMessage): void => {
    asked.push(`${request.method} ${request.url} ${request.headers.host}`);
    authorization.push(request.headers["proxy-authorization"]);
  };
  const server = createServer((request, response) => {
    note(request);
    response.end("by way of the proxy");
  });
  server.on("connect", (request: IncomingMessage, socket: Socket) => {
    note(request);
    if (tunnelTo === undefined) return socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    const target = connectTcp(tunnelTo, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      target.pipe(socket).pipe(target);
    });
    target.on("error", () => socket.destroy());
    socket.on("error", () => target.destroy());
  });
  await listen(server);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, authorization, server };
}

describe("node:http behind a proxy", () => {
  test("asks for plain HTTP by the whole URL, with the proxy's password", async () => {
    const { url, asked, authorization } = await proxy();
    const transport = createHttpTransport({ proxy: url.replace("//", "//user:p%40ss@") });
    expect(await textOf(await transport(post("http://api.example.test/v1/responses?a=1")))).toBe("by way of the proxy");
    expect(asked).toEqual(["POST http://api.example.test/v1/responses?a=1 api.example.test"]);
    expect(authorization).toEqual([`Basic ${Buffer.from("user:p@ss").toString("base64")}`]);
  });

  test("tunnels TLS, and uses the tunnel again", async () => {
    const { port } = await listen(
      createTlsServer({ cert: certificate, key: certificateKey }, (_, response) => response.end("safe")),
    );
    const { url, asked } = await proxy(port);
    const transport = createHttpTransport({ proxy: url, agent: { ca: certificate } });
    for (let request = 0; request < 2; request += 1)
      expect(await textOf(await transport(post("https://api.example.test/v1", { connectTimeout: 5_000 })))).toBe("safe");
    expect(asked).toEqual(["CONNECT api.example.test:443 api.example.test:443"]);
  });

  test("says that the proxy refused the tunnel", async () => {
    const { url } = await proxy();
    const error = await errorOf(createHttpTransport({ proxy: url })(post("https://api.example.test/v1")));
    expect(error.message).toBe("Could not connect to api.example.test (PROXY_STATUS_407).");
    expect(error.cause).toBeInstanceOf(NotConnected);
  });

  test("says that the proxy cannot be reached, without its password", async () => {
    const { url, server } = await proxy();
    server.close();
    const transport = createHttpTransport({ proxy: url.replace("//", "//user:secret@") });
    const plain = await errorOf(transport(post("http://api.example.test/v1")));
    expect(plain.message).toBe(`Could not connect to api.example.test through the proxy ${url.slice(7)} (ECONNREFUSED).`);
    const secure = await errorOf(transport(post("https://api.example.test/v1")));
    expect(secure.message).toBe("Could not connect to api.example.test (ECONNREFUSED).");
  });

  test.each(["http//user:secret@proxy", "socks5://user:secret@proxy:1080"])("refuses %s, without repeating it", async (proxy) => {
    const error = await errorOf(createHttpTransport({ proxy })(post("http://api.example.test/v1")));
    expect(error).toMatchObject({ code: "BAD_REQUEST", message: "The proxy URL must begin with `http://` or `https://`." });
    expect(String(error.cause)).not.toContain("secret");
  });

  test.each(["a proxy that does not answer", "a server that never shakes hands"])("gives up %s in time", async (which) => {
    const silent = await serveRaw(() => {});
    const through = which === "a proxy that does not answer" ? silent.origin : (await proxy(silent.port)).url;
    const request = post("https://api.example.test/v1", { connectTimeout: 60 });
    expect(await errorOf(createHttpTransport({ proxy: through })(request))).toMatchObject({ code: "TIMEOUT" });
  });

  test("does as the environment says, but never proxies loopback addresses", async () => {
    const { url, asked } = await proxy();
    const direct = await serve((response) => response.end("direct"));
    vi.stubEnv("HTTP_PROXY", url);
    vi.stubEnv("http_proxy", "");
    vi.stubEnv("NO_PROXY", "");
    vi.stubEnv("no_proxy", "");
    const transport = createHttpTransport();
    expect(await textOf(await transport(post(direct.origin)))).toBe("direct");
    expect(await textOf(await transport(post("http://api.example.test/v1")))).toBe("by way of the proxy");
    expect(asked).toHaveLength(1);
    vi.unstubAllEnvs();
  });

  test("an explicit proxy takes loopback addresses too, and `false` goes without any", async () => {
    const { url, asked } = await proxy();
    const direct = await serve((response) => response.end("direct"));
    expect(await textOf(await createHttpTransport({ proxy: url })(post(direct.origin)))).toBe("by way of the proxy");
    expect(await textOf(await createHttpTransport({ proxy: false })(post(direct.origin)))).toBe("direct");
    expect(asked).toHaveLength(1);
  });
});
