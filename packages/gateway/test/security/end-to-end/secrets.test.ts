import { readdir, readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Writable } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ModelsConfig } from "../../../src/models/models-config.ts";
import { runs } from "../../../../antiphon/test/support/runs.ts";
import { SocketClient, type Told } from "../../support/client.ts";
import { ask, keyOf, serve, storeInFolder } from "./support/gateways.ts";

/** None of these looks like anybody's key: only who knows them can tell that they are secret. */
const canaries = {
  key: "canary.providerkey.aaaaaaaaaaaa",
  header: "canary.header.bbbbbbbbbbbb",
  query: "canary.query.cccccccccccc",
  name: "canaryuser-dddddddddddd",
  password: "canarypassword-eeeeeeeeeeee",
  cookie: "canary.cookie.ffffffffffff",
  client: "canary.client.gggggggggggg",
};

/** All that a request carried, in words. */
const echo = ({ url, headers }: IncomingMessage): string => `You sent ${url} with ${JSON.stringify(headers)}`;

const frames = (...values: object[]): string =>
  values.map((value) => `event: ${(value as { type?: string }).type}\ndata: ${JSON.stringify(value)}\n\n`).join("");

type Blab = (told: string, response: ServerResponse) => void;
const refusal =
  (status: number): Blab =>
  (told, response) =>
    response.writeHead(status, { "content-type": "application/json", "x-echo": encodeURIComponent(told).slice(0, 2_000) }).end(
      JSON.stringify({
        type: "error",
        error: { message: told, code: told.slice(0, 300), type: told.slice(0, 300), param: told, status: told },
      }),
    );
const stream =
  (text: (told: string) => string): Blab =>
  (told, response) =>
    response.writeHead(200, { "content-type": "text/event-stream" }).end(text(told));

const chunk = `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta: { content: "Hm" } }] })}\n\n`;

/** How a server repeats what it was sent, by the model that it is asked for. */
const blabs: Readonly<Record<string, Blab>> = {
  refuses: refusal(400),
  "wants-another-key": refusal(401),
  forbids: refusal(403),
  "has-nothing": refusal(404),
  "is-busy": refusal(429),
  breaks: refusal(500),
  mumbles: (told, response) => response.writeHead(200, { "content-type": "text/html" }).end(`<html>${told}`),
  moves: (told, response) => response.writeHead(302, { location: `http://127.0.0.1:1/?${told}` }).end(told),
  "fails-late": stream((message) =>
    frames(
      {
        type: "response.created",
        sequence_number: 0,
        response: { id: "r", object: "response", status: "in_progress", output: [] },
      },
      { type: "error", code: "server_error", message, param: message, error: { type: "api_error", code: message, message } },
    ),
  ),
  "fails-whole": stream((message) =>
    frames({
      type: "response.failed",
      sequence_number: 0,
      response: { id: "r", object: "response", status: "failed", output: [], error: { code: message, message } },
    }),
  ),
  "fails-late-in-chat": stream(
    (message) => `${chunk}data: ${JSON.stringify({ error: { message, code: message, type: message } })}\n\n`,
  ),
  "fails-late-in-messages": stream((message) =>
    frames(
      {
        type: "message_start",
        message: { id: "m", role: "assistant", content: [], model: "m", usage: { input_tokens: 1, output_tokens: 1 } },
      },
      { type: "error", error: { type: message, message } },
    ),
  ),
  "talks-nonsense": stream((told) => `data: {${told}\n\n`),
};

