import { expect, test } from "vitest";
import { Agent } from "../../src/agent/agent.ts";
import { provider } from "../../src/providers/registry.ts";
import { connectSocket } from "../../src/transport/websocket-connect.ts";
import type { InputItem } from "../../src/model/index.ts";
import { serveSockets } from "../transport/support/socket-server.ts";

const said = (input: unknown): unknown[] => (input as InputItem[]).map((item) => ("content" in item ? item.content : item.type));

async function chatOverSocket() {
  const server = await serveSockets();
  const model = connectSocket(provider("openai:test-model", { apiKey: "k", baseUrl: `${server.origin}/v1` }), {
    fallback: false,
    retry: { retries: 0 },
  });
  const chat = new Agent({ model, store: false }).chat();
  const sent = (): [string | null | undefined, number][] =>
    server.seen.map(({ message }) => [message.previous_response_id, said(message.input).length]);
  return { server, model, chat, sent };
}

test("a chat that stores nothing goes on from what its connection holds", async () => {
  const { server, model, chat, sent } = await chatOverSocket();
  const first = await chat.send("One.");
  await chat.send("Two.");
  expect(sent()).toEqual([
    [undefined, 1],
    [first.steps[0]?.response.id, 1],
  ]);
  expect(said(server.seen[1]!.message.input)).toEqual(["Two."]);
  expect(server.seen.every(({ message }) => message.store === false)).toBe(true);
  model.close();
});

test("a chat whose connection is lost sends all that was said on a new one", async () => {
  const { server, model, chat, sent } = await chatOverSocket();
  await chat.send("One.");
  server.sockets[0]!.terminate();
  await new Promise((resolve) => setTimeout(resolve, 20));
  await chat.send("Two.");
  expect(sent().at(-1)).toEqual([undefined, 3]);
  expect(server.upgrades).toHaveLength(2);
  model.close();
});

test("a fork sends all that was said, since the connection goes on from what only the original knows", async () => {
  const { model, chat, sent } = await chatOverSocket();
  await chat.send("One.");
  const fork = chat.fork();
  await chat.send("Two.");
  await fork.send("Other.");
  expect(sent().at(-1)).toEqual([undefined, 3]);
  model.close();
});
