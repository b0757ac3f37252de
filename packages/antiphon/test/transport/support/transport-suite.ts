import { once } from "node:events";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { AntiphonError } from "../../../src/core/error.ts";
import { NotConnected } from "../../../src/transport/connection-error.ts";
import type { HttpRequest, HttpResponse, Transport } from "../../../src/transport/upstream.ts";
import { closedPort, reset, serve, serveRaw, signalled } from "./servers.ts";

export interface SuiteOptions {
  /** Whether the transport limits the time to connect. Default: true. */
  limitsConnecting?: boolean;
}

const get = (url: string, rest: Partial<HttpRequest> = {}): HttpRequest => ({ method: "GET", url, headers: {}, ...rest });

/** Some clients take a moment to put a connection back. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));

/** A whole body. */
export async function bodyOf(response: HttpResponse): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for (;;) {
    const bytes = await response.read();
    if (!bytes) return Buffer.concat(chunks);
    chunks.push(bytes);
  }
}

/** The error that a promise is rejected with. */
export async function errorOf(promise: Promise<unknown>): Promise<AntiphonError> {
  const outcome = await promise.then(
    () => "nothing was thrown",
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(AntiphonError);
  return outcome as AntiphonError;
}

/** Tests everything that a transport must do, on real sockets. */
export function testTransport(name: string, create: () => Transport, { limitsConnecting = true }: SuiteOptions = {}): void {
  describe(name, () => {
    describe("an exchange", () => testExchange(create));
    describe("a connection that breaks", () => testBreaks(create));
    if (limitsConnecting) testConnectTimeout(create);
    describe("stopping", () => testStops(create));
  });
}

function testExchange(create: () => Transport): void {
  test("gives status, headers and body", async () => {
    const { origin } = await serve((response) => response.writeHead(418, { "X-Kind": "tea" }).end("short and stout"));
    const response = await create()(get(origin));
    expect(response.status).toBe(418);
    expect([response.headers.get("x-kind"), response.headers.get("X-KIND"), response.headers.get("x-none")]).toEqual([
      "tea",
      "tea",
      null,
    ]);
    expect((await bodyOf(response)).toString()).toBe("short and stout");
    expect(await response.read()).toBeUndefined();
  });

  test("sends method, path, headers and body as they are", async () => {
    const { origin, seen } = await serve((response) => response.end());
    const headers = { authorization: "Bearer k", "content-type": "application/json" };
    const url = `${origin}/v1/responses?a=b%20c`;
    await bodyOf(await create()({ method: "POST", url, headers, body: '{"text":"naïve 𝄞"}' }));
    expect(seen[0]).toMatchObject({ method: "POST", url: "/v1/responses?a=b%20c", body: '{"text":"naïve 𝄞"}', headers });
    expect(seen[0]?.headers["content-length"]).toBe(String(Buffer.byteLength('{"text":"naïve 𝄞"}')));
  });

  test("uses a connection again once its answer was read", async () => {
    const { origin, connections } = await serve((response) => response.end("x".repeat(100_000)));
    const transport = create();
    for (let request = 0; request < 3; request += 1) {
      await bodyOf(await transport(get(origin)));
      await settled();
    }
    expect(connections()).toBe(1);
  });

  test("keeps one pool, also where the first requests come all at once", async () => {
    const { origin, connections } = await serve((response) => response.end("x"));
    const transport = create();
    const five = () => Promise.all(Array.from({ length: 5 }, async () => bodyOf(await transport(get(origin)))));
    await five();
    await settled();
    await five();
    expect(connections()).toBeLessThanOrEqual(5);
  });

  test("does not wait for the end of the body", async () => {
    const { origin } = await serve((response) => response.write("first"));
    const response = await create()(get(origin));
    expect(Buffer.from((await response.read())!).toString()).toBe("first");
    response.cancel();
  });

  test("hands over bytes untouched, however characters are split", async () => {
    const bytes = Buffer.from("data: é𝄞\r\n\r\n");
    const { origin } = await serve(async (response) => {
      for (const byte of bytes) {
        response.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
      response.end();
    });
    expect(await bodyOf(await create()(get(origin)))).toEqual(bytes);
  });

  test("makes a server wait whose answer nobody reads, and loses nothing of it", async () => {
    const megabyte = Buffer.alloc(1024 * 1024, "x");
    const total = 64;
    let written = 0;
    const { origin } = await serve(async (response) => {
      for (; written < total; written += 1) if (!response.write(megabyte)) await once(response, "drain");
      response.end();
    });
    const response = await create()(get(origin));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(written).toBeLessThan(total);
    expect((await bodyOf(response)).length).toBe(total * megabyte.length);
  });

  test("reads a body that its server compressed unasked", async () => {
    const { origin } = await serve((response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("plain after all")),
    );
    expect((await bodyOf(await create()(get(origin)))).toString()).toBe("plain after all");
  });

  test("does not follow a redirect", async () => {
    const { origin, seen } = await serve((response) => response.writeHead(307, { location: "/elsewhere" }).end());
    const response = await create()(get(origin));
    expect(response.status).toBe(307);
    await bodyOf(response);
    // Some ask once more, to be told where it leads.
    expect(new Set(seen.map(({ url }) => url))).toEqual(new Set(["/"]));
  });

  test("refuses what is not a URL", async () =>
    expect(await errorOf(create()(get("api.example.com/v1")))).toMatchObject({ code: "BAD_REQUEST" }));
}

function testBreaks(create: () => Transport): void {
  test("says that nobody listens, and that the request never left", async () => {
    const port = await closedPort();
    const error = await errorOf(create()(get(`http://127.0.0.1:${port}/v1?key=k1`)));
    expect(error.message).toBe(`Could not connect to 127.0.0.1:${port} (ECONNREFUSED).`);
    expect(error).toMatchObject({ code: "CONNECTION_ERROR", cause: expect.any(NotConnected) });
  });

  test("says that the connection broke before an answer came", async () => {
    const { origin, port } = await serve(reset);
    const error = await errorOf(create()(get(origin)));
    expect(error.code).toBe("CONNECTION_ERROR");
    expect(error.message).toContain(`The connection to 127.0.0.1:${port} broke before the response arrived`);
    expect(error.cause).not.toBeInstanceOf(NotConnected);
  });

  test("says that the connection broke in the middle of the answer", async () => {
    const read = signalled();
    const { origin, port } = await serve(async (response) => {
      response.write("first");
      await read.promise;
      reset(response);
    });
    const response = await create()(get(origin));
    expect(Buffer.from((await response.read())!).toString()).toBe("first");
    read.resolve();
    const error = await errorOf(response.read());
    expect(error.code).toBe("CONNECTION_ERROR");
    expect(error.message).toContain(`The connection to 127.0.0.1:${port} broke during the response`);
  });

  test("takes a body for broken that is shorter than announced", async () => {
    const { origin } = await serveRaw((socket) =>
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort")),
    );
    const response = await create()(get(origin));
    expect(await errorOf(bodyOf(response))).toMatchObject({ code: "CONNECTION_ERROR" });
  });

  test("does not count the wait for an answer as connecting", async () => {
    const { origin } = await serve((response) => setTimeout(() => response.end("late"), 120));
    expect((await bodyOf(await create()(get(origin, { connectTimeout: 40 })))).toString()).toBe("late");
  });
}

function testConnectTimeout(create: () => Transport): void {
  test("gives up a connection that is not established in time", async () => {
    // Accepts, and never shakes hands.
    const { port } = await serveRaw(() => {});
    const error = await errorOf(create()(get(`https://127.0.0.1:${port}`, { connectTimeout: 30 })));
    expect(error).toMatchObject({ code: "TIMEOUT", cause: expect.any(NotConnected) });
    expect(error.message).toBe(`Connecting to 127.0.0.1:${port} took longer than 30 ms (\`timeouts.connect\`).`);
  });
}

function testStops(create: () => Transport): void {
  test("sends nothing where it was stopped before", async () => {
    const { origin, seen } = await serve((response) => response.end());
    const error = await errorOf(create()(get(origin, { signal: AbortSignal.abort("changed my mind") })));
    expect(error).toMatchObject({ code: "ABORTED", cause: "changed my mind" });
    expect(seen).toEqual([]);
  });

  test("closes the connection where it is stopped before the answer", async () => {
    const closed = signalled();
    const controller = new AbortController();
    const { origin } = await serve((response) => {
      response.once("close", () => closed.resolve());
      controller.abort("too slow");
    });
    expect(await errorOf(create()(get(origin, { signal: controller.signal })))).toMatchObject({
      code: "ABORTED",
      cause: "too slow",
    });
    await closed.promise;
  });

  test("closes the connection and ends a pending read where it is stopped in the middle", async () => {
    const closed = signalled();
    const { origin } = await serve((response) => {
      response.once("close", () => closed.resolve());
      response.write("first");
    });
    const controller = new AbortController();
    const response = await create()(get(origin, { signal: controller.signal }));
    await response.read();
    const pending = errorOf(response.read());
    controller.abort("enough");
    expect(await pending).toMatchObject({ code: "ABORTED", cause: "enough" });
    await closed.promise;
    expect(await errorOf(response.read())).toMatchObject({ code: "ABORTED" });
  });

  test("passes on the error that it is stopped with", async () => {
    const { origin } = await serve((response) => response.write("first"));
    const controller = new AbortController();
    const response = await create()(get(origin, { signal: controller.signal }));
    await response.read();
    const reason = new AntiphonError("TIMEOUT", "Too long.");
    controller.abort(reason);
    expect(await errorOf(response.read())).toBe(reason);
  });

  test("cancelling closes the connection and settles a pending read", async () => {
    const closed = signalled();
    const { origin } = await serve((response) => {
      response.once("close", () => closed.resolve());
      response.write("first");
    });
    const response = await create()(get(origin));
    await response.read();
    const pending = response.read().catch(() => undefined);
    response.cancel();
    expect(await pending).toBeUndefined();
    await expect(closed.promise).resolves.toBeUndefined();
  });

  test("cancelling or stopping after the end leaves the connection alone", async () => {
    const { origin, connections } = await serve((response) => response.end("done"));
    const transport = create();
    const controller = new AbortController();
    const response = await transport(get(origin, { signal: controller.signal }));
    await bodyOf(response);
    response.cancel();
    controller.abort();
    await settled();
    await bodyOf(await transport(get(origin)));
    expect(connections()).toBe(1);
  });
}
