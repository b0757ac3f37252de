import { Writer, type CreateResponse } from "antiphon";
import { responsesServer } from "antiphon/codecs/responses";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";

/** How many words every answer has. */
const wordCount = 12;

/** One call of the model for one run. */
export interface UpstreamCall {
  /** The gateway that asked. */
  by: string;
  /** Words that were sent. */
  words: number;
  /** Whether the gateway went away before the end. */
  left: boolean;
}

/** A model that outlives all gateways, and remembers what it was asked. */
export interface Upstream {
  url: string;
  /** All calls by the name of the run: its input is something to that name. */
  calls: Map<string, UpstreamCall[]>;
  close(): Promise<void>;
}

/** The words that a call says, which tell it from all others of its run. */
export const wordsOf = (call: number, count = wordCount): string =>
  Array.from({ length: count }, (_, index) => `c${call}w${index} `).join("");

const codec = responsesServer("openai");

const nameOf = ({ input }: CreateResponse): string => /to ([\w-]+)/.exec(JSON.stringify(input))?.[1] ?? "";

/** What it takes to think, and then for every word, in milliseconds. */
export interface Pace {
  think: number;
  word: number;
}

export async function startUpstream(paceOf: (name: string) => Pace): Promise<Upstream> {
  const calls: Upstream["calls"] = new Map();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const asked = codec.decodeRequest(JSON.parse(Buffer.concat(pieces).toString()));
    const name = nameOf(asked);
    const call: UpstreamCall = { by: String(request.headers["x-gateway"]), words: 0, left: false };
    const earlier = calls.get(name) ?? [];
    calls.set(name, [...earlier, call]);
    response.on("close", () => (call.left = call.words < wordCount));
    await speak(asked, call, { number: earlier.length, pace: paceOf(name), response });
  };
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Speech {
  number: number;
  pace: Pace;
  response: ServerResponse;
}

async function speak(request: CreateResponse, call: UpstreamCall, { number, pace, response }: Speech): Promise<void> {
  let made = 0;
  const stamp = Math.random().toString(36).slice(2);
  const writer = new Writer({ request, newId: (prefix) => `${prefix}_${stamp}${(made += 1)}`, now: () => 1_700_000_000 });
  const encoder = codec.createEncoder(request);
  const send = (): void => {
    for (const event of writer.drain()) for (const value of encoder.push(event)) response.write(codec.encodeFrame(value));
  };
  response.writeHead(200, { "content-type": "text/event-stream" });
  writer.start();
  send();
  await setTimeout(pace.think);
  for (; call.words < wordCount; call.words += 1) {
    await setTimeout(pace.word);
    if (response.destroyed) return;
    writer.text(`c${number}w${call.words} `);
    send();
  }
  writer.finish({ status: "completed" });
  send();
  response.end(codec.lastFrame);
}
