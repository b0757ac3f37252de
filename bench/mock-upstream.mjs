/**
 * The upstream of every row, in a process of its own: answers are serialised before the first request, so that serving one costs as
 * little as a server can. The scenario stands in the path (`/text-200-16k-1/v1/responses`), which every client lets one choose.
 */
import { createServer } from "node:http";
import { answersTo } from "./answer.mjs";
import { parseScenario } from "./scenario.mjs";

const writeSizes = { "1k": 1024, "16k": 16 * 1024 };

// An event's share of the time, however many streams are open: more than the slowest client takes, so that events never pile up.
const paceNs = 200_000n;

/** @type {Map<string, { steps: Buffer[][], paced: boolean }>} */
const prepared = new Map();

function prepare(id) {
  const scenario = parseScenario(id);
  const { steps, length } = answersTo(scenario);
  const paced = scenario.write === "paced";
  const chunksOf = (frames) => (paced ? frames : cut(Buffer.concat(frames), writeSizes[scenario.write]));
  prepared.set(id, { paced, steps: steps.map(chunksOf) });
  const byteLength = steps.flat().reduce((sum, frame) => sum + frame.length, 0);
  return { id, length, byteLength };
}

function cut(bytes, size) {
  const chunks = [];
  for (let start = 0; start < bytes.length; start += size) chunks.push(bytes.subarray(start, start + size));
  return chunks;
}

/** One write a turn of the event loop: written in one turn, they would leave as one packet. */
function stream(response, chunks, next = 0) {
  if (next === chunks.length) return response.end();
  const flowing = response.write(chunks[next]);
  const proceed = () => stream(response, chunks, next + 1);
  if (flowing) setImmediate(proceed);
  else response.once("drain", proceed);
}

// Timers are too coarse for this pace, so the loop spins while paced streams are open. At each step every one of them gets its next
// event: each arrives as a read of its own.
/** @type {Set<{ response: import("node:http").ServerResponse, chunks: Buffer[], next: number }>} */
const pacedStreams = new Set();
let due = 0n;

function pace(response, chunks) {
  pacedStreams.add({ response, chunks, next: 0 });
  if (pacedStreams.size === 1) setImmediate(tick);
}

function tick() {
  const now = process.hrtime.bigint();
  if (now >= due) {
    due = now + paceNs * BigInt(pacedStreams.size);
    for (const stream of pacedStreams) writeNext(stream);
  }
  if (pacedStreams.size > 0) setImmediate(tick);
}

function writeNext(stream) {
  stream.response.write(stream.chunks[stream.next++]);
  if (stream.next < stream.chunks.length) return;
  stream.response.end();
  pacedStreams.delete(stream);
}

const result = "function_call_output";

/** The step of a loop that a request asks for: it brings the results of all steps before. */
function stepOf(body) {
  let results = 0;
  for (let at = body.indexOf(result); at !== -1; at = body.indexOf(result, at + result.length)) results += 1;
  return results;
}

const server = createServer((request, response) => {
  const answer = prepared.get(request.url.split("/")[1]);
  const body = [];
  if (answer?.steps.length > 1) request.on("data", (chunk) => body.push(chunk));
  else request.resume();
  request.once("end", () => {
    const chunks = answer?.steps[stepOf(Buffer.concat(body))];
    if (!chunks || request.method !== "POST") return response.writeHead(404).end();
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "x-request-id": "req_bench" });
    if (answer.paced) pace(response, chunks);
    else stream(response, chunks);
  });
});

// Longer than any process lives: a client must never meet a connection that is just being closed.
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));

process.on("message", (ids) => process.send({ prepared: ids.map(prepare) }));
process.on("disconnect", () => process.exit());
