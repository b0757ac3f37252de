/**
 * Asks a gateway, in a process of its own. It speaks HTTP by hand over kept sockets: what it costs is not measured, but it has to share a
 * machine with what is. The first answer is read to the letter; of all others it is looked at that they end, and are as long.
 */
import { connect } from "node:net";
import { text, textIn } from "./answers.mjs";

const end = Buffer.from("0\r\n\r\n");

/** One connection, which asks one thing after the other. */
class Connection {
  constructor({ port, head, body }) {
    this.request = Buffer.from(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    this.socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.socket.on("data", (piece) => this.take(piece));
    this.socket.on("error", (error) => this.fail?.(error));
    this.socket.on("close", () => this.fail?.(new Error("The connection was closed.")));
    this.ready = new Promise((resolve, reject) => {
      this.socket.once("connect", resolve);
      this.fail = reject;
    });
  }

  /** Gives what came, and when the first word did. */
  ask(keep) {
    this.pieces = keep ? [] : undefined;
    this.length = 0;
    this.wanted = undefined;
    this.firstMs = undefined;
    this.tail = Buffer.alloc(0);
    this.begun = performance.now();
    return new Promise((resolve, reject) => {
      this.done = resolve;
      this.fail = reject;
      this.socket.write(this.request);
    });
  }

  take(piece) {
    this.pieces?.push(piece);
    if (this.length === 0) this.readHead(piece);
    if (this.firstMs === undefined && piece.includes("delta")) this.firstMs = performance.now() - this.begun;
    this.length += piece.length;
    if (this.isOver(piece))
      this.done({ length: this.length, firstMs: this.firstMs, pieces: this.pieces, ms: performance.now() - this.begun });
  }

  readHead(piece) {
    const at = piece.indexOf("\r\n\r\n");
    const head = piece.toString("latin1", 0, at).toLowerCase();
    if (!head.startsWith("http/1.1 200")) this.fail(new Error(`The answer was ${piece.toString()}`));
    const length = /content-length: (\d+)/.exec(head);
    if (length) this.wanted = at + 4 + Number(length[1]);
  }

  /** Chunked answers end with an empty chunk, which may come in two pieces. */
  isOver(piece) {
    if (this.wanted !== undefined) return this.length >= this.wanted;
    this.tail =
      piece.length >= end.length ? piece.subarray(-end.length) : Buffer.concat([this.tail, piece]).subarray(-end.length);
    return this.tail.equals(end);
  }
}

function bodyOf(pieces) {
  const bytes = Buffer.concat(pieces);
  const at = bytes.indexOf("\r\n\r\n") + 4;
  if (!/transfer-encoding: chunked/i.test(bytes.toString("latin1", 0, at))) return bytes.subarray(at).toString();
  const parts = [];
  for (let from = at; ;) {
    const line = bytes.indexOf("\r\n", from);
    const size = Number.parseInt(bytes.toString("latin1", from, line), 16);
    if (size === 0) return Buffer.concat(parts).toString();
    parts.push(bytes.subarray(line + 2, line + 2 + size));
    from = line + 2 + size + 2;
  }
}

/** Throws where an answer is not the one that the upstream gave. */
function check(body, { wire, streamed }) {
  const frames = () => body.split("\n\n").flatMap((frame) => /^data: (\{.*)/m.exec(frame)?.[1] ?? []);
  const said = streamed
    ? frames()
        .map((data) => textIn[wire].frame(JSON.parse(data)))
        .join("")
    : textIn[wire].plain(JSON.parse(body));
  if (said !== text) throw new Error(`The text is wrong: ${body.slice(0, 2_000)}`);
}

async function run(work) {
  const connections = Array.from({ length: work.atOnce }, () => new Connection(work));
  await Promise.all(connections.map(({ ready }) => ready));
  const first = await connections[0].ask(true);
  check(bodyOf(first.pieces), work);
  const firstMs = [];
  const all = [];
  let left = work.count;
  const begun = performance.now();
  const loop = async (connection) => {
    while (left > 0) {
      left -= 1;
      const answer = await connection.ask(false);
      // Ids and times have a fixed length in most gateways; chunks are cut where they happen to be.
      if (Math.abs(answer.length - first.length) > 2_000)
        throw new Error(`An answer has ${answer.length} bytes instead of ${first.length}.`);
      if (answer.firstMs !== undefined) firstMs.push(answer.firstMs);
      all.push(answer.ms);
    }
  };
  await Promise.all(connections.map(loop));
  const ms = performance.now() - begun;
  for (const { socket } of connections) socket.removeAllListeners("close").destroy();
  return { ms, firstMs: middle(firstMs), eachMs: middle(all) };
}

const middle = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];

/** Opens streams and leaves them open; they end when the upstream is told to go on. */
async function open(work) {
  const connections = Array.from({ length: work.atOnce }, () => new Connection(work));
  await Promise.all(connections.map(({ ready }) => ready));
  const answers = connections.map((connection) => connection.ask(true));
  return { connections, answers };
}

let opened;
process.on("message", async ({ kind, ...work }) => {
  try {
    if (kind === "open") {
      opened = await open(work);
      process.send({});
    } else if (kind === "close") {
      for (const { pieces } of await Promise.all(opened.answers)) check(bodyOf(pieces), work);
      for (const { socket } of opened.connections) socket.removeAllListeners("close").destroy();
      process.send({});
    } else process.send(await run(work));
  } catch (error) {
    process.send({ error: error.message });
  }
});
process.on("disconnect", () => process.exit());
process.send({});
