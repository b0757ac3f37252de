import { Ajv2020 } from "ajv/dist/2020.js";
import { noUsage, type Respond } from "antiphon";
import { offline } from "antiphon/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startGateway, type Served } from "../../src/node.ts";
import { openapi } from "../../src/routes/openapi.ts";
import { ask, send, SocketClient } from "../support/client.ts";
import { catalogueOf } from "../support/upstreams.ts";
import { badChats, badMessages, badOthers, badResponses, type BadBody } from "./support/bad-bodies.ts";
import { clientBodies } from "./support/client-bodies.ts";

let served: Served;
let conversation: string;
let calls = 0;
/** Gives one answer to everything. */
const counted: Respond = (_, call) => {
  calls += 1;
  return offline()({ input: "Hi" }, call);
};

beforeAll(async () => {
  served = await startGateway({
    port: 0,
    telemetry: { logs: false },
    catalogue: {
      ...catalogueOf({ offline: counted }),
      resolveEmbeddings: () => ({
        name: "vectors",
        model: "vectors",
        provider: "offline",
        embed: (texts) => Promise.resolve({ vectors: texts.map(() => Float32Array.of(1)), usage: noUsage, model: "vectors" }),
        cost: () => undefined,
      }),
    },
  });
  conversation = (await ask(`${served.url}/v1/conversations`, {})).id;
});
afterAll(() => served.close());

const pathOf = (route: string): string => (route.split(" ")[1] ?? "").replace(":id", conversation);

/** Sends a body; returns the answer as the client reads it. */
async function post(route: string, body: object): Promise<{ status: number; headers: Headers; value: Record<string, unknown> }> {
  const response = await send(`${served.url}${pathOf(route)}`, body);
  const text = await response.text();
  return { status: response.status, headers: response.headers, value: text.startsWith("{") ? JSON.parse(text) : {} };
}

const openaiRoutes: readonly (readonly [route: string, type: string, bodies: readonly BadBody[]])[] = [
  ["POST /v1/responses", "invalid_request", badResponses],
  ["POST /openai/v1/responses", "invalid_request_error", badResponses],
  ["POST /v1/chat/completions", "invalid_request_error", badChats],
  ["POST /openai/v1/chat/completions", "invalid_request_error", badChats],
  ...Object.entries(badOthers).map(([route, bodies]) => [route, "invalid_request", bodies] as const),
];

describe.each(openaiRoutes)("%s rejects", (route, type, bodies) => {
  test.each(bodies)("%s", async (_, body, param, message) => {
    const before = calls;
    const { status, value } = await post(route, param === "model" ? body : { model: "offline", ...body });
    const error = { type, param, code: "invalid_request", message: expect.stringContaining(message) as string };
    expect({ status, value }).toEqual({ status: 400, value: { error } });
    expect(calls).toBe(before);
  });
});

describe.each(["POST /v1/messages", "POST /v1/messages/count_tokens"])("%s rejects", (route) => {
  test.each(badMessages)("%s", async (_, body, param, message) => {
    const before = calls;
    const { status, value } = await post(route, { model: "offline", ...body });
    expect({ status, value }).toMatchObject({
      status: 400,
      value: {
        type: "error",
        error: { type: "invalid_request_error", message: expect.stringContaining(message) as string, details: { param } },
      },
    });
    expect(calls).toBe(before);
  });
});

describe.each(["/v1/responses", "/openai/v1/responses"])("a WebSocket at %s rejects", (path) => {
  // Only OpenAI's own clients may say on a WebSocket that they want a stream.
  const bodies = path === "/v1/responses" ? badResponses.filter(([, , param]) => param !== "stream") : badResponses;
  test.each(bodies)("%s", async (_, body, param, message) => {
    const before = calls;
    const socket = await new SocketClient(`${served.url}${path}`).open();
    const told = await socket.turn({ model: "offline", ...body });
    socket.close();
    expect(told).toMatchObject([
      { type: "error", status: 400, error: { param, message: expect.stringContaining(message) as string } },
    ]);
    expect(calls).toBe(before);
  });
});

