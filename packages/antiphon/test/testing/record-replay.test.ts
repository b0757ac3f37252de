import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { responsesCodec } from "../../src/codecs/responses/index.ts";
import { collect } from "../../src/core/collect.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { text } from "../../src/core/views.ts";
import type { CreateResponse, ResponseEvent } from "../../src/model/index.ts";
import { createHttpTransport } from "../../src/node/http-transport.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { record } from "../../src/testing/record.ts";
import { replay, type ReplayOptions } from "../../src/testing/replay.ts";
import { memoryTape, type Exchange, type Tape } from "../../src/testing/tape.ts";
import { connect } from "../../src/transport/connect.ts";
import type { HttpRequest, HttpResponse, Transport } from "../../src/transport/upstream.ts";

const key = "sk-proj-abcdEFGH1234ijklMNOP5678";
const encoder = new TextEncoder();

type Handler = (body: string, response: ServerResponse) => void | Promise<void>;
let handle: Handler = () => {};
let server: Server;
let baseUrl = "";

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (body += chunk));
    request.on("end", () => void handle(body, response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(() => server.close());

const http = createHttpTransport();
const post = (body?: unknown, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: "POST",
  url: `${baseUrl}/responses`,
  headers: { Authorization: `Bearer ${key}`, "content-type": "application/json" },
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  ...more,
});
async function bytesOf(response: HttpResponse): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for (let bytes = await response.read(); bytes !== undefined; bytes = await response.read()) chunks.push(bytes);
  return chunks;
}
const textOf = async (response: HttpResponse): Promise<string> => Buffer.concat(await bytesOf(response)).toString();
const exchange = (body: unknown, answer: string, more: Partial<Exchange["response"] & {}> = {}): Exchange => ({
  request: { method: "POST", url: "https://api.example.com/v1/responses", headers: {}, body: JSON.stringify(body) },
  response: { status: 200, headers: { "content-type": "text/plain" }, body: answer, ...more },
});
const play = (tape: Exchange[], options?: ReplayOptions): Transport & { unused(): Promise<Exchange[]> } => replay(tape, options);

describe("recording", () => {
  it("keeps the request and the answer, without the key that the server repeats", async () => {
    handle = (body, response) => {
      response.writeHead(401, { "content-type": "application/json", "x-request-id": "req_1", "set-cookie": `id=${key}` });
      response.end(`{"error":{"message":"Incorrect API key provided: ${key}.","got":${body}}}`);
    };
    const tape = memoryTape();
    const transport = record(http, tape);
    const response = await transport(post({ input: `Hello ${key}` }, { url: `${baseUrl}/responses?key=${key}` }));
    response.headers.get("set-cookie");
    expect(await textOf(response)).toContain(key);
    await transport.flush();
    expect(JSON.stringify(tape.exchanges)).not.toContain(key);
    expect(tape.exchanges).toEqual([
      {
        request: {
          method: "POST",
          url: `${baseUrl}/responses?key=***`,
          headers: { authorization: "***", "content-type": "application/json" },
          body: '{"input":"Hello ***"}',
        },
        response: {
          status: 401,
          headers: { "content-type": "application/json", "x-request-id": "req_1", "set-cookie": "***" },
          body: '{"error":{"message":"Incorrect API key provided: ***.","got":{"input":"Hello ***"}}}',
        },
      },
    ]);
  });

  it("hands every piece on before the next one comes", async () => {
    let goOn: () => void = () => {};
    handle = async (_, response) => {
      response.write("data: 1\n\n");
      await new Promise<void>((resolve) => (goOn = resolve));
      response.end("data: 2\n\n");
    };
    const tape = memoryTape();
    const transport = record(http, tape, { chunks: true });
    const response = await transport(post());
    const first = await response.read();
    expect(Buffer.from(first!).toString()).toBe("data: 1\n\n");
    expect(tape.exchanges).toEqual([]);
    goOn();
    expect(await textOf(response)).toBe("data: 2\n\n");
    await transport.flush();
    expect(tape.exchanges[0]?.response).toMatchObject({
      body: "data: 1\n\ndata: 2\n\n",
      chunks: [
        [expect.any(Number), 9],
        [expect.any(Number), 9],
      ],
    });
  });

  it("keeps what was read where the reader leaves, marked as partial", async () => {
    handle = (_, response) => void response.write("data: 1\n\n");
    const tape = memoryTape();
    const transport = record(http, tape);
    const response = await transport(post());
    await response.read();
    response.cancel();
    await transport.flush();
    expect(tape.exchanges[0]?.response).toMatchObject({ body: "data: 1\n\n", partial: true });
    expect(tape.exchanges[0]).not.toHaveProperty("error");
  });

  it("keeps what came before the connection broke, and why", async () => {
    handle = (_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("data: 1\n\n", () => response.destroy());
    };
    const tape = memoryTape();
    const transport = record(http, tape);
    const response = await transport(post());
    await expect(bytesOf(response)).rejects.toMatchObject({ code: "CONNECTION_ERROR" });
    await transport.flush();
    expect(tape.exchanges[0]).toMatchObject({
      response: { body: "data: 1\n\n", partial: true },
      error: { code: "CONNECTION_ERROR" },
    });
  });

  it("keeps that no answer came at all", async () => {
    const tape = memoryTape();
    const transport = record(http, tape);
    await expect(transport(post({}, { url: "http://127.0.0.1:1/v1" }))).rejects.toMatchObject({ code: "CONNECTION_ERROR" });
    await transport.flush();
    expect(tape.exchanges).toMatchObject([{ error: { code: "CONNECTION_ERROR" } }]);
    expect(tape.exchanges[0]).not.toHaveProperty("response");
  });

  it("keeps bytes that are no text", async () => {
    const bytes = Uint8Array.from([0xff, 0x00, 0x80, 0x41]);
    handle = (_, response) => void response.end(bytes);
    const tape = memoryTape();
    const transport = record(http, tape);
    await bytesOf(await transport(post()));
    await transport.flush();
    expect(tape.exchanges[0]?.response).toMatchObject({ body: "/wCAQQ==", encoding: "base64" });
    expect(Buffer.concat(await bytesOf(await replay(tape)(post())))).toEqual(Buffer.from(bytes));
  });

  it("says when the tape cannot be written", async () => {
    handle = (_, response) => void response.end("ok");
    const full: Tape = { load: async () => [], append: () => Promise.reject(new Error("The disk is full.")) };
    const transport = record(http, full);
    expect(await textOf(await transport(post()))).toBe("ok");
    await expect(transport.flush()).rejects.toThrow("The disk is full.");
    await expect(transport(post())).rejects.toBeInstanceOf(AntiphonError);
  });
});

