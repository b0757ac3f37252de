import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { createGateway, type Gateway } from "../../src/gateway.ts";
import { Puppet, type PuppetCall } from "../runs/support/puppet.ts";
import { eventsIn } from "../support/client.ts";
import { catalogueOf } from "../support/upstreams.ts";

const comment = ":\n\n";
const puppet = new Puppet();
let gateway: Gateway;
afterEach(() => gateway.close());

async function open(heartbeat: number): Promise<void> {
  gateway = await createGateway({ store: "memory", catalogue: catalogueOf({ it: puppet.respond }), limits: { heartbeat } });
}

const ask = (path: string, body?: object): Promise<Response> =>
  gateway(
    new Request(`http://localhost/v1${path}`, {
      method: body ? "POST" : "GET",
      headers: { "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }),
  );

/** Asks for a stream whose model says one word, and no more yet. */
async function begin(path: string, body: object): Promise<{ call: PuppetCall; stream: ReadableStream<Uint8Array> }> {
  const asked = ask(path, { model: "it", stream: true, ...body });
  const call = await puppet.next();
  call.say("Well, ");
  return { call, stream: (await asked).body! };
}

/** All that a client hears; `heard` is told after every piece. */
async function listen(stream: ReadableStream<Uint8Array>, heard: (text: string) => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of stream) heard((text += decoder.decode(bytes)));
  return text;
}

const finish = (call: PuppetCall): void => call.say("yes.").finish();

test("a stream that has nothing to say tells that it is there, and only its client", async () => {
  await open(10);
  const { call, stream } = await begin("/responses", { input: "Think." });
  const text = await listen(stream, (heard) => heard.endsWith(comment.repeat(3)) && finish(call));
  const events = eventsIn(text.replaceAll(comment, ""));
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  expect(events.at(-1)?.type).toBe("response.completed");
  const again = await (await ask(`/responses/${events[0]!.response.id}?stream=true`)).text();
  expect(eventsIn(again)).toEqual(events);
});

test.each([
  ["/chat/completions", { messages: [{ role: "user", content: "Think." }] }],
  ["/messages", { max_tokens: 100, messages: [{ role: "user", content: "Think." }] }],
])("so it does at %s", async (path, body) => {
  await open(10);
  const { call, stream } = await begin(path, body);
  expect(await listen(stream, (heard) => heard.endsWith(comment.repeat(3)) && finish(call))).toContain("yes.");
});

test("a stream that speaks needs none", async () => {
  await open(400);
  const { call, stream } = await begin("/responses", { input: "Talk." });
  const text = listen(stream, () => {});
  for (let word = 0; word < 20; word += 1) {
    await sleep(50);
    call.say("and ");
  }
  call.finish();
  expect(await text).not.toContain(comment);
});

test("with 0 there is none", async () => {
  await open(0);
  const { call, stream } = await begin("/responses", { input: "Think." });
  const text = listen(stream, () => {});
  await sleep(60);
  finish(call);
  expect(await text).not.toContain(comment);
});