describe("the body of a client is accepted", () => {
  test.each(Object.entries(clientBodies))("%s", async (_, { route, body }) => {
    const { status, value } = await post(route, body);
    expect({ status, error: value["error"] ?? undefined }).toEqual({ status: 200 });
  });
});

describe("an error about a body", () => {
  test("does not show the value of a field, which may be a key", async () => {
    const secret = "sk-0123456789abcdef";
    const bodies = [
      { input: "Hi", tools: [{ type: "mcp", server_label: "a", headers: secret }] },
      { input: "Hi", tools: [{ type: "mcp", server_label: "a", authorization: { token: secret } }] },
      { input: "Hi", metadata: { a: secret.repeat(100) } },
      { input: "Hi", max_output_tokens: secret },
    ];
    for (const body of bodies) expect(JSON.stringify((await post("POST /v1/responses", body)).value)).not.toContain(secret);
  });

  test("is short, however large the body and its names are", async () => {
    const long = "x".repeat(1_000_000);
    const bodies = [
      { input: "Hi", tool_choice: long },
      { input: "Hi", metadata: { [long]: 5 } },
      { input: "Hi", [long]: 1, max_output_tokens: 0 },
      { [long]: "Hi" },
    ];
    for (const body of bodies) {
      const { status, value } = await post("POST /v1/responses", body);
      expect({ status, length: JSON.stringify(value).length < 1_000 }).toEqual({ status: 400, length: true });
    }
  });

  test("names an item behind tens of thousands of good ones", async () => {
    const input = Array.from({ length: 50_000 }, () => ({ role: "user", content: [{ type: "input_text", text: "Hi" }] }));
    const { value } = await post("POST /v1/responses", { input: [...input, { role: "wizard", content: "" }] });
    expect(value).toMatchObject({ error: { param: "input[50000].role" } });
  });
});

describe("the OpenAPI description", () => {
  const document = openapi() as { paths: Record<string, Record<string, { requestBody?: object }>> };
  const ajv = new Ajv2020({ strict: false, logger: false }).addSchema(document, "gateway");
  const accepts = (route: string, body: object): boolean => {
    const [, path = ""] = route.split(" ");
    const steps = ["paths", path.replaceAll(/:(\w+)/g, "{$1}"), "post", "requestBody", "content", "application/json", "schema"];
    const pointer = steps.map((step) => encodeURIComponent(step.replaceAll("/", "~1"))).join("/");
    return ajv.validate({ $ref: `gateway#/${pointer}` }, JSON.parse(JSON.stringify(body)));
  };

  test("accepts the bodies that the gateway accepts", () => {
    const rejected = Object.entries(clientBodies).filter(([, { route, body }]) => !accepts(route, body));
    expect(rejected.map(([what]) => what)).toEqual([]);
  });

  test("rejects the bodies that the gateway rejects", () => {
    const tables = [...openaiRoutes, ["POST /v1/messages", "", badMessages] as const];
    const accepted = tables.flatMap(([route, , bodies]) =>
      bodies.filter(([, body]) => accepts(route, body)).map(([what]) => `${route}: ${what}`),
    );
    expect(accepted).toEqual([]);
  });

  test("describes no body that is not checked", async () => {
    const bodies = Object.entries(document.paths).filter(([, { post }]) => post?.requestBody);
    expect(bodies.length).toBeGreaterThan(15);
    for (const [path] of bodies) {
      const { status, value } = await post(`POST ${path.replace("{id}", ":id")}`, {
        input: 5,
        messages: 5,
        items: 5,
        metadata: 5,
      });
      expect({ path, status, value: JSON.stringify(value) }).toEqual({
        path,
        status: 400,
        value: expect.stringMatching(/`(?:input|messages|items|metadata)` must be .+, not 5\./),
      });
    }
  });
});
