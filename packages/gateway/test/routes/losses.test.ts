import { noUsage, type Loss } from "antiphon";
import { offline } from "antiphon/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createGateway } from "../../src/gateway.ts";
import { lossHeaders } from "../../src/http/losses.ts";
import { startGateway, type Served } from "../../src/node.ts";
import { ask, send, SocketClient } from "../support/client.ts";
import { catalogueOf, startUpstreams, type Upstreams } from "../support/upstreams.ts";

let upstreams: Upstreams;
let served: Served;
beforeAll(async () => {
  upstreams = await startUpstreams();
  served = await startGateway({
    port: 0,
    telemetry: { logs: false },
    cors: { origins: ["https://app.example"] },
    catalogue: {
      ...catalogueOf({ ...upstreams.models, offline: offline() }),
      resolveEmbeddings: () => ({
        name: "vectors",
        model: "vectors",
        provider: "offline",
        embed: (texts) => Promise.resolve({ vectors: texts.map(() => Float32Array.of(1)), usage: noUsage, model: "vectors" }),
        cost: () => undefined,
      }),
    },
  });
});
afterAll(async () => {
  await served.close();
  await upstreams.close();
});

/** The losses that the header of an answer reports; `null` without one. */
const lossesIn = ({ headers }: Response): Loss[] | null => JSON.parse(headers.get("antiphon-losses") ?? "null") as Loss[] | null;

/** The paths of the losses that an answer reports. */
async function pathsOf(path: string, body: object): Promise<string[] | undefined> {
  const response = await send(`${served.url}${path}`, body);
  expect({ status: response.status, body: await response.text() }).toMatchObject({ status: 200 });
  return lossesIn(response)?.map((loss) => loss.path);
}

const user = { role: "user", content: "Hello" };
const search = [{ type: "file_search", vector_store_ids: ["vs_1"] }];

describe.each([false, true])("with stream: %s, the header reports", (stream) => {
  test("a hosted tool that a Chat upstream does not have", async () => {
    const body = { model: "chat", input: "Hello", tools: search, stream };
    const response = await send(`${served.url}/v1/responses`, body);
    await response.text();
    expect(lossesIn(response)).toEqual([{ path: "tools[0]", reason: expect.stringContaining("file_search") as string }]);
  });

  test("an item that an upstream does not know", async () => {
    const input = [user, { type: "configuration_update", settings: {} }];
    expect(await pathsOf("/v1/responses", { model: "chat", input, stream })).toEqual(["input[1]"]);
    expect(await pathsOf("/v1/responses", { model: "messages", input, stream })).toEqual(["input[1]"]);
    expect(await pathsOf("/v1/responses", { model: "gemini", input, stream })).toEqual(["input[1]"]);
  });

  test("an unknown field, unless the upstream is sent it", async () => {
    const body = { input: "Hello", temprature: 1, stream };
    for (const model of ["offline", "chat", "messages", "gemini"])
      expect([model, await pathsOf("/v1/responses", { ...body, model })]).toEqual([model, ["temprature"]]);
    expect(await pathsOf("/openai/v1/responses", { ...body, model: "offline" })).toEqual(["temprature"]);
    // Sent on, and reported by the upstream to the gateway alone.
    expect(await pathsOf("/v1/responses", { ...body, model: "responses" })).toBeUndefined();
  });

  test("losses of Chat clients under the names of their API", async () => {
    const body = { messages: [user], stream };
    expect(await pathsOf("/v1/chat/completions", { ...body, model: "offline", temprature: 1 })).toEqual(["temprature"]);
    expect(await pathsOf("/v1/chat/completions", { ...body, model: "messages", seed: 1, verbosity: "low" })).toEqual([
      "seed",
      "verbosity",
    ]);
  });

  test("losses of Messages clients under the names of their API", async () => {
    const content = [
      { type: "container_upload", file_id: "file_1" },
      { type: "text", text: "Hello" },
    ];
    const body = { max_tokens: 50, messages: [{ role: "user", content }], top_k: 5, stream };
    expect(await pathsOf("/v1/messages", { ...body, model: "chat" })).toEqual(expect.arrayContaining(["top_k", "messages"]));
    expect(await pathsOf("/v1/messages", { ...body, model: "messages" })).toBeUndefined();
  });

  test("nothing, if all of a request has an effect", async () => {
    for (const model of Object.keys(upstreams.models))
      expect([model, await pathsOf("/v1/responses", { model, input: "Hello", stream })]).toEqual([model, undefined]);
  });

  test("positions in the input only if the client sent that input", async () => {
    const { id } = await ask(`${served.url}/v1/responses`, { model: "offline", input: "Hello" });
    const input = [{ type: "configuration_update" }, user];
    expect(await pathsOf("/v1/responses", { model: "chat", previous_response_id: id, input, stream })).toEqual(["input"]);
  });
});