describe("replaying", () => {
  it("answers by method, path and body, whatever the host and the order of keys", async () => {
    const transport = play([exchange({ model: "a", input: "Hi" }, "one"), exchange({ model: "b", input: "Hi" }, "two")]);
    expect(await textOf(await transport(post({ input: "Hi", model: "b" })))).toBe("two");
    expect(await textOf(await transport(post({ model: "a", input: "Hi" }, { url: "http://elsewhere/v1/responses" })))).toBe(
      "one",
    );
  });

  it("gives the answers to one request in their order, each once", async () => {
    const transport = play([exchange({}, "one"), exchange({}, "two")]);
    expect([await textOf(await transport(post({}))), await textOf(await transport(post({})))]).toEqual(["one", "two"]);
    await expect(transport(post({}))).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringContaining("recorded 2 times"),
    });
  });

  it("begins again with `loop`", async () => {
    const transport = play([exchange({}, "one"), exchange({}, "two")], { loop: true });
    const said: string[] = [];
    for (let turn = 0; turn < 5; turn += 1) said.push(await textOf(await transport(post({}))));
    expect(said).toEqual(["one", "two", "one", "two", "one"]);
  });

  it("tells what nobody asked for", async () => {
    const transport = play([exchange({ a: 1 }, "one"), exchange({ a: 2 }, "two")]);
    await transport(post({ a: 2 }));
    expect(await transport.unused()).toMatchObject([{ response: { body: "one" } }]);
  });

  it("names the first difference to the nearest exchange", async () => {
    const far = exchange({ model: "x", input: [{ role: "user", content: "Bye" }], store: false }, "far");
    const near = exchange({ model: "a", input: [{ role: "user", content: "Hi" }] }, "near");
    await expect(play([far, near])(post({ model: "a", input: [{ role: "user", content: "Hello" }] }))).rejects.toMatchObject({
      code: "NOT_FOUND",
      message:
        'No recorded POST /v1/responses has this body. The nearest is exchange 2, which differs at input[0].content: recorded "Hi", requested "Hello".',
    });
    await expect(play([near])(post({ model: "a", input: [] }))).rejects.toThrow("input[0]: recorded {");
    await expect(play([near])(post({ model: "a", input: [{ role: "user", content: "Hi" }], user: "me" }))).rejects.toThrow(
      'user: recorded nothing, requested "me"',
    );
    await expect(play([near])(post({}, { method: "GET" }))).rejects.toThrow(
      "No GET /v1/responses was recorded; the tape contains POST /v1/responses.",
    );
    await expect(play([])(post({}))).rejects.toThrow("the tape contains nothing");
  });

  it("never shows a key in what it says about a miss", async () => {
    const error: unknown = await play([exchange({ a: 1 }, "")])(post({ a: key })).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('requested "***"');
    expect(String(error)).not.toContain(key);
  });

  it("overlooks paths that may differ", async () => {
    const tape = [exchange({ metadata: { run: "1", kind: "x" }, input: [{ id: "msg_1", content: "Hi" }] }, "one")];
    const asked = { metadata: { run: "2", kind: "x" }, input: [{ id: "msg_2", content: "Hi" }] };
    await expect(play(tape, { ignore: ["metadata.run"] })(post(asked))).rejects.toThrow("input[0].id");
    expect((await play(tape, { ignore: ["metadata.*", "input[*].id"] })(post(asked))).status).toBe(200);
  });

  it("matches keys by their mask", async () => {
    const tape = [exchange({ input: "my key is ***" }, "one")];
    expect((await play(tape)(post({ input: `my key is ${key}` }))).status).toBe(200);
  });

  it("cuts the body into pieces of a size", async () => {
    const chunks = await bytesOf(await play([exchange({}, "grüße")], { chunk: 2 })(post({})));
    expect(chunks.map(({ length }) => length)).toEqual([2, 2, 2, 1]);
    expect(Buffer.concat(chunks)).toEqual(Buffer.from(encoder.encode("grüße")));
  });

  it("gives the pieces as they came, where the tape tells", async () => {
    const tape = [
      exchange({}, "abcdef", {
        chunks: [
          [0, 1],
          [5, 2],
          [5, 1],
        ],
      }),
    ];
    for (const pace of [false, true]) {
      const chunks = await bytesOf(await play(tape, { pace })(post({})));
      expect(chunks.map((chunk) => Buffer.from(chunk).toString())).toEqual(["a", "bc", "def"]);
    }
  });

  it("breaks where the recording broke", async () => {
    const broken = { ...exchange({}, "abc", { partial: true }), error: { code: "TIMEOUT", message: "Too slow." } };
    const response = await play([broken])(post({}));
    expect(Buffer.from((await response.read())!).toString()).toBe("abc");
    await expect(response.read()).rejects.toMatchObject({ code: "TIMEOUT", message: "Too slow." });
    const left = await play([exchange({}, "abc", { partial: true })])(post({}));
    await left.read();
    await expect(left.read()).rejects.toMatchObject({ code: "CONNECTION_ERROR" });
    await expect(play([{ request: broken.request, error: broken.error }])(post({}))).rejects.toMatchObject({ code: "TIMEOUT" });
  });

  it("stops with the signal, and when it is cancelled", async () => {
    await expect(play([exchange({}, "a")])(post({}, { signal: AbortSignal.abort() }))).rejects.toMatchObject({ code: "ABORTED" });
    const stop = new AbortController();
    const slow = [
      exchange({}, "ab", {
        chunks: [
          [0, 1],
          [60_000, 1],
        ],
      }),
    ];
    const response = await play(slow, { pace: true })(post({}, { signal: stop.signal }));
    await response.read();
    const pending = response.read();
    stop.abort();
    await expect(pending).rejects.toMatchObject({ code: "ABORTED" });
    const left = await play(slow, { pace: true })(post({}));
    await left.read();
    const waiting = left.read();
    left.cancel();
    await expect(waiting).rejects.toMatchObject({ code: "ABORTED" });
  });
});

