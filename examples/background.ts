// A background response: its stream is complete even if every connection breaks, and another process can resume it.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { background, collect, provider, text, type JobSnapshot, type ResponseEvent } from "antiphon";
import { offline } from "antiphon/testing";

// A faulty server: it closes each connection after six events.
const input = "Repeat after me: the night is long, and the sea is wide and deep.";
const job: ResponseEvent[] = [];
for await (const event of offline()({ input })) job.push(event);
const server = createServer((request, response) => {
  const after = new URL(request.url!, "http://localhost").searchParams.get("starting_after") ?? -1;
  const rest = job.filter(({ sequence_number }) => sequence_number > Number(after)).slice(0, 6);
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(rest.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
}).listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;

const jobs = background(provider("open-responses", { baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: "none" }), {
  retry: { minDelay: 1 },
});

let connections = 1;
let saved = "";
const stream = jobs.stream({ input });
for await (const event of stream) {
  if (event.type === "antiphon:retry") connections += 1;
  if (event.sequence_number < 15) continue;
  // A snapshot is JSON, so you can store it anywhere.
  saved = JSON.stringify(stream.snapshot());
  break;
}
console.log(`stopped after ${connections} connections`);

const rest = jobs.follow(JSON.parse(saved) as JobSnapshot);
console.log(text(await collect(rest)));
server.close();

// Prints:
//   stopped after 3 connections
//   the night is long, and the sea is wide and deep.