test("every kind of upstream reads a part of type `text`", async () => {
  const input = [{ role: "user", content: [{ type: "text", text: "What is 6 * 7?" }] }];
  for (const model of Object.keys(upstreams.models)) {
    const response = await send(`${served.url}/v1/responses`, { model, input });
    expect({ model, losses: lossesIn(response), text: await response.text() }).toEqual({
      model,
      losses: null,
      text: expect.stringContaining("42") as string,
    });
  }
});

test("the header reports losses also if the answer passes unread", async () => {
  const acme = { wire: "chat", baseUrl: `${served.url}/v1`, apiKey: "none", relay: true } as const;
  const front = await startGateway({ port: 0, providers: { acme }, models: { it: "acme:offline" }, telemetry: { logs: false } });
  for (const stream of [false, true]) {
    const body = { model: "it", messages: [user], temprature: 1, stream };
    const response = await send(`${front.url}/v1/chat/completions`, body);
    expect(await response.text()).toContain("Hello");
    expect(lossesIn(response)?.map(({ path }) => path)).toEqual(["temprature"]);
  }
  await front.close();
});

describe("the header reports unknown fields", () => {
  test.each([
    ["/v1/embeddings", { input: "Hello", normalise: true }, "normalise"],
    ["/v1/conversations", { itmes: [] }, "itmes"],
    ["/v1/responses/compact", { model: "offline", input: [user], temprature: 1 }, "temprature"],
    ["/v1/responses/input_tokens", { model: "offline", inptu: "Hello" }, "inptu"],
    ["/v1/messages/count_tokens", { model: "offline", messages: [user], sytem: "" }, "sytem"],
  ])("of %s", async (path, body, field) => {
    expect(await pathsOf(path, body)).toEqual([field]);
  });

  test("of a conversation that is changed or grows", async () => {
    const { id } = await ask(`${served.url}/v1/conversations`, {});
    expect(await pathsOf(`/v1/conversations/${id}`, { metadata: {}, name: "a" })).toEqual(["name"]);
    expect(await pathsOf(`/v1/conversations/${id}/items`, { items: [user], after: "a" })).toEqual(["after"]);
  });

  test("but not those that are null", async () => {
    expect(await pathsOf("/v1/embeddings", { input: "Hello", normalise: null })).toBeUndefined();
    expect(await pathsOf("/v1/responses", { model: "offline", input: "Hello", temprature: null })).toBeUndefined();
  });
});

describe.each(["/v1/responses", "/openai/v1/responses"])("on a WebSocket at %s", (path) => {
  test("the first message of a response reports its losses", async () => {
    const socket = await new SocketClient(`${served.url}${path}`).open();
    const [first, ...rest] = await socket.turn({ model: "chat", input: "Hello", tools: search, temprature: 1 });
    const [clean] = await socket.turn({ model: "chat", input: "Hello" });
    socket.close();
    expect(first).toMatchObject({
      type: "response.created",
      "antiphon:losses": expect.arrayContaining([
        { path: "temprature", reason: expect.any(String) as string },
        { path: "tools[0]", reason: expect.any(String) as string },
      ]) as object,
    });
    expect([clean, ...rest].filter((message) => message && "antiphon:losses" in message)).toEqual([]);
  });
});

describe("the header", () => {
  test("may be read by pages in a browser", async () => {
    const headers = { origin: "https://app.example" };
    const response = await send(`${served.url}/v1/responses`, { model: "offline", input: "Hello" }, headers);
    expect(response.headers.get("access-control-expose-headers")).toContain("antiphon-losses");
  });

  test("is ASCII on one line, whatever a field is called", async () => {
    const gateway = await createGateway({ telemetry: { logs: false } });
    const name = "söme\r\nset-cookie: a=b\u0000\u007f😀";
    const body = JSON.stringify({ model: "offline", input: "Hello", [name]: 1 });
    const response = await gateway(new Request("http://localhost/v1/responses", { method: "POST", body }));
    expect(response.headers.get("antiphon-losses")).toMatch(/^[ -~]+$/);
    expect(lossesIn(response)).toMatchObject([{ path: name }]);
    await gateway.close();
  });

  test("is at most 2,100 characters long, and says how many losses are missing", async () => {
    const losses = Array.from({ length: 500 }, (_, index) => ({ path: "x".repeat(index), reason: "ü".repeat(index) }));
    const header = lossHeaders(losses)?.["antiphon-losses"] ?? "";
    expect(header.length).toBeLessThan(2_100);
    const shown = JSON.parse(header) as Loss[];
    expect(shown.at(-1)).toEqual({ path: "*", reason: `${500 - shown.length + 1} more` });
    const fields = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`field_${index}`, 1]));
    expect(await pathsOf("/v1/embeddings", { input: "Hello", ...fields })).toContain("*");
  });
});