describe("a model on a tape", () => {
  const upstream = () => ({
    name: "tape",
    baseUrl,
    codec: responsesCodec(),
    headers: () => ({ authorization: `Bearer ${key}` }),
  });
  const eventsOf = async (transport: Transport, request: CreateResponse): Promise<ResponseEvent[]> => {
    const events: ResponseEvent[] = [];
    for await (const event of connect(upstream(), { transport, retry: { retries: 0 } })(request)) events.push(event);
    return events;
  };
  const serveOffline: Handler = async (body, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for await (const event of offline()(JSON.parse(body)))
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end("data: [DONE]\n\n");
  };

  it("says again what it said, however its bytes are cut", async () => {
    handle = serveOffline;
    const tape = memoryTape();
    const transport = record(http, tape);
    const request: CreateResponse = { model: "m", input: "Weather in Oslo? Grüße", reasoning: { effort: "low" }, stream: true };
    const live = await eventsOf(transport, request);
    await transport.flush();
    expect(JSON.stringify(tape.exchanges)).not.toContain(key);
    expect(tape.exchanges[0]?.response).not.toHaveProperty("partial");
    for (const chunk of [undefined, 1, 7, 1000]) expect(await eventsOf(replay(tape, { chunk }), request)).toEqual(live);
  });

  it("can be left early while it is recorded, and said again up to there", async () => {
    handle = serveOffline;
    const tape = memoryTape();
    const transport = record(http, tape);
    for await (const event of connect(upstream(), { transport })({ model: "m", input: "[[slow:1]] [[long:500]]" }))
      if (event.type === "response.output_text.delta") break;
    await transport.flush();
    expect(tape.exchanges[0]?.response?.partial).toBe(true);
    const response = await collect(
      connect(upstream(), { transport: replay(tape), retry: { retries: 0 } })({ model: "m", input: "[[slow:1]] [[long:500]]" }),
    );
    expect(response.status).toBe("failed");
    expect(text(response)).toMatch(/^one/);
  });

  it("is never retried where the tape has no answer", async () => {
    let asked = 0;
    const empty = replay([]);
    const counting: Transport = (request) => {
      asked += 1;
      return empty(request);
    };
    await expect(collect(connect(upstream(), { transport: counting })({ input: "Hi" }))).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    expect(asked).toBe(1);
  });
});
