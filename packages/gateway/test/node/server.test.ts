import { once } from "node:events";
import { Agent, request } from "node:http";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Exchange, Reply, Sink } from "../../src/http/exchange.ts";
import { HttpServer } from "../../src/node/server.ts";
import { eventually } from "../security/end-to-end/support/gateways.ts";
import { dial, hear, lines, say, statusesIn } from "../security/end-to-end/support/raw.ts";

const host = "host: localhost";
const close = "connection: close";

type Handle = (exchange: Exchange) => Reply | Promise<Reply>;

/** A server in front of a function, on a port of its own. */
async function serve(handle: Handle, { bodyTimeout = 60_000, stallTimeout = 60_000 } = {}): Promise<string> {
  const server = new HttpServer({
    limits: { bodyTimeout, stallTimeout },
    handle: async (exchange) => handle(exchange),
    upgrade: (_, socket) => void socket.destroy(),
    isClosing: () => false,
  });
  const { port } = await server.listen(0, "127.0.0.1", () => {});
  onTestFinished(() => {
    server.close();
    server.closeAll();
  });
  return `http://127.0.0.1:${port}`;
}

/** Answers with the path and the body. */
const echo: Handle = async (exchange) => ({
  status: 200,
  body: `${exchange.path} ${Buffer.from(await exchange.read(1_000_000)).toString()}\n`,
});

const streaming =
  (...pieces: string[]): Handle =>
  () => ({
    status: 200,
    stream: async (sink) => {
      for (const piece of pieces) {
        sink.write(piece);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    },
  });

const bodiesIn = (heard: string): string[] => [...heard.matchAll(/^\/.*$/gm)].map(([line]) => line);

describe("requests on one connection", () => {
  test("are answered one after the other, however many come at once", async () => {
    let running = 0;
    const url = await serve(async (exchange) => {
      running += 1;
      expect(running).toBe(1);
      const reply = await echo(exchange);
      await new Promise((resolve) => setTimeout(resolve, exchange.path === "/0" ? 20 : 0));
      running -= 1;
      return reply;
    });
    const many = Array.from({ length: 200 }, (_, index) => `${lines(`POST /${index} HTTP/1.1`, host, "content-length: 1")}x`);
    const heard = await say(url, ...many, lines("GET /end HTTP/1.1", host, close), lines("GET /never HTTP/1.1", host));
    expect(bodiesIn(heard)).toEqual([...many.map((_, index) => `/${index} x`), "/end "]);
  });

  test("wait where they are more than fit, and are answered all the same", async () => {
    const url = await serve(echo);
    const long = "y".repeat(50_000);
    const many = Array.from(
      { length: 50 },
      (_, index) => `${lines(`POST /${index} HTTP/1.1`, host, "content-length: 50000")}${long}`,
    );
    const heard = await say(url, many.join(""), lines("GET /end HTTP/1.1", host, close));
    expect(bodiesIn(heard).map((line) => line.split(" ")[0])).toEqual([...many.map((_, index) => `/${index}`), "/end"]);
  });

  test("keep it, with bodies of a length and in chunks, read and unread", async () => {
    const url = await serve((exchange) => (exchange.path === "/unread" ? { status: 200, body: "/unread\n" } : echo(exchange)));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const ports = new Set<number | undefined>();
    const ask = (path: string, headers: Record<string, string>, body: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const asked = request(url + path, { method: "POST", agent, headers }, (response) => {
          ports.add(response.socket.localPort);
          response.setEncoding("utf8").once("data", resolve);
        });
        asked.on("error", reject).end(body);
      });
    const framings: Record<string, string>[] = [{ "content-length": "3" }, { "transfer-encoding": "chunked" }];
    for (const path of ["/a", "/unread", "/b"])
      for (const headers of framings)
        expect(await ask(path, headers, "abc")).toBe(path === "/unread" ? "/unread\n" : `${path} abc\n`);
    expect(ports.size).toBe(1);
  });

  test("that cannot be read come after the answers to those before", async () => {
    const heard = await say(await serve(echo), lines("GET /a HTTP/1.1", host), "GET /b\r\n\r\n", lines("GET /c HTTP/1.1", host));
    expect(statusesIn(heard)).toEqual([200, 400]);
    expect(heard).toMatch(/HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\n\r\n$/);
  });
});

