import { createServer, type IncomingMessage } from "node:http";
import { Duplex } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { RequestParser } from "../../../src/node/request-parser.ts";

/** A request as a server saw it. */
export interface Seen {
  method: string;
  target: string;
  headers: Record<string, string>;
  body: string;
}

/** What came of some bytes: the requests that were read to their ends, and the status with which the next one was refused. */
export interface Reading {
  seen: Seen[];
  refused: number | undefined;
  /** How many bytes were those of the requests in `seen`. */
  used: number;
}

/** Reads requests as a connection does, from pieces of bytes. */
export function readWithParser(pieces: readonly Uint8Array[]): Reading {
  const parser = new RequestParser();
  const seen: Seen[] = [];
  let open: Seen | undefined;
  let stays = true;
  let [pushed, used] = [0, 0];
  const step = (): boolean | number => {
    if (open) {
      const piece = parser.readBody();
      if (typeof piece === "number") return piece;
      open.body += piece?.toString("latin1") ?? "";
      if (!parser.isComplete) return false;
      seen.push(open);
      used = pushed - parser.waiting;
      open = undefined;
      return stays;
    }
    const head = parser.readHead();
    if (typeof head === "number") return head;
    if (!head) return false;
    stays = head.keeps;
    open = { method: head.method, target: head.target, headers: head.all(), body: "" };
    return true;
  };
  for (const piece of pieces) {
    if (!stays && !open) break;
    // The parser moves bytes about; those of a test are needed again.
    parser.push(Buffer.from(piece));
    pushed += piece.length;
    let more: boolean | number = true;
    while (more === true) more = step();
    if (typeof more === "number") return { seen, refused: more, used };
  }
  return { seen, refused: undefined, used };
}

/** Both ends of a connection that leads nowhere. */
class Wire extends Duplex {
  override _read(): void {}
  override _write(_: unknown, __: string, done: () => void): void {
    done();
  }
}

const joined = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );

/** The requests that Node's own server reads from some bytes, set up so as to refuse what it can. */
export async function readWithNode(bytes: Uint8Array): Promise<Seen[]> {
  const seen: Seen[] = [];
  const server = createServer({ maxHeaderSize: 64 * 1024, joinDuplicateHeaders: true }, (request, response) => {
    const one: Seen = { method: request.method ?? "", target: request.url ?? "", headers: joined(request), body: "" };
    request.on("data", (piece: Buffer) => (one.body += piece.toString("latin1")));
    request.on("error", () => {}).once("end", () => seen.push(one));
    response.on("error", () => {}).end();
  });
  const wire = new Wire();
  wire.on("error", () => {});
  server.emit("connection", wire);
  wire.push(bytes);
  // Bodies are told in turns of their own.
  for (let turn = 0; turn < 4; turn += 1) await setImmediate();
  wire.destroy();
  server.close();
  return seen;
}
