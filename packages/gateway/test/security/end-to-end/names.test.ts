import { request } from "node:http";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Respond } from "antiphon";
import { offline } from "antiphon/testing";
import { afterEach, describe, expect, test } from "vitest";
import { parseJson } from "../../../src/http/read-json.ts";
import { SocketClient } from "../../support/client.ts";
import { startUpstreams, catalogueOf } from "../../support/upstreams.ts";
import { ask, keyOf, serve, storeInFolder } from "./support/gateways.ts";

const models = { models: { offline: "offline" } };

/** Asks for a path as it stands: `fetch` would tidy it first. */
async function statusOf(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<number | undefined> {
  const { hostname, port } = new URL(url);
  const asked = request({ hostname, port, method, path, headers });
  asked.end(method === "POST" ? "{}" : undefined);
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

describe("a path", () => {
  test.each([
    ["/v1/../v1/models", 404],
    ["/./v1/models", 404],
    ["/v1/%2e%2e/v1/models", 404],
    ["/v1/..;/models", 404],
    ["/v1%2fmodels", 404],
    ["/%76%31/models", 404],
    ["/V1/models", 404],
    ["/v1/models%00", 404],
    ["/v1\\models", 404],
    ["http://localhost/v1/nothing", 404],
    ["*", 404],
    ["/v1/models/offline%2f..%2f", 404],
    ["/v1/responses/%ff%fe", 404],
    ["/v1/responses/%", 404],
    ["/v1/responses/%00", 404],
    ["/v1/responses/%ed%a0%80", 404],
    ["/v1/responses/r%C3%A9sp", 404],
    ["/v1/responses/..%2f..%2fetc%2fpasswd", 404],
    ["/v1/responses/resp_1'%20OR%20'1'='1", 404],
    ["/v1/responses/__proto__", 404],
    ["/v1/responses/constructor", 404],
    ["/v1/responses/hasOwnProperty/input_items", 404],
    ["/v1/conversations/__proto__/items/__proto__", 404],
    ["/__proto__", 404],
    ["/constructor", 404],
    ["/v1/__proto__", 404],
    ["/v1/models/__proto__", 404],
    ["/v1/models/toString", 404],
    [`/v1/responses/${"x".repeat(20_000)}`, 404],
    [`/v1/conversations/${"%F0%9F%98%80".repeat(1_000)}`, 404],
    [`/${"a/".repeat(10_000)}`, 404],
    [`/v1/responses/resp_1?${"a=b&".repeat(10_000)}`, 404],
    ["/v1/responses/resp_1?limit=__proto__&stream[]=true&stream=true&stream=false", 404],
  ])("that is no route, or leads to nothing, is told so: %s", async (path, status) => {
    const { url } = await serve(models);
    expect(await statusOf(url, "GET", path)).toBe(status);
    expect(await statusOf(url, "GET", "/healthz")).toBe(200);
  });

  test("is no way around the keys, however it is written", async () => {
    const { store } = await storeInFolder();
    const { bearer } = await keyOf(store);
    const { url } = await serve({ ...models, store });
    for (const path of ["//v1/models", "/v1//models", "/v1/models/", "//v1//models//", "/v1/models?", "/v1/models/offline"]) {
      expect({ path, status: await statusOf(url, "GET", path) }).toEqual({ path, status: 401 });
      expect({ path, status: await statusOf(url, "GET", path, bearer) }).toEqual({ path, status: 200 });
    }
  });
});

const odd = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "\u0000",
  "\ud800",
  "\udc00x",
  "😀",
  "",
  " ",
  "../..",
  "x".repeat(5_000),
  "'; DROP TABLE responses; --",
  "%s%n",
  "${7*7}",
  "\r\nx-a: 1",
];

test("nothing that is read has a prototype of its own, however that is spelt", () => {
  for (const name of ["__proto__", "\\u005f_proto__", "__prot\\u006F__", "\\u005F\\u005f\\u0070\\u0072\\u006f\\u0074\\u006f__"]) {
    const read = parseJson(`{"a":[{"${name}":{"b":1},"c":"${name}"}]}`) as { a: object[] };
    expect({ name, fields: Object.keys(read.a[0]!) }).toEqual({ name, fields: ["c"] });
    expect(Object.assign({}, read.a[0])).not.toHaveProperty("b");
  }
});

describe("names that mean something elsewhere", () => {
  const fresh = {};
  afterEach(() => {
    if ("polluted" in fresh) throw new Error("the prototype of all objects was changed");
  });

  const polluting = '{"polluted":"yes"}';
  const bodies: readonly [string, string][] = [
    ["the body", `{"model":"offline","input":"Hi","__proto__":${polluting},"constructor":{"prototype":${polluting}}}`],
    ["the metadata", `{"model":"offline","input":"Hi","metadata":{"__proto__":"a","constructor":"b","toString":"c"}}`],
    ["an item", `{"model":"offline","input":[{"role":"user","content":"Hi","__proto__":${polluting}}]}`],
    [
      "a part",
      `{"model":"offline","input":[{"role":"user","content":[{"type":"input_text","text":"Hi","__proto__":${polluting}}]}]}`,
    ],
    [
      "a tool",
      `{"model":"offline","input":"Hi","tools":[{"type":"function","name":"__proto__","parameters":{"__proto__":${polluting},"type":"object","properties":{"__proto__":{"type":"string"}}}}]}`,
    ],
    [
      "the choice of a tool",
      `{"model":"offline","input":"Hi","tools":[{"type":"function","name":"constructor"}],"tool_choice":{"type":"function","name":"constructor"}}`,
    ],
    [
      "the text",
      `{"model":"offline","input":"Hi","text":{"format":{"type":"json_schema","name":"__proto__","schema":{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}},"required":["__proto__"]}}}}`,
    ],
    ["the prompt", `{"model":"offline","input":"Hi","prompt":{"id":"__proto__","variables":{"__proto__":${polluting}}}}`],
  ];

  test.each(bodies)("change nothing in %s, whichever wire the model speaks", async (_, body) => {
    const upstreams = await startUpstreams();
    const { url } = await serve({ catalogue: catalogueOf(upstreams.models) });
    for (const model of Object.keys(upstreams.models)) {
      const { status, text } = await ask(url, "POST /openai/v1/responses", {}, body.replace("offline", model));
      expect({ model, status: status < 500 ? "fine" : text }).toEqual({ model, status: "fine" });
    }
    await upstreams.close();
  });

  const fields: Readonly<Record<string, (name: string) => object>> = {
    previous_response_id: (name) => ({ previous_response_id: name }),
    conversation: (name) => ({ conversation: name }),
    "conversation.id": (name) => ({ conversation: { id: name } }),
    model: (name) => ({ model: name }),
    "input[].type": (name) => ({ input: [{ type: name, id: "x" }] }),
    "input[].id": (name) => ({ input: [{ role: "user", content: "Hi", id: name }] }),
    "input[].role": (name) => ({ input: [{ role: name, content: "Hi" }] }),
    "input[].content[].type": (name) => ({ input: [{ role: "user", content: [{ type: name, text: "Hi" }] }] }),
    item_reference: (name) => ({ input: [{ type: "item_reference", id: name }] }),
    call_id: (name) => ({
      input: [
        { type: "function_call", call_id: name, name: "f", arguments: "{}" },
        { type: "function_call_output", call_id: name, output: "1" },
      ],
    }),
    "function_call.name": (name) => ({
      input: [
        { type: "function_call", call_id: "c", name, arguments: "{}" },
        { type: "function_call_output", call_id: "c", output: "1" },
      ],
    }),
    "tools[].name": (name) => ({ tools: [{ type: "function", name }] }),
    "tools[].type": (name) => ({ tools: [{ type: name, name: "f" }] }),
    tool_choice: (name) => ({ tool_choice: name }),
    "tool_choice.type": (name) => ({ tool_choice: { type: name } }),
    "text.format.type": (name) => ({ text: { format: { type: name } } }),
    "reasoning.effort": (name) => ({ reasoning: { effort: name } }),
    truncation: (name) => ({ truncation: name }),
    service_tier: (name) => ({ service_tier: name }),
    include: (name) => ({ include: [name] }),
    metadata: (name) => ({ metadata: { [name]: name } }),
  };

  test("are answered in every field of a request, kept or not, on requests and sockets", { timeout: 60_000 }, async () => {
    const { store } = await storeInFolder();
    const { url } = await serve({ ...models, store });
    const socket = await new SocketClient(`${url}/v1/responses`).open();
    const bad: string[] = [];
    for (const [field, body] of Object.entries(fields))
      for (const name of odd) {
        const asked = { model: "offline", input: "Hi", ...body(name) };
        const { status, text } = await ask(url, "POST /v1/responses", {}, asked);
        const told = JSON.parse(text) as { status?: string; error?: object | null };
        // Either it is refused, or it is kept and can be asked for: never half of both.
        const isFine = status === 200 ? told.status === "completed" : status >= 400 && status < 500 && told.error;
        if (!isFine) bad.push(`${field} ${JSON.stringify(name.slice(0, 20))}: ${status} ${text.slice(0, 400)}`);
        const ended = (await socket.turn(asked)).at(-1);
        const expected = status === 200 ? "response.completed" : "error";
        if (ended?.type !== expected)
          bad.push(`${field} ${JSON.stringify(name.slice(0, 20))}, socket: ${JSON.stringify(ended).slice(0, 200)}`);
      }
    expect(bad).toEqual([]);
    socket.close();
  });

  test("are refused as ids of items before anybody is asked, where they could not be kept", async () => {
    const { store } = await storeInFolder();
    let asked = 0;
    const counting: Respond = (...call) => ((asked += 1), offline()(...call));
    const { url } = await serve({ catalogue: catalogueOf({ offline: counting }), store });
    const { id: conversation } = JSON.parse((await ask(url, "POST /v1/conversations", {}, {})).text) as { id: string };
    for (const stream of [false, true])
      for (const id of ["\ud800", "\0", "x".repeat(5_000)]) {
        const body = { model: "offline", conversation, stream, input: [{ role: "user", content: "Hi", id }] };
        expect({ id, ...(await ask(url, "POST /v1/responses", {}, body)) }).toMatchObject({ id, status: 400 });
        expect({ id, ...(await ask(url, "POST /v1/conversations", {}, { items: body.input })) }).toMatchObject({
          id,
          status: 400,
        });
      }
    expect(asked).toBe(0);
  });
});
