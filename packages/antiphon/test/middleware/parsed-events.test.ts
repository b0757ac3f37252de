import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { Agent } from "../../src/agent/agent.ts";
import { chatCodec } from "../../src/codecs/chat/index.ts";
import { collect } from "../../src/core/collect.ts";
import type { Middleware, Respond } from "../../src/core/respond.ts";
import { text } from "../../src/core/views.ts";
import { cache } from "../../src/middleware/cache.ts";
import { fallback } from "../../src/middleware/fallback.ts";
import { guardrail } from "../../src/middleware/guardrail.ts";
import type { ResponseEvent } from "../../src/model/index.ts";
import { scripted } from "../../src/testing/scripted.ts";
import { connect, type ConnectOptions } from "../../src/transport/connect.ts";
import type { WireUpstream } from "../../src/transport/upstream.ts";
import { answer, failure, quick } from "../faults/support.ts";
import { serve } from "../transport/support/servers.ts";
import { upstreamAt } from "../transport/support/upstream.ts";
import { eventsOf } from "./models.ts";

const relaying: ConnectOptions = { ...quick, retry: { retries: 0 }, relay: true };

/** A server that sends a Responses stream in the form that passes unread. */
const streams =
  (...events: ResponseEvent[]) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const frames = events.map((event) => {
      const whole = event.type.startsWith("response.output_text.") ? { ...event, logprobs: [] } : event;
      return `event: ${event.type}\ndata: ${JSON.stringify(whole)}\n\n`;
    });
    response.end(frames.join(""));
  };

/** A server that sends a Chat stream. */
const chatStreams =
  (...words: string[]) =>
  (response: ServerResponse): void => {
    const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };
    const deltas = words.map((content) => ({ ...chunk, choices: [{ index: 0, delta: { content }, finish_reason: null }] }));
    const last = { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end([...deltas, last].map((value) => `data: ${JSON.stringify(value)}\n\n`).join("") + "data: [DONE]\n\n");
  };

const upstreams = {
  responses: async (): Promise<WireUpstream> => upstreamAt((await serve(streams(...answer("Hel", "lo")))).origin),
  chat: async (): Promise<WireUpstream> => ({
    ...upstreamAt((await serve(chatStreams("Hel", "lo"))).origin),
    codec: chatCodec(),
  }),
};

const typesOf = (events: readonly ResponseEvent[]): string[] => events.map(({ type }) => type);
const isUnparsed = (type: string): boolean => type === "antiphon:wire" || type === "antiphon:run";

describe.each(["responses", "chat"] as const)("a model connected with `relay` (%s)", (wire) => {
  const wraps: [string, Middleware][] = [
    ["cache", cache()],
    ["fallback", fallback([scripted(["unused"])])],
    ["guardrail", guardrail({ output: () => undefined })],
  ];

  test.each(wraps)("is parsed under %s", async (_, wrap) => {
    const respond = wrap(connect(await upstreams[wire](), relaying));
    const events = await eventsOf(respond({ input: "Hi", stream: true }, { runs: true }));
    expect(typesOf(events).filter(isUnparsed)).toEqual([]);
    expect(typesOf(events)).toContain("response.output_text.delta");
  });

  test("is checked by the output guardrail", async () => {
    const refuse = guardrail({ output: (response) => (text(response).includes("Hello") ? "No greetings." : undefined) });
    const events = await eventsOf(refuse(connect(await upstreams[wire](), relaying))({ input: "Hi", stream: true }));
    expect(typesOf(events)).toContain("antiphon:guarded");
  });

  test("answers an agent, given as an upstream or as a function", async () => {
    const upstream = await upstreams[wire]();
    expect((await new Agent({ model: upstream, connect: relaying }).send("Hi")).text).toBe("Hello");
    expect((await new Agent({ model: connect(upstream, relaying) }).send("Hi")).text).toBe("Hello");
  });
});

test("a model that fails after `response.created` is followed by the next although it is connected with `relay`", async () => {
  const { origin } = await serve(streams(...failure("server_error", "Broken.")));
  const respond = fallback([scripted(["From the second"])])(connect(upstreamAt(origin), relaying));
  expect(text(await collect(respond({ input: "Hi", stream: true })))).toBe("From the second");
});

test("callers that share a cached answer all get plain events, whatever the first one chose", async () => {
  // Hashing the requests could let the second caller overtake the first.
  const respond: Respond = cache({ key: () => "same" })(connect(await upstreams.chat(), quick));
  const request = { input: "Hi", stream: true };
  const [first, second] = await Promise.all([eventsOf(respond(request, { runs: true })), eventsOf(respond(request))]);
  expect(typesOf(second)).toContain("antiphon:cached");
  for (const events of [first, second])
    expect(typesOf(events).filter((type) => type === "response.output_text.delta")).toHaveLength(2);
});
