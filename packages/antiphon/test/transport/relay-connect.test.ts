import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { chatCodec, chatServer } from "../../src/codecs/chat/index.ts";
import { messagesCodec } from "../../src/codecs/messages/index.ts";
import type { Codec } from "../../src/codecs/codec.ts";
import { reduce } from "../../src/core/reduce.ts";
import { Writer } from "../../src/core/writer.ts";
import { isTerminal, isWire } from "../../src/model/guards.ts";
import type { CallOptions } from "../../src/core/respond.ts";
import type { CreateResponse, ResponseEvent, TerminalEvent } from "../../src/model/index.ts";
import { connect, type ConnectOptions } from "../../src/transport/connect.ts";
import { answer, failure, quick, refuses } from "../faults/support.ts";
import { testCtx } from "../support/ctx.ts";
import { sseValues } from "../support/sse-values.ts";
import { serve } from "./support/servers.ts";
import { upstreamAt } from "./support/upstream.ts";

/** An event as OpenAI's servers write it. */
const framed = (event: ResponseEvent): string => {
  const whole = event.type.startsWith("response.output_text.") ? { ...event, logprobs: [] } : event;
  return `event: ${event.type}\ndata: ${JSON.stringify(whole)}\n\n`;
};

const streams = (response: ServerResponse, text: string): ServerResponse => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(text);
  return response;
};
const sends = (events: readonly ResponseEvent[]) => (response: ServerResponse) =>
  void streams(response, events.map(framed).join("")).end();
const sendsText = (text: string) => (response: ServerResponse) => void streams(response, text).end();

interface Relayed {
  events: ResponseEvent[];
  /** What passed unread. */
  text: string;
  last: TerminalEvent | undefined;
}

async function relay(
  origin: string,
  {
    codec,
    request = { input: "Hello" },
    options = {},
    call,
  }: { codec?: Codec; request?: CreateResponse; options?: ConnectOptions; call?: CallOptions } = {},
): Promise<Relayed> {
  const upstream = upstreamAt(origin);
  const respond = connect(codec ? { ...upstream, codec } : upstream, { ...quick, ...options, relay: true });
  const events: ResponseEvent[] = [];
  for await (const event of respond(request, call)) events.push(event);
  return { events, text: events.map((event) => (isWire(event) ? event.text : "")).join(""), last: events.find(isTerminal) };
}

const typesOf = (events: readonly ResponseEvent[]): string[] => events.map(({ type }) => type);
const told = (events: readonly ResponseEvent[]): ResponseEvent[] =>
  events.flatMap((event) => (isWire(event) ? (sseValues(new TextEncoder().encode(event.text)) as ResponseEvent[]) : [event]));

/** Events of an answer that say the same to every client. */
const passes = ({ type }: ResponseEvent): boolean => /created|in_progress|output_item|content_part|output_text/.test(type);

test("what says the same to every client passes as the server wrote it; how it ended is told", async () => {
  const events = answer("Hel", "lo");
  const { origin } = await serve(sends(events));
  const relayed = await relay(origin);
  expect(relayed.text).toBe(events.filter(passes).map(framed).join(""));
  expect(relayed.events.slice(0, -1)).toMatchObject([
    { type: "antiphon:wire", sequence_number: 0, frames: 1, opens: true },
    { type: "antiphon:wire", sequence_number: 1, frames: 1, opens: true },
    { type: "antiphon:wire", sequence_number: events.at(-2)?.sequence_number, frames: 7 },
  ]);
  expect(relayed.last).toEqual(events.at(-1));
});

test("deltas that only one dialect knows under their name are told", async () => {
  const writer = new Writer(testCtx());
  writer.reasoning("Hm");
  writer.text("Hi");
  writer.finish({ status: "completed" });
  const events = writer.drain();
  const { origin } = await serve(sends(events));
  const relayed = await relay(origin);
  expect(typesOf(relayed.events)).toContain("response.reasoning.delta");
  expect(relayed.text).toContain("Hi");
});

test("a failure before anything passed is tried again", async () => {
  const { origin, seen } = await serve(sends(failure("server_error", "No.")), refuses(503), sends(answer("Hi")));
  const { last, text } = await relay(origin);
  expect(seen).toHaveLength(3);
  expect(last?.type).toBe("response.completed");
  expect(text).toContain("Hi");
});

test("what passed is never asked for again: a broken stream ends with what had come", async () => {
  const events = answer("Hel", "lo");
  const cut = events.slice(0, 6).map(framed).join("");
  const { origin, seen } = await serve((response) => {
    streams(response, cut);
    setTimeout(() => response.destroy(), 20);
  });
  const { last, events: all } = await relay(origin);
  expect(seen).toHaveLength(1);
  expect(last?.type).toBe("response.failed");
  expect(last?.response.output).toMatchObject([{ status: "incomplete", content: [{ text: "Hello" }] }]);
  expect(reduce(told(all))).toEqual(last?.response);
});

