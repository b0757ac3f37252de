import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { guardedFetch, type GuardedFetchOptions, type Resolve } from "../../src/security/guarded-fetch.ts";
import { UrlGuard } from "../../src/security/url-guard.ts";

const servers: { close(): unknown; closeAllConnections?(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections?.();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<number> {
  const server: Server = createServer(listener);
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

async function closedPort(): Promise<number> {
  const server = createTcpServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  await once(server.close(), "close");
  return port;
}

// Tests can only talk to this machine: its one address is let through, and everything else is as it is for others.
const guard = new UrlGuard({ allow: ["127.0.0.1"] });
const hereFor: Resolve = async () => ["127.0.0.1"];
const fetchHere = (url: string, options: Partial<GuardedFetchOptions> = {}) =>
  guardedFetch(url, { guard, resolve: hereFor, timeout: 10_000, ...options });
const privateNetwork = expect.objectContaining({ code: "BAD_REQUEST", message: "The URL points to a private network." });

describe("fetching what a caller named", () => {
  test("gives the bytes, their type and where they were", async () => {
    const port = await serve((_, response) => response.setHeader("content-type", "Image/PNG; x=y").end("bytes"));
    const url = `http://pictures.example:${port}/cat.png`;
    const fetched = await fetchHere(url);
    expect({ ...fetched, body: Buffer.from(fetched.body).toString() }).toEqual({
      url,
      status: 200,
      mediaType: "image/png",
      body: "bytes",
    });
  });

  test("goes to the address that was checked, asks for the name once, and carries nothing of ours", async () => {
    const seen: IncomingHttpHeaders[] = [];
    const port = await serve((request, response) => {
      seen.push(request.headers);
      response.setHeader("set-cookie", "a=b").end();
    });
    const asked: string[] = [];
    const rebinding: Resolve = async (host) => {
      asked.push(host);
      return asked.length === 1 ? ["127.0.0.1"] : ["127.0.0.2"];
    };
    await fetchHere(`http://rebind.example:${port}/`, { resolve: rebinding, accept: "image/*" });
    expect(asked).toEqual(["rebind.example"]);
    expect(seen).toEqual([
      {
        host: `rebind.example:${port}`,
        accept: "image/*",
        "accept-encoding": "identity",
        "user-agent": "antiphon",
        connection: "close",
      },
    ]);
  });

  test("says to a server with many names which of them is meant, also in secret", async () => {
    const hello: Promise<Buffer> = new Promise((resolve) => {
      const server = createTcpServer((socket) => {
        socket.on("error", () => {});
        socket.once("data", (bytes) => (resolve(bytes), socket.destroy()));
      });
      servers.push(server);
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo;
        void fetchHere(`https://tls.example:${port}/`).catch(() => {});
      });
    });
    expect((await hello).toString("latin1")).toContain("tls.example");
  });

  test.each([
    [["10.0.0.1"]],
    [["127.0.0.2"]],
    [["169.254.169.254"]],
    [["::1"]],
    [["::ffff:10.0.0.1"]],
    [["64:ff9b::a9fe:a9fe"]],
    [["fe80::1%eth0"]],
    [["not an address"]],
    // One is enough.
    [["93.184.216.34", "10.0.0.1"]],
    [["127.0.0.1", "192.168.0.1"]],
  ])("refuses a name that stands for %j, without a connection", async (addresses) => {
    await expect(
      fetchHere("http://harmless.example/", { resolve: async () => addresses, guard: new UrlGuard({ allow: ["127.0.0.1/32"] }) }),
    ).rejects.toEqual(privateNetwork);
  });

  test("does not tell which address it was", async () => {
    const error = await fetchHere("http://harmless.example/", { resolve: async () => ["10.11.12.13"] }).catch(String);
    expect(error).not.toContain("10.11");
  });

  test("trusts the names of the allow list, wherever they are", async () => {
    const port = await serve((_, response) => response.end("ok"));
    const trusting = new UrlGuard({ allow: ["mcp.corp.internal"] });
    expect(await fetchHere(`http://mcp.corp.internal:${port}/`, { guard: trusting })).toMatchObject({ status: 200 });
  });

  test("tells of names that stand for nothing, and of servers that are not there", async () => {
    await expect(fetchHere("http://gone.example/", { resolve: async () => [] })).rejects.toMatchObject({
      code: "CONNECTION_ERROR",
    });
    const unknown = Object.assign(new Error("getaddrinfo ENOTFOUND gone.example"), { code: "ENOTFOUND" });
    const failing: Resolve = () => Promise.reject(unknown);
    await expect(fetchHere("http://gone.example/", { resolve: failing })).rejects.toMatchObject({
      code: "CONNECTION_ERROR",
      cause: unknown,
    });
    await expect(fetchHere(`http://closed.example:${await closedPort()}/`)).rejects.toMatchObject({ code: "CONNECTION_ERROR" });
  });

  test("looks up real names itself, and refuses what stands for this machine", async () => {
    const port = await serve((_, response) => response.end("ok"));
    const url = `http://localhost:${port}/`;
    expect(await guardedFetch(url, { guard: new UrlGuard({ allow: ["localhost"] }) })).toMatchObject({ status: 200 });
    await expect(guardedFetch(url, { guard: new UrlGuard({ allow: ["localhost:1024"] }) })).rejects.toEqual(privateNetwork);
  });
});

describe("redirects", () => {
  const leadingTo = (location: (count: number) => string): RequestListener => {
    let count = 0;
    return (_, response) => response.writeHead(302, { location: location((count += 1)), "set-cookie": "a=b" }).end();
  };

  test.each([
    "http://169.254.169.254/latest/meta-data/",
    "http://127.0.0.2/",
    "http://localhost/",
    "//10.0.0.1/x",
    "/\\10.0.0.1/x",
    "http://[::1]/",
  ])("to %s are refused", async (location) => {
    const port = await serve(leadingTo(() => location));
    await expect(fetchHere(`http://start.example:${port}/`)).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });

  test.each([
    "file:///etc/passwd",
    "ftp://start.example/",
    "http://user@start.example/",
    "data:text/plain,hi",
    "http://2130706433/",
  ])("to %s are refused", async (location) => {
    const port = await serve(leadingTo(() => location));
    await expect(fetchHere(`http://start.example:${port}/`)).rejects.toMatchObject({ vendorCode: "url_not_allowed" });
  });

  test("are followed, each to an address of its own that is checked", async () => {
    const cookies: (string | undefined)[] = [];
    const port = await serve((request, response) => {
      cookies.push(request.headers.cookie);
      if (request.url === "/end") response.end("there");
      else response.writeHead(307, { location: "/end", "set-cookie": "a=b" }).end("on");
    });
    expect(await fetchHere(`http://start.example:${port}/`)).toMatchObject({
      status: 200,
      url: `http://start.example:${port}/end`,
    });
    expect(cookies).toEqual([undefined, undefined]);
    let count = 0;
    const turning: Resolve = async () => ((count += 1) === 1 ? ["127.0.0.1"] : ["10.0.0.1"]);
    await expect(fetchHere(`http://start.example:${port}/`, { resolve: turning })).rejects.toEqual(privateNetwork);
  });

  test("end after five", async () => {
    let requests = 0;
    const port = await serve((_, response) => {
      requests += 1;
      response.writeHead(301, { location: `/${requests}` }).end();
    });
    await expect(fetchHere(`http://start.example:${port}/`)).rejects.toMatchObject({ code: "BAD_REQUEST" });
    expect(requests).toBe(6);
  });

  test("without a place to go to are answers like others", async () => {
    const port = await serve((_, response) => response.writeHead(302).end("lost"));
    expect(await fetchHere(`http://start.example:${port}/`)).toMatchObject({ status: 302 });
  });
});

describe("bounds", () => {
  test("hold for bodies that say how long they are, and for those that do not", async () => {
    let sent = 0;
    const port = await serve((request, response) => {
      if (request.url === "/said") return void response.setHeader("content-length", 1_000_000).write("x");
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(50_000))) sent += 50_000;
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    });
    const tooLarge = expect.objectContaining({ code: "BAD_REQUEST", message: "The URL returns more than 5000 bytes." });
    await expect(fetchHere(`http://big.example:${port}/said`, { maxBytes: 5_000 })).rejects.toEqual(tooLarge);
    await expect(fetchHere(`http://big.example:${port}/`, { maxBytes: 5_000 })).rejects.toEqual(tooLarge);
    expect(sent).toBeLessThan(50_000_000);
  });

  test("take a body that just fits", async () => {
    const port = await serve((_, response) => response.end(Buffer.alloc(5_000)));
    expect((await fetchHere(`http://fits.example:${port}/`, { maxBytes: 5_000 })).body.byteLength).toBe(5_000);
  });

  test("hold for packed bodies, which are not unpacked", async () => {
    const port = await serve((_, response) => response.setHeader("content-encoding", "gzip").end("…"));
    await expect(fetchHere(`http://packed.example:${port}/`)).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });

  test.each<[string, RequestListener, Resolve]>([
    ["names", () => {}, () => new Promise(() => {})],
    ["headers", () => {}, hereFor],
    ["bodies", (_, response) => void response.write("x"), hereFor],
    [
      "redirects",
      (_, response) => void response.writeHead(302, { location: "/" }).end(),
      async () => (await new Promise((resolve) => setTimeout(resolve, 40)), ["127.0.0.1"]),
    ],
  ])("hold for %s that take too long", async (_, listener, resolve) => {
    const port = await serve(listener);
    await expect(fetchHere(`http://slow.example:${port}/`, { timeout: 60, resolve })).rejects.toMatchObject({ code: "TIMEOUT" });
  });

  test.each<[string, RequestListener, Resolve]>([
    ["for a name", () => {}, () => new Promise(() => {})],
    ["for headers", () => {}, hereFor],
    ["for a body", (_, response) => void response.write("x"), hereFor],
  ])("let a caller leave who waits %s", async (_, listener, resolve) => {
    const port = await serve(listener);
    const leaving = new AbortController();
    const fetching = fetchHere(`http://slow.example:${port}/`, { signal: leaving.signal, resolve });
    setTimeout(() => leaving.abort(), 30);
    await expect(fetching).rejects.toMatchObject({ code: "ABORTED" });
    await expect(fetchHere(`http://slow.example:${port}/`, { signal: leaving.signal })).rejects.toMatchObject({
      code: "ABORTED",
    });
  });

  test("tell of a body that breaks off", async () => {
    const port = await serve((_, response) => {
      response.setHeader("content-length", 100).write("half");
      setTimeout(() => response.destroy(), 10);
    });
    await expect(fetchHere(`http://broken.example:${port}/`)).rejects.toMatchObject({ code: "CONNECTION_ERROR" });
  });
});
