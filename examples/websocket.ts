// A conversation over one WebSocket: each turn sends only the new items, although the server stores no responses.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { AntiphonError, collect, connectSocket, provider, text, type CreateResponse } from "antiphon";
import { offline } from "antiphon/testing";
import { WebSocketServer } from "ws";

// A server that remembers a conversation as long as the connection is open.
const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
server.on("connection", (socket) => {
  const model = offline();
  const answer = async (message: string): Promise<void> => {
    const { type: _, ...request } = JSON.parse(message) as CreateResponse & { type: string };
    console.log(`> ${JSON.stringify(request.input)}`);
    for await (const event of model({ ...request, store: true })) socket.send(JSON.stringify(event));
  };
  socket.on("message", (data) => void answer(String(data)));
});
await once(server, "listening");
const { port } = server.address() as AddressInfo;

const respond = connectSocket(provider("open-responses", { baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: "none" }));
const first = await collect(respond({ input: "My name is Ada.", store: false }));
const second = await collect(respond({ input: "What is my name?", store: false, previous_response_id: first.id }));
console.log(text(second));

// If the connection closes, the server forgets the conversation, and the client must send all items again.
respond.close();
try {
  await collect(respond({ input: "And now?", store: false, previous_response_id: second.id }));
} catch (error) {
  if (error instanceof AntiphonError) console.log(error.code);
}
server.close();

// Prints:
//   > "My name is Ada."
//   > "What is my name?"
//   Your name is Ada.
//   CHAIN_NOT_FOUND