test("a stop by the caller ends with what had come", async () => {
  const { origin } = await serve((response) => streams(response, answer("Hel", "lo").slice(0, 6).map(framed).join("")));
  const stop = new AbortController();
  const respond = connect(upstreamAt(origin), { ...quick, relay: true });
  const events: ResponseEvent[] = [];
  for await (const event of respond({ input: "Hello" }, { signal: stop.signal })) {
    events.push(event);
    if (isWire(event)) stop.abort();
  }
  expect(events.at(-1)).toMatchObject({ type: "response.incomplete", response: { incomplete_details: { reason: "cancelled" } } });
  expect(reduce(told(events)).output).toMatchObject([{ content: [{ text: "Hello" }] }]);
});

const unusual: [string, (events: ResponseEvent[]) => string][] = [
  [
    "that begins with another number",
    (events) => events.map((event) => framed({ ...event, sequence_number: event.sequence_number + 5 })).join(""),
  ],
  ["without numbers", (events) => events.map((event) => framed({ ...event, sequence_number: undefined as never })).join("")],
  ["without names beside the data", (events) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")],
];
test.each(unusual)("a stream %s is read in full", async (_, write) => {
  const { origin } = await serve(sendsText(write(answer("Hel", "lo"))));
  const { events, last } = await relay(origin);
  expect(events.some(isWire)).toBe(false);
  expect(last?.response.output).toMatchObject([{ content: [{ text: "Hello" }] }]);
});

test("deltas that lack what clients count on are told", async () => {
  const events = answer("Hel", "lo");
  const { origin } = await serve(
    sendsText(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")),
  );
  const relayed = await relay(origin);
  expect(relayed.text).not.toContain("output_text.delta");
  expect(told(relayed.events)).toEqual(events);
});

test("from a gap in the numbers on, a stream is read in full", async () => {
  const events = answer("Hel", "lo", "!");
  const gap = events.map((event, index) => framed(index < 5 ? event : { ...event, sequence_number: event.sequence_number + 3 }));
  const { origin } = await serve(sendsText(gap.join("")));
  const relayed = await relay(origin);
  expect(relayed.text).toContain("Hel");
  expect(relayed.text).not.toContain('"lo"');
  expect(told(relayed.events).map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  expect(relayed.last?.response.output).toMatchObject([{ content: [{ text: "Hello!" }] }]);
});

test("events that a client may not see end the passing, unless it asked for hosted tools", async () => {
  const events = answer("Hel", "lo");
  const alive = events.toSpliced(5, 0, { type: "keepalive", sequence_number: 5 } as ResponseEvent);
  alive.forEach((event, index) => (event.sequence_number = index));
  const { origin } = await serve(sends(alive));
  const plain = await relay(origin);
  expect(plain.text).not.toContain('"lo"');
  const hosted = await relay(origin, { request: { input: "Hello", tools: [{ type: "web_search" }] } });
  expect(hosted.text).toContain('"lo"');
  for (const { last } of [plain, hosted]) expect(last?.response.output).toMatchObject([{ content: [{ text: "Hello" }] }]);
});

test.each([
  ["carriage returns", "\r\n"],
  ["line feeds", "\n"],
])("comments of any server are left out, and lines end in line feeds: %s", async (_, lineEnd) => {
  const text = `: open\n\n${answer("Hel", "lo").map(framed).join(": ping\n\n")}`.replaceAll("\n", lineEnd);
  const { origin } = await serve(sendsText(text));
  const relayed = await relay(origin);
  expect(relayed.text).toBe(answer("Hel", "lo").filter(passes).map(framed).join(""));
  expect(relayed.last?.type).toBe("response.completed");
});

test("a comment in the middle of an event does not pass either", async () => {
  const events = answer("Hel", "lo");
  const { origin } = await serve(sendsText(events.map((event) => framed(event).replace("\n\n", "\n: ping\n\n")).join("")));
  const relayed = await relay(origin);
  expect(relayed.text).not.toContain("ping");
  expect(relayed.last?.response.output).toMatchObject([{ content: [{ text: "Hello" }] }]);
});

test("a plain answer is its terminal event alone", async () => {
  const { response } = answer("Hi").at(-1) as TerminalEvent;
  const { origin } = await serve((reply) =>
    reply.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(response)),
  );
  const { events } = await relay(origin, { request: { input: "Hello", stream: false } });
  expect(events).toEqual([{ type: "response.completed", sequence_number: 0, response }]);
});

test("an event that outgrows the limit is a failure", async () => {
  const events = answer("Hel", "x".repeat(5_000));
  const { origin } = await serve((response) => {
    const text = events.map(framed).join("");
    const at = text.indexOf("xxx") + 3_000;
    streams(response, text.slice(0, at));
    setTimeout(() => response.end(text.slice(at)), 50);
  });
  const { last } = await relay(origin, { options: { maxEventBytes: 2_000 } });
  expect(last).toMatchObject({ type: "response.failed", response: { error: { code: "protocol" } } });
});

test("a page where events were expected is an error that says so", async () => {
  const { origin } = await serve((response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<html>Log in</html>"),
  );
  await expect(relay(origin, { options: { retry: { retries: 0 } } })).rejects.toThrow(/an HTML page instead of events/);
});

test("an answer of any length is kept small, and whole when it breaks", async () => {
  const words = Array.from({ length: 60 }, (_, index) => `${index} `.repeat(8_000));
  const events = answer(...words);
  const { origin } = await serve((response) => {
    streams(response, events.slice(0, -4).map(framed).join(""));
    setTimeout(() => response.destroy(), 200);
  });
  const { last } = await relay(origin);
  expect(last?.response.output).toMatchObject([{ content: [{ text: words.join("") }] }]);
});

const chunk = (delta: object, finish_reason: string | null = null, more: object = {}): string =>
  `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`;
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const said = chunk({ role: "assistant", content: "" }) + chunk({ content: "Hi" }) + chunk({}, "stop");
const usageChunk = chunk({}, null, { choices: [], usage });

test("on Chat everything passes but the end mark, and usage only to those who asked for it", async () => {
  const { origin } = await serve(sendsText(`${said}${usageChunk}data: [DONE]\n\n`));
  const quiet = await relay(origin, { codec: chatCodec() });
  expect(quiet.text).toBe(said);
  const request = chatServer().decodeRequest({
    model: "m",
    messages: [{ role: "user", content: "Hi" }],
    stream_options: { include_usage: true },
  });
  const asked = await relay(origin, { codec: chatCodec(), request });
  expect(asked.text).toBe(said + usageChunk);
  for (const { events, last } of [quiet, asked]) {
    expect(typesOf(events).slice(0, 2)).toEqual(["response.created", "response.in_progress"]);
    expect(last).toMatchObject({ type: "response.completed", response: { usage: { input_tokens: 3, output_tokens: 2 } } });
  }
});

test.each(["", "event: error\n"])("on Chat the terminal event replaces an error in the middle, %j before it", async (name) => {
  const error = `${name}data: {"error":{"message":"Gone","code":500}}\n\n`;
  const { origin } = await serve(sendsText(`${chunk({ content: "Hi" })}${error}`));
  const { text, last } = await relay(origin, { codec: chatCodec() });
  expect(text).toBe(chunk({ content: "Hi" }));
  expect(last).toMatchObject({ type: "response.failed", response: { error: { message: "Gone" } } });
});

test("on Chat an error at the beginning is thrown", async () => {
  const { origin } = await serve(sendsText('data: {"error":{"message":"No such model","code":404}}\n\n'));
  await expect(relay(origin, { codec: chatCodec() })).rejects.toThrow("No such model");
});

test("on Chat a stream without an end is a failure", async () => {
  const { origin } = await serve(sendsText(chunk({ content: "Hi" })));
  const { last } = await relay(origin, { codec: chatCodec() });
  expect(last).toMatchObject({ type: "response.failed", response: { error: { code: "truncated" } } });
});

test("on Chat a plain answer passes as it came, before its end", async () => {
  const body = JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion",
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
    usage,
  });
  const { origin } = await serve((response) => response.writeHead(200, { "content-type": "application/json" }).end(body));
  const { events } = await relay(origin, { codec: chatCodec(), request: { input: "Hello", stream: false } });
  expect(events).toMatchObject([
    { type: "antiphon:wire", text: body },
    { type: "response.completed", response: { usage: { output_tokens: 2 } } },
  ]);
});

const spoken = (type: string, fields: object = {}): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [],
  stop_reason: null,
  usage: { input_tokens: 3, output_tokens: 1 },
};
const begun =
  spoken("message_start", { message }) + spoken("content_block_start", { index: 0, content_block: { type: "text", text: "" } });

test("on Messages everything passes, and its end is told too", async () => {
  const text = `${begun}${spoken("content_block_delta", { index: 0, delta: { type: "text_delta", text: "Hi" } })}${spoken("content_block_stop", { index: 0 })}${spoken("message_delta", { delta: { stop_reason: "max_tokens" }, usage: { output_tokens: 9 } })}${spoken("message_stop")}`;
  const { origin } = await serve((response) => void streams(response, text));
  const relayed = await relay(origin, { codec: messagesCodec() });
  expect(relayed.text).toBe(text);
  expect(relayed.last).toMatchObject({
    type: "response.incomplete",
    response: { usage: { input_tokens: 3, output_tokens: 9 }, incomplete_details: { reason: "max_output_tokens" } },
  });
});

test("on Messages an error is told by the terminal event alone", async () => {
  const { origin } = await serve(sendsText(begun + spoken("error", { error: { type: "overloaded_error", message: "Busy" } })));
  const { text, last } = await relay(origin, { codec: messagesCodec() });
  expect(text).toBe(begun);
  expect(last).toMatchObject({ type: "response.failed", response: { error: { code: "overloaded_error", message: "Busy" } } });
});
