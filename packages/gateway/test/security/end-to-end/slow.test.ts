import { once } from "node:events";
import { fromBatches, Writer, type Respond } from "antiphon";
import { offline } from "antiphon/testing";
import { describe, expect, test } from "vitest";
import { runs } from "../../../../antiphon/test/support/runs.ts";
import { Puppet } from "../../runs/support/puppet.ts";
import { catalogueOf } from "../../support/upstreams.ts";
import { ask, eventually, serve } from "./support/gateways.ts";
import { dial, hear, lines, statusesIn } from "./support/raw.ts";

const body = JSON.stringify({ model: "offline", input: "Hi" });
const host = "host: localhost";
const begin = lines("POST /v1/responses HTTP/1.1", host, `content-length: ${body.length}`);
const limits = { bodyTimeout: 300 };
const models = { models: { offline: "offline" } };

describe("a client that takes its time", () => {
  test("over its headers is cut off", async () => {
    const { url } = await serve({ ...models, limits });
    const socket = await dial(url);
    const heard = hear(socket);
    const dribble = setInterval(() => socket.write("x-a: 1\r\n"), 50);
    socket.write(`GET /v1/models HTTP/1.1\r\n${host}\r\n`);
    expect(statusesIn(await heard)).toEqual([408]);
    clearInterval(dribble);
  });

  test("over its body is told so and cut off", async () => {
    const { url } = await serve({ ...models, limits });
    const socket = await dial(url);
    const heard = hear(socket);
    socket.write(begin);
    let at = 0;
    const dribble = setInterval(() => socket.write(body[at++ % body.length]!), 50);
    const said = await heard;
    clearInterval(dribble);
    expect(statusesIn(said)).toEqual([408]);
    expect(said).toContain("too long to send the body");
  });

  test("over a body that nobody wants is cut off", async () => {
    const { url } = await serve({ ...models, limits: { ...limits, maxBodyBytes: 10 } });
    const socket = await dial(url);
    const heard = hear(socket);
    socket.write(begin);
    expect(statusesIn(await heard)).toEqual([413]);
  });

  test("and says nothing at all is cut off, also after a request", async () => {
    const { url } = await serve({ ...models, limits });
    const silent = await dial(url);
    const half = await dial(url);
    half.write("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\nGET /he");
    await Promise.all([hear(silent), hear(half).then((heard) => expect(statusesIn(heard)[0]).toBe(200))]);
  });

  test("takes no time from others, however many they are", async () => {
    const { url } = await serve({ ...models, limits });
    const many = runs(200, 2_000);
    const sockets = await Promise.all(Array.from({ length: many }, () => dial(url)));
    const closed = Promise.all(sockets.map(hear));
    for (const [index, socket] of sockets.entries()) socket.write(index % 2 ? begin : "POST /v1/resp");
    expect(await ask(url, "POST /v1/responses", {}, body)).toMatchObject({ status: 200 });
    expect((await closed).map((heard) => statusesIn(heard))).toEqual(sockets.map(() => [408]));
  });
});

/** A model that says as much as it can, until it is told to stop. */
class Torrent {
  stopped = 0;
  finished = 0;
  readonly #pieces: number;

  constructor(pieces: number) {
    this.#pieces = pieces;
  }

  readonly respond: Respond = (request, { signal } = {}) => {
    const writer = new Writer({ request, newId: (prefix) => `${prefix}_1`, now: () => 1_700_000_000 });
    const text = "x".repeat(64 * 1024);
    const told = async function* (this: Torrent) {
      writer.start();
      for (let piece = 0; piece < this.#pieces; piece += 1) {
        if (signal?.aborted) {
          this.stopped += 1;
          return;
        }
        writer.text(text);
        yield writer.drain();
        await new Promise((resolve) => setImmediate(resolve));
      }
      writer.finish({ status: "completed" });
      yield writer.drain();
      this.finished += 1;
    };
    return fromBatches(told.bind(this));
  };
}

const streamed = (model: string, more: object = {}): string => {
  const text = JSON.stringify({ model, input: "Hi", stream: true, ...more });
  return lines("POST /v1/responses HTTP/1.1", host, `content-length: ${text.length}`) + text;
};

describe("a reader that does not read", () => {
  test("is cut off, which stops its model, and slows nobody down", async () => {
    const torrent = new Torrent(400);
    const { url, gateway } = await serve({
      catalogue: catalogueOf({ torrent: torrent.respond, offline: offline() }),
      limits: { stallTimeout: 300, heartbeat: 50, maxBacklogBytes: 1024 * 1024 },
    });
    const socket = await dial(url);
    socket.pause();
    socket.write(streamed("torrent", { store: false }));
    await eventually(() => gateway.context.streams === 1);
    expect(await ask(url, "POST /v1/responses", {}, body)).toMatchObject({ status: 200 });
    await eventually(() => gateway.context.streams === 0);
    await eventually(() => torrent.stopped + torrent.finished === 1);
    expect(gateway.context.live.size).toBe(0);
  });

  test("of a long answer is cut off", async () => {
    const { url } = await serve({ ...models, limits: { stallTimeout: 300 } });
    const long = "x".repeat(12_000_000);
    const { id } = JSON.parse(
      (await ask(url, "POST /v1/conversations", {}, { items: [{ role: "user", content: long }] })).text,
    ) as { id: string };
    const socket = await dial(url);
    socket.pause();
    socket.write(lines(`GET /v1/conversations/${id}/items HTTP/1.1`, host));
    await once(socket, "readable");
    // What had left before is still read; the rest never comes.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const heard = await hear(socket.resume());
    expect(statusesIn(heard)).toEqual([200]);
    expect(heard.length).toBeLessThan(long.length);
  });

  test("in the background is cut off while the run goes on", async () => {
    const torrent = new Torrent(100);
    const { url, gateway } = await serve({
      catalogue: catalogueOf({ torrent: torrent.respond }),
      limits: { stallTimeout: 300, heartbeat: 50 },
    });
    const { id } = JSON.parse(
      (await ask(url, "POST /v1/responses", {}, { model: "torrent", input: "Hi", background: true })).text,
    ) as { id: string };
    const socket = await dial(url);
    socket.pause();
    socket.write(lines(`GET /v1/responses/${id}?stream=true HTTP/1.1`, host));
    await eventually(() => gateway.context.streams === 1);
    await eventually(() => gateway.context.streams === 0);
    await eventually(async () => (await ask(url, `GET /v1/responses/${id}`)).text.includes('"status":"completed"'));
    expect([torrent.stopped, torrent.finished]).toEqual([0, 1]);
  });

  test("holds up no other reader of the same stream", async () => {
    const puppet = new Puppet();
    const { url } = await serve({ catalogue: catalogueOf({ puppet: puppet.respond }), limits: { stallTimeout: 60_000 } });
    const socket = await dial(url);
    socket.write(streamed("puppet"));
    const call = await puppet.next();
    call.start();
    const [begun] = (await once(socket, "data")) as [Buffer];
    socket.pause();
    const id = /resp_\w+/.exec(begun.toString())![0];
    const other = await fetch(`${url}/v1/responses/${id}?stream=true`);
    for (let piece = 0; piece < 100; piece += 1) call.say("y".repeat(20_000));
    call.finish();
    const text = await other.text();
    expect(text.split("event: response.output_text.delta\n")).toHaveLength(101);
    expect(text).toContain("event: response.completed\n");
  });
});