/** A server that repeats all that it is sent. */
async function parrot(): Promise<number> {
  const server = createServer((request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = "";
    for await (const piece of request) body += String(piece);
    const name =
      /[\w-]+(?=:\w*[gG]enerate)/.exec(request.url ?? "")?.[0] ?? (JSON.parse(body || "{}") as { model?: string }).model;
    (blabs[name ?? ""] ?? refusal(500))(echo(request), response);
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => server.close().closeAllConnections());
  return (server.address() as AddressInfo).port;
}

const wires = ["responses", "chat", "messages", "gemini"] as const;

/** Streams that pass unread are those of servers that keep to their wire. */
const relayed: Readonly<Record<string, readonly string[]>> = {
  "responses-relay": ["refuses", "breaks", "fails-late", "fails-whole"],
  "chat-relay": ["refuses", "breaks", "fails-late-in-chat"],
  "messages-relay": ["refuses", "breaks", "fails-late-in-messages"],
};

/** How the failures of other wires are read differs little from one to the next: a few of each will do most of the time. */
const translated: Readonly<Record<string, readonly string[]>> = {
  chat: ["refuses", "mumbles", "fails-late-in-chat"],
  messages: ["breaks", "talks-nonsense", "fails-late-in-messages"],
  gemini: ["refuses", "talks-nonsense", "fails-late"],
};

function configOf(port: number): ModelsConfig {
  const provider = (wire: (typeof wires)[number], relay: boolean) => ({
    wire,
    relay,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    apiKey: canaries.key,
    headers: { "x-extra": canaries.header },
    query: { extra: canaries.query },
  });
  const nowhere = {
    wire: "chat" as const,
    baseUrl: `http://${canaries.name}:${canaries.password}@127.0.0.1:1/v1`,
    apiKey: canaries.key,
  };
  const names = [...wires, ...Object.keys(relayed)];
  const selected = process.env["ANTIPHON_SOAK"] ? relayed : { ...relayed, ...translated };
  return {
    providers: {
      nowhere,
      ...Object.fromEntries(names.map((name) => [name, provider(name.replace("-relay", "") as "chat", name.endsWith("relay"))])),
    },
    models: {
      nowhere: { use: "nowhere:x", retries: 0 },
      ...Object.fromEntries(
        names.flatMap((name) =>
          (selected[name] ?? Object.keys(blabs)).map((blab) => [`${name}/${blab}`, { use: `${name}:${blab}`, retries: 0 }]),
        ),
      ),
    },
  };
}

/** Everything in the files of a folder. */
async function filesOf(folder: string): Promise<string> {
  const names = await readdir(folder);
  return (await Promise.all(names.map((name) => readFile(join(folder, name), "latin1")))).join("");
}

describe("secrets", () => {
  test("come out nowhere, whatever the models repeat of what they were sent", { timeout: runs(60_000, 600_000) }, async () => {
    const { store, folder } = await storeInFolder();
    const { secret, bearer } = await keyOf(store);
    let logged = "";
    const to = new Writable({ write: (piece, _, done) => ((logged += String(piece)), done()) });
    const config = configOf(await parrot());
    const { url, gateway } = await serve({
      ...config,
      store,
      telemetry: { logs: { level: "debug", content: true, to, format: "json" } },
    });
    const headers = { ...bearer, cookie: canaries.cookie, "x-client": canaries.client, "openai-organization": canaries.client };
    const told: Record<string, string> = {};
    const note = async (what: string, route: string, body?: object): Promise<string> =>
      (told[what] = JSON.stringify(await ask(url, route, headers, body)));
    const models = Object.keys(config.models!);
    const provoke = async (model: string): Promise<void> => {
      const chat = { model, max_tokens: 9, messages: [{ role: "user", content: "Hi" }] };
      for (const streamed of [false, true]) {
        const how = `${model}, ${streamed ? "streamed" : "plain"}`;
        await note(`${how}, strict`, "POST /v1/responses", { model, input: "Hi", stream: streamed });
        await note(`${how}, openai`, "POST /openai/v1/responses", { model, input: "Hi", stream: streamed });
        await note(`${how}, chat`, "POST /v1/chat/completions", { ...chat, stream: streamed });
        await note(`${how}, messages`, "POST /v1/messages", { ...chat, stream: streamed });
      }
      await note(`${model}, compaction`, "POST /v1/responses/compact", { model, input: "Hi" });
      await note(`${model}, embeddings`, "POST /v1/embeddings", { model, input: "Hi" });
      const { id } = JSON.parse(
        (await ask(url, "POST /v1/responses", headers, { model, input: "Hi", background: true })).text,
      ) as Told;
      await note(`${model}, followed`, `GET /v1/responses/${id}?stream=true`);
      await note(`${model}, background`, `GET /v1/responses/${id}`);
    };
    await Promise.all(models.map(provoke));
    const socket = await new SocketClient(`${url}/v1/responses`, headers).open();
    for (const model of models) {
      const turn = await socket.turn({ model, input: "Hi" });
      expect({ model, ends: turn.filter(({ type }) => type === "error" || type === "response.failed").length }).toEqual({
        model,
        ends: 1,
      });
      told[`${model}, socket`] = JSON.stringify(turn);
    }
    socket.close();
    for (const model of models) expect(told[`${model}, background`]).toContain('\\"status\\":\\"failed\\"');
    for (const route of ["GET /metrics", "GET /openapi.json", "GET /readyz", "GET /v1/models"]) await note(route, route);
    expect(told["GET /metrics"]).toContain('"status":200');
    expect(logged).toContain("request rejected");
    await gateway.close();
    told["logs"] = logged;
    told["files"] = await filesOf(folder);
    expect(told["files"]).toContain("resp_");
    const leaks = Object.entries(told).flatMap(([what, text]) =>
      Object.entries({ ...canaries, secret }).flatMap(([name, canary]) => (text.includes(canary) ? [`${what}: ${name}`] : [])),
    );
    expect(leaks).toEqual([]);
  });
});