describe("a body", () => {
  const expecting = ["POST /a HTTP/1.1", host, "content-length: 3", "expect: 100-continue"];

  test("whose client waits is asked for when it is read", async () => {
    const socket = await dial(await serve(echo));
    socket.write(lines(...expecting, close));
    const [asked] = (await once(socket, "data")) as [Buffer];
    expect(asked.toString()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    const heard = hear(socket);
    socket.write("abc");
    expect(await heard).toContain("\r\n\r\n/a abc\n");
  });

  test("whose client waits is not asked for where nobody wants it, and the line is cut", async () => {
    const heard = await say(await serve(() => ({ status: 413, body: "/no\n" })), lines(...expecting));
    expect(statusesIn(heard)).toEqual([413]);
    expect(heard).toContain("Connection: close\r\n");
  });

  test("whose client waits for something else is refused", async () => {
    const heard = await say(await serve(echo), lines("POST / HTTP/1.1", host, "content-length: 3", "expect: more"));
    expect(statusesIn(heard)).toEqual([417]);
  });

  test("may come in any pieces", async () => {
    const url = await serve(echo);
    const socket = await dial(url);
    const heard = hear(socket.setNoDelay());
    const text = `${lines("POST /a HTTP/1.1", host, "transfer-encoding: chunked", close)}3\r\nabc\r\n2;x\r\nde\r\n0\r\n\r\n`;
    for (const letter of text) {
      socket.write(letter);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(bodiesIn(await heard)).toEqual(["/a abcde"]);
  });

  test("that is sent byte by byte is put together", async () => {
    const socket = await dial(await serve(echo));
    const heard = hear(socket.setNoDelay());
    socket.write(lines("POST /a HTTP/1.1", host, close, "content-length: 2000"));
    for (let byte = 0; byte < 2_000; byte += 1) {
      socket.write("x");
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(bodiesIn(await heard)).toEqual([`/a ${"x".repeat(2_000)}`]);
  });

  test("that breaks the rules on its way is refused, and whoever reads it is told", async () => {
    let failed: unknown;
    const url = await serve((exchange) =>
      exchange.read(100).then(
        () => ({ status: 200 }),
        (thrown: unknown) => {
          failed = thrown;
          return { status: 500 };
        },
      ),
    );
    const heard = await say(url, lines("POST / HTTP/1.1", host, "transfer-encoding: chunked"), "1\r\nx\r\n", "zz\r\n");
    expect(statusesIn(heard)).toEqual([400]);
    expect(failed).toMatchObject({ code: "ABORTED" });
  });
});

describe("an answer", () => {
  test("to HTTP/1.0 has no chunks, and ends with the connection", async () => {
    const heard = await say(await serve(streaming("/a\n", "/b\n")), lines("GET / HTTP/1.0", "connection: keep-alive"));
    expect(heard).toMatch(/^HTTP\/1\.1 200 OK\r\nDate: .*\r\nConnection: close\r\n\r\n\/a\n\/b\n$/);
  });

  test("to HTTP/1.0 of a known length keeps the connection where that is asked for", async () => {
    const kept = lines("GET /a HTTP/1.0", "connection: keep-alive");
    expect(bodiesIn(await say(await serve(echo), kept, kept, lines("GET /b HTTP/1.0")))).toEqual(["/a ", "/a ", "/b "]);
  });

  test("in chunks is whole chunks, each as soon as it is written", async () => {
    const heard = await say(await serve(streaming("/a\n", "", "/é\n")), lines("GET / HTTP/1.1", host, close));
    expect(heard.slice(heard.indexOf("\r\n\r\n") + 4)).toBe(
      Buffer.from("3\r\n/a\n\r\n4\r\n/é\n\r\n0\r\n\r\n").toString("latin1"),
    );
  });

  test("in chunks does not hold back the end of one", async () => {
    let sink: Sink | undefined;
    let finish = (): void => {};
    const url = await serve(() => ({
      status: 200,
      stream: (given) => {
        (sink = given).write("abc");
        return new Promise((resolve) => (finish = resolve));
      },
    }));
    const socket = await dial(url);
    let heard = "";
    socket.on("data", (piece: Buffer) => (heard += piece.toString()));
    socket.write(lines("GET / HTTP/1.1", host));
    await eventually(() => heard.endsWith("3\r\nabc\r\n"));
    sink?.write("d");
    finish();
    await eventually(() => heard.endsWith("1\r\nd\r\n0\r\n\r\n"));
    // What comes late is nobody's, least of all the next answer's.
    sink?.write("late");
    expect([sink?.closed, sink?.drained()]).toEqual([true, undefined]);
    expect(heard).not.toContain("late");
  });

  test.each<[string, Reply]>([
    ["HEAD", { status: 200, body: "abc", headers: { "content-length": "3" } }],
    ["HEAD", { status: 200, stream: async (sink: Sink) => sink.write("abc") }],
    ["GET", { status: 204, body: "abc" }],
    ["GET", { status: 304, body: "abc" }],
  ])("that has no body sends none (%s %j)", async (method, reply) => {
    const heard = await say(await serve(() => reply), lines(`${method} / HTTP/1.1`, host, close));
    expect(statusesIn(heard)).toEqual([reply.status]);
    expect(heard).toMatch(/\r\n\r\n$/);
    expect(/content-length: (\d+)/.exec(heard)?.[1]).toBe(reply.headers?.["content-length"]);
  });

  test.each([
    ["a value", { "x-a": "1\r\nx-b: 2" }],
    ["a value of LF", { "x-a": "1\n" }],
    ["a value beyond Latin", { "x-a": "\u{1f600}" }],
    ["a name", { "x-a: 1\r\nx-b": "2" }],
    ["an empty name", { "": "2" }],
  ])("whose header would be two is none: %s", async (_, headers) => {
    expect(await say(await serve(() => ({ status: 200, headers })), lines("GET / HTTP/1.1", host))).toBe("");
  });

  test("that breaks off is cut off, so that nobody takes it for whole", async () => {
    const url = await serve(() => ({
      status: 200,
      stream: async (sink) => {
        sink.write("abc");
        await new Promise((resolve) => setTimeout(resolve, 10));
        throw new Error("broken");
      },
    }));
    const heard = await say(url, lines("GET / HTTP/1.1", host));
    expect(heard).toContain("abc");
    expect(heard).not.toContain("0\r\n\r\n");
  });

  test("of many bytes comes whole, and the next one behind it", async () => {
    const long = "x".repeat(5_000_000);
    const url = await serve(({ path }) => (path === "/long" ? { status: 200, body: long } : { status: 200, body: "/end\n" }));
    const heard = await say(url, lines("GET /long HTTP/1.1", host), lines("GET /end HTTP/1.1", host, close));
    expect(heard.split("\r\n\r\n")[1]?.startsWith(long)).toBe(true);
    expect(bodiesIn(heard)).toEqual(["/end"]);
  });

  test("to a client that closes its side is not waited for", async () => {
    const signals: Exchange["signal"][] = [];
    const url = await serve(async ({ signal }) => {
      signals.push(signal);
      await new Promise<void>((resolve) => signal.addEventListener("abort", resolve));
      return { status: 200 };
    });
    for (const leave of ["end", "destroy"] as const) {
      const socket = await dial(url);
      // Another request waits behind it.
      socket.write(lines("GET / HTTP/1.1", host) + lines("GET / HTTP/1.1", host));
      await eventually(() => signals.length === 1);
      expect(signals[0]?.aborted).toBe(false);
      socket[leave]();
      await eventually(() => signals[0]?.aborted === true);
      signals.length = 0;
    }
  });
});

describe("a connection", () => {
  test("that says nothing more is closed after a while, without a word", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const socket = await dial(await serve(echo));
    const heard = hear(socket);
    socket.write(lines("GET /a HTTP/1.1", host));
    await once(socket, "data");
    vi.advanceTimersByTime(60_000);
    socket.write(lines("GET /b HTTP/1.1", host));
    await once(socket, "data");
    vi.advanceTimersByTime(60_000);
    expect(socket.closed).toBe(false);
    vi.advanceTimersByTime(10_000);
    expect(bodiesIn(await heard)).toEqual(["/a ", "/b "]);
  });

  test("that never says anything is told that it took too long", async () => {
    const socket = await dial(await serve(echo, { bodyTimeout: 50 }));
    expect(await hear(socket)).toBe("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n");
  });
});

describe("a client that is refused while it sends", () => {
  test("reads why, and is cut off if it does not stop", async () => {
    const url = await serve(() => ({ status: 413, body: "/no\n" }), { bodyTimeout: 200 });
    const socket = await dial(url);
    const heard = hear(socket);
    const sending = setInterval(() => socket.write(Buffer.alloc(10_000)), 5);
    socket.write(lines("POST / HTTP/1.1", host, close, "content-length: 1000000000"));
    expect(statusesIn(await heard)).toEqual([413]);
    clearInterval(sending);
  });

  test("of chunks that break is cut off after the answer", async () => {
    const url = await serve(() => ({ status: 413, body: "/no\n" }));
    const heard = await say(url, lines("POST / HTTP/1.1", host, "transfer-encoding: chunked"), "zz\r\n");
    expect(statusesIn(heard)).toEqual([413]);
  });
});
