import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { startGateway } from "../../src/node.ts";
import { send, type Told } from "../support/client.ts";
import { say, serve } from "./support.ts";

/** How a model fails after its response has begun. */
type Failure = "error event" | "failed response" | "cut";
/** Whether the failure arrives together with the beginning. */
type Write = "same write" | "second write";

/** One wire format: what a stream begins with, how it reports an error, and the body of a failed plain answer. */
interface WireFailures {
  path: string;
  opening: string;
  error: string;
  /** Only where the wire format has a second way to report a failure. */
  failed?: string;
  plainError: unknown;
  plainFailed?: unknown;
}

const frame = (data: Record<string, unknown>): string =>
  `${typeof data["type"] === "string" ? `event: ${data["type"]}\n` : ""}data: ${JSON.stringify(data)}\n\n`;

const response = { id: "resp_1", object: "response", created_at: 1, model: "a", status: "in_progress", output: [], error: null };
const failedResponse = { ...response, status: "failed", error: { code: "server_error", message: "Broken." } };
const chunk = { id: "c_1", object: "chat.completion.chunk", created: 1, model: "a" };
const choice = { index: 0, delta: { role: "assistant", content: "" }, finish_reason: null };
const chatError = { error: { code: 500, type: "server_error", message: "Broken." } };
const message = { id: "msg_1", type: "message", role: "assistant", model: "a", content: [], stop_reason: null };
const messagesError = { type: "error", error: { type: "api_error", message: "Broken." } };
const geminiError = { error: { code: 500, status: "INTERNAL", message: "Broken." } };

const wires = {
  responses: {
    path: "/v1/responses",
    opening:
      frame({ type: "response.created", sequence_number: 0, response }) +
      frame({ type: "response.in_progress", sequence_number: 1, response }),
    error: frame({ type: "error", sequence_number: 2, code: "server_error", message: "Broken.", param: null }),
    failed: frame({ type: "response.failed", sequence_number: 2, response: failedResponse }),
    plainError: { error: { type: "server_error", code: "server_error", message: "Broken." } },
    plainFailed: failedResponse,
  },
  chat: {
    path: "/v1/chat/completions",
    opening: frame({ ...chunk, choices: [choice] }),
    error: frame(chatError),
    failed: frame({ ...chunk, ...chatError, choices: [{ index: 0, delta: {}, finish_reason: "error" }] }),
    plainError: chatError,
  },
  messages: {
    path: "/v1/messages",
    opening:
      frame({ type: "message_start", message: { ...message, usage: { input_tokens: 1, output_tokens: 0 } } }) +
      frame({ type: "ping" }),
    error: frame(messagesError),
    plainError: messagesError,
  },
  gemini: {
    path: "/v1/responses",
    opening: frame({ responseId: "r_1", modelVersion: "a", usageMetadata: { promptTokenCount: 1 } }),
    error: frame(geminiError),
    plainError: geminiError,
  },
} as const satisfies Record<string, WireFailures>;

type Wire = keyof typeof wires;

/** Starts a server that begins an answer on its wire format and then fails. */
async function failingServer(wire: Wire, failure: Failure, write: Write): Promise<{ url: string; requests: () => number }> {
  const failures: WireFailures = wires[wire];
  let requests = 0;
  const fail = async (request: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const { stream } = (await json(request)) as { stream?: boolean };
    requests += 1;
    const streams = stream === true || request.url?.includes("streamGenerateContent");
    await (streams ? failStream(answer, failures, failure, write) : failPlain(answer, failures, failure, write));
  };
  const server = createServer((request, answer) => void fail(request, answer)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const version = wire === "gemini" ? "v1beta" : "v1";
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${version}`, requests: () => requests };
}

async function failStream(answer: ServerResponse, failures: WireFailures, failure: Failure, write: Write): Promise<void> {
  answer.writeHead(200, { "content-type": "text/event-stream" });
  const rest = { "error event": failures.error, "failed response": failures.failed ?? "", cut: "" }[failure];
  if (write === "same write") return void answer.end(failures.opening + rest);
  answer.write(failures.opening);
  await pause(20);
  if (failure === "cut") answer.destroy();
  else answer.end(rest);
}

async function failPlain(answer: ServerResponse, failures: WireFailures, failure: Failure, write: Write): Promise<void> {
  const body = JSON.stringify(failure === "failed response" ? failures.plainFailed : failures.plainError);
  answer.writeHead(200, { "content-type": "application/json", "content-length": body.length });
  if (write === "second write") {
    answer.flushHeaders();
    await pause(20);
  }
  if (failure !== "cut") return void answer.end(body);
  answer.write(body.slice(0, 10));
  await pause(20);
  answer.destroy();
}

/** Asks a gateway whose model has two choices, of which the first fails, and returns what its client reads. */
async function askWithFallback(wire: Wire, url: string, mode: "stream" | "plain" | "background"): Promise<[string, number]> {
  const second = await serve((asked) => say("Hello", asked));
  const secondWire = wire === "gemini" ? "responses" : wire;
  const gateway = await startGateway({
    port: 0,
    telemetry: { logs: false },
    providers: {
      first: { wire, baseUrl: url, relay: wire !== "gemini" },
      second: { wire: secondWire, baseUrl: second.url, relay: true },
    },
    models: { it: ["first:a", "second:b"] },
  });
  onTestFinished(() => gateway.close());
  const messages = [{ role: "user", content: "Hi" }];
  const input = wires[wire].path === "/v1/responses" ? { input: "Hi" } : { messages, max_tokens: 100 };
  const body = { model: "it", ...input, ...(mode === "plain" ? {} : { [mode]: true }) };
  const reply = await send(gateway.url + wires[wire].path, body);
  if (mode !== "background") return [await reply.text(), second.asked.length];
  const { id } = (await reply.json()) as Told;
  return [await (await fetch(`${gateway.url}/v1/responses/${id}?stream=true`)).text(), second.asked.length];
}

const failuresOf = (wire: Wire, mode: "stream" | "plain"): Failure[] => {
  const { failed, plainFailed }: WireFailures = wires[wire];
  const all: Failure[] = ["error event", "cut"];
  return (mode === "stream" ? failed : plainFailed) ? [...all, "failed response"] : all;
};

const cases = (Object.keys(wires) as Wire[]).flatMap((wire) =>
  (["stream", "plain", "background"] as const)
    .filter((mode) => mode !== "background" || wires[wire].path === "/v1/responses")
    .flatMap((mode) =>
      failuresOf(wire, mode === "plain" ? "plain" : "stream").flatMap((failure) =>
        (["same write", "second write"] as const).map((write) => ({ wire, mode, failure, write })),
      ),
    ),
);

describe("a model with two choices, whose first fails before any output", () => {
  test.each(cases)("answers from the second: $wire, $mode, $failure, $write", async ({ wire, mode, failure, write }) => {
    const first = await failingServer(wire, failure, write);
    const [told, secondRequests] = await askWithFallback(wire, first.url, mode);
    expect([first.requests(), secondRequests]).toEqual([1, 1]);
    expect(told).toContain("Hello");
    expect(told).not.toContain("Broken.");
  });
});
