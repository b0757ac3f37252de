import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createGateway, type Gateway } from "../../src/gateway.ts";

const words = Array.from({ length: 100 }, (_, index) => `${index} `);
const chunk = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const answer = `${words.map((content) => chunk({ content })).join("")}${chunk({}, "stop")}data: [DONE]\n\n`;

// A model that says all that it has to say in one go.
let upstream: Server;
let gateway: Gateway;
beforeAll(async () => {
  upstream = createServer((_, response) => response.writeHead(200, { "content-type": "text/event-stream" }).end(answer));
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;
  gateway = await createGateway({ store: "memory", providers: { acme: { wire: "chat", baseUrl } }, models: { it: "acme:m" } });
});
afterAll(async () => {
  await gateway.close();
  upstream.close();
});

const ask = (): Promise<Response> =>
  gateway(
    new Request("http://localhost/v1/responses", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "it", input: "Count.", stream: true }),
    }),
  );

test("the first words leave before what came with them is read", async () => {
  const pieces: string[] = [];
  for await (const bytes of (await ask()).body!) pieces.push(new TextDecoder().decode(bytes));
  expect(pieces[0]).toContain('"delta":"0 "');
  expect(pieces[0]).not.toContain('"delta":"50 "');
  const told = [...pieces.join("").matchAll(/"delta":"([^"]*)"/g)].map(([, delta]) => delta);
  expect(told).toEqual(words);
});

test("where many run, each is told in one go", async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, ask));
  const firsts = await Promise.all(
    answers.map(async ({ body }) => new TextDecoder().decode((await body!.getReader().read()).value)),
  );
  expect(firsts.filter((first) => first.includes('"delta":"50 "')).length).toBeGreaterThan(10);
});
