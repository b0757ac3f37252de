/**
 * The upstream behind every gateway, in a process of its own: it serves what was serialised beforehand. The first part of the path says
 * how: `/16k/v1/responses` in writes of 16 KiB, `/paced/…` an event at a time, `/held/…` half of the stream, and the rest when told.
 */
import { createServer } from "node:http";
import { answers } from "./answers.mjs";

const size = 16 * 1024;
const paceMs = 2;

const cut = (bytes) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
const whole = Object.fromEntries(Object.entries(answers).map(([wire, { frames }]) => [wire, cut(Buffer.concat(frames))]));

/** One write a turn of the event loop: written in one turn, they would leave as one packet. */
function stream(response, chunks, next = 0) {
  response.write(chunks[next]);
  if (next + 1 === chunks.length) response.end();
  else setImmediate(stream, response, chunks, next + 1);
}

/** As models do: the first word comes with what precedes it. A timer would blur when. */
function pace(response, frames) {
  let next = frames.findIndex((frame) => frame.includes(".delta")) + 1;
  response.write(Buffer.concat(frames.slice(0, next)));
  const timer = setInterval(() => {
    response.write(frames[next++]);
    if (next < frames.length) return;
    clearInterval(timer);
    response.end();
  }, paceMs);
  response.once("close", () => clearInterval(timer));
}

/** @type {(() => void)[]} */
let held = [];

function hold(response, frames) {
  const half = frames.length >> 1;
  response.write(Buffer.concat(frames.slice(0, half)));
  held.push(() => response.end(Buffer.concat(frames.slice(half))));
}

const ways = {
  "16k": (response, wire) => stream(response, whole[wire]),
  paced: (response, wire) => pace(response, answers[wire].frames),
  held: (response, wire) => hold(response, answers[wire].frames),
};

const server = createServer((request, response) => {
  const parts = request.url.split("/");
  const wire = parts.at(-1);
  const body = [];
  request.on("data", (piece) => body.push(piece));
  request.once("end", () => {
    if (!answers[wire]) return response.writeHead(404).end();
    const streamed = Buffer.concat(body).includes('"stream":true');
    if (!streamed) return response.writeHead(200, { "content-type": "application/json" }).end(answers[wire].plain[0]);
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "x-request-id": "req_bench" });
    ways[parts[1]](response, wire);
  });
});

// Longer than any process lives: a client must never meet a connection that is just being closed.
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", 4096, () => process.send({ port: server.address().port }));

process.on("message", (what) => {
  if (what === "release") {
    for (const release of held) release();
    held = [];
  }
  process.send({ held: held.length });
});
process.on("disconnect", () => process.exit());
