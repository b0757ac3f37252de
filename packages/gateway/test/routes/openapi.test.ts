import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { AntiphonError, noUsage, type Respond } from "antiphon";
import { offline } from "antiphon/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Models } from "../../src/models/models.ts";
import { startGateway, type Served } from "../../src/node.ts";
import { openapi } from "../../src/routes/openapi.ts";
import { SocketClient } from "../support/client.ts";
import { catalogueOf } from "../support/upstreams.ts";
import { descriptionSchema } from "./openapi-schema.ts";

interface Described {
  operationId: string;
  parameters?: { name: string; in: string }[];
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
  requestBody?: { content: Record<string, { schema: object }> };
}

const description = openapi() as unknown as {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, object> };
};
const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false, discriminator: false });
ajv.addVocabulary(["components", "paths", "info", "openapi", "servers", "security", "tags"]);
ajv.addSchema(description, "gateway");

const known = new Map<string, ValidateFunction>();
/** What the description has against a value; nothing where it is content. */
function complaint(pointer: string, value: unknown): string | undefined {
  const check = known.get(pointer) ?? ajv.compile({ $ref: `gateway#${pointer}` });
  known.set(pointer, check);
  return check(value) ? undefined : `${ajv.errorsText(check.errors)} in ${JSON.stringify(value).slice(0, 500)}`;
}

const escaped = (text: string): string => encodeURIComponent(text.replaceAll("~", "~0").replaceAll("/", "~1"));

/** What the description has against an answer at a route. */
function wrongWith(route: string, status: number, type: string, value: unknown): string | undefined {
  const [method = "", pattern = ""] = route.split(" ");
  const path = pattern.replaceAll(/:(\w+)/g, "{$1}");
  const operation = description.paths[path]?.[method.toLowerCase()];
  const place = operation?.responses[status] ? String(status) : "default";
  if (!operation?.responses[place]?.content?.[type]) return `${route} has no ${status} ${type}`;
  const pointer = ["paths", path, method.toLowerCase(), "responses", place, "content", type, "schema"];
  return complaint(`/${pointer.map(escaped).join("/")}`, value);
}

describe("the description", () => {
  test("is a lawful document of OpenAPI 3.1", () => {
    const check = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(descriptionSchema);
    expect(check(description) ? [] : check.errors).toEqual([]);
  });

  test("has no schema that a strict validator would not compile, or that takes anything", () => {
    const names = Object.keys(description.components.schemas);
    expect(names.filter((name) => complaint(`/components/schemas/${name}`, null) === undefined)).toEqual([]);
  });

  test("uses every schema, and has every schema that it uses", () => {
    const refs = [...JSON.stringify(description).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!);
    expect([...new Set(refs)].toSorted()).toEqual(Object.keys(description.components.schemas).toSorted());
  });

  test("names every operation once, and every parameter of its path", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, operation } of operations) {
      const named = (operation.parameters ?? []).filter((one) => one.in === "path").map(({ name }) => name);
      expect(named).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    }
  });
});

describe("a gateway", () => {
  let served: Served;
  const resolveEmbeddings: Models["resolveEmbeddings"] = () => ({
    name: "vectors",
    model: "vectors",
    provider: "offline",
    embed: (texts) => Promise.resolve({ vectors: texts.map(() => Float32Array.of(0.5, -1)), usage: noUsage, model: "vectors" }),
    cost: () => undefined,
  });
  const refusing: Respond = () => {
    throw new AntiphonError("RATE_LIMIT", "Too many.");
  };
  beforeAll(async () => {
    const telemetry = { logs: false } as const;
    served = await startGateway({
      port: 0,
      telemetry,
      catalogue: { ...catalogueOf({ offline: offline(), busy: refusing }), resolveEmbeddings },
    });
  });
  afterAll(() => served.close());

  test("has the routes that are described, and no others", () => {
    const described = operations.map(({ path, method }) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`);
    expect(Object.keys(served.gateway.routes).toSorted()).toEqual(described.toSorted());
  });

  /** Asks, and checks the answer against the description. */
  async function asked(
    route: string,
    body?: unknown,
    ids: Record<string, string> = {},
    query = "",
  ): Promise<Record<string, unknown>> {
    const [method = "", pattern = ""] = route.split(" ");
    const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? name);
    const headers = { "content-type": "application/json" };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await fetch(`${served.url}${path}${query}`, init);
    const value = (await response.json()) as Record<string, unknown>;
    expect(wrongWith(route, response.status, "application/json", value)).toBeUndefined();
    return value;
  }

  async function streamed(route: string, body: unknown): Promise<Record<string, unknown>[]> {
    const [, path = ""] = route.split(" ");
    const response = await fetch(`${served.url}${path}`, { method: "POST", body: JSON.stringify(body) });
    const frames = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"));
    const events = frames.map((line) => JSON.parse(line.slice("data: ".length)) as Record<string, unknown>);
    expect(events.length).toBeGreaterThan(2);
    expect(events.flatMap((event) => wrongWith(route, 200, "text/event-stream", event) ?? [])).toEqual([]);
    return events;
  }

  const tools = [{ type: "function", name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } }];
  const requests = [
    ["text", { model: "offline", input: "Hello" }],
    ["reasoning", { model: "offline", input: "Hello", reasoning: { effort: "high", summary: "auto" } }],
    ["calls", { model: "offline", input: "The weather in Oslo?", tools, tool_choice: "required" }],
    [
      "a schema",
      {
        model: "offline",
        input: "x",
        text: { format: { type: "json_schema", name: "a", schema: { type: "object", properties: { n: { type: "number" } } } } },
      },
    ],
    ["little room", { model: "offline", input: "Tell me a story", max_output_tokens: 16 }],
    [
      "metadata",
      { model: "offline", input: [{ role: "user", content: "Hi" }], metadata: { a: "b" }, temperature: 0.5, store: false },
    ],
  ] as const;

  for (const prefix of ["/v1", "/openai/v1"])
    describe(prefix, () => {
      test.each(requests)("answers as described: %s", async (_, request) => {
        expect(complaint("/components/schemas/CreateResponse", request)).toBeUndefined();
        await asked(`POST ${prefix}/responses`, request);
        await streamed(`POST ${prefix}/responses`, { ...request, stream: true });
      });

      test("shows, lists and deletes responses as described", async () => {
        const { id } = await asked(`POST ${prefix}/responses`, { model: "offline", input: "Hello" });
        const ids = { id: String(id) };
        await asked(`GET ${prefix}/responses/:id`, undefined, ids);
        await asked(`GET ${prefix}/responses/:id/input_items`, undefined, ids, "?limit=1");
        await asked(`POST ${prefix}/responses/:id/cancel`, {}, ids);
        await asked(`POST ${prefix}/responses/input_tokens`, { model: "offline", previous_response_id: id, input: "And?" });
        await asked(`POST ${prefix}/responses/compact`, { model: "offline", previous_response_id: id });
        expect(await asked(`DELETE ${prefix}/responses/:id`, undefined, ids)).toMatchObject({ deleted: true });
        expect(await asked(`GET ${prefix}/responses/:id`, undefined, ids)).toHaveProperty("error");
      });

      test("keeps conversations as described", async () => {
        const made = await asked(`POST ${prefix}/conversations`, {
          items: [{ role: "user", content: "Hi" }],
          metadata: { a: "b" },
        });
        const ids = { id: String(made["id"]) };
        await asked(`GET ${prefix}/conversations/:id`, undefined, ids);
        await asked(`POST ${prefix}/conversations/:id`, { metadata: {} }, ids);
        const added = await asked(
          `POST ${prefix}/conversations/:id/items`,
          { items: [{ role: "assistant", content: "Ho" }] },
          ids,
        );
        const both = { ...ids, item: String(added["last_id"]) };
        await asked(`GET ${prefix}/conversations/:id/items`, undefined, ids);
        await asked(`GET ${prefix}/conversations/:id/items/:item`, undefined, both);
        await asked(`DELETE ${prefix}/conversations/:id/items/:item`, undefined, both);
        expect(await asked(`DELETE ${prefix}/conversations/:id`, undefined, ids)).toMatchObject({ deleted: true });
      });

      test("lists models and refuses as described", async () => {
        await asked(`GET ${prefix}/models`);
        await asked(`GET ${prefix}/models/:id`, undefined, { id: "offline" });
        expect(await asked(`GET ${prefix}/models/:id`, undefined, { id: "none" })).toHaveProperty("error");
        expect(await asked(`POST ${prefix}/responses`, { model: "busy", input: "Hi" })).toHaveProperty("error");
        expect(await asked(`POST ${prefix}/responses`, { temperature: "hot" })).toHaveProperty("error");
      });
    });

  test("answers on a WebSocket with the events that are described", async () => {
    const client = await new SocketClient(`${served.url}/v1/responses`).open();
    const events = await client.turn({ model: "offline", input: "Hello" });
    client.close();
    expect(events.flatMap((event) => complaint("/components/schemas/ResponseEvent", event) ?? [])).toEqual([]);
  });

  test("answers chats as described", async () => {
    const chat = { model: "offline", messages: [{ role: "user", content: "The weather in Oslo?" }] };
    const functions = tools.map(({ type, ...fields }) => ({ type, function: fields }));
    for (const body of [chat, { ...chat, tools: functions, tool_choice: "required" }]) {
      await asked("POST /v1/chat/completions", body);
      await streamed("POST /v1/chat/completions", { ...body, stream: true, stream_options: { include_usage: true } });
    }
    expect(await asked("POST /v1/chat/completions", { ...chat, model: "busy" })).toHaveProperty("error");
  });

  test("answers messages as described", async () => {
    const body = { model: "offline", max_tokens: 500, messages: [{ role: "user", content: "Hello" }] };
    for (const request of [body, { ...body, thinking: { type: "enabled", budget_tokens: 1024 } }]) {
      await asked("POST /v1/messages", request);
      await streamed("POST /v1/messages", { ...request, stream: true });
    }
    expect(await asked("POST /v1/messages/count_tokens", body)).toHaveProperty("input_tokens");
    expect(await asked("POST /v1/messages", { ...body, model: "busy" })).toHaveProperty("error");
  });

  test("runs in the background as described", async () => {
    const route = "POST /v1/responses";
    const { id, status } = await asked(route, { model: "offline", input: "[[slow:500]] A story", background: true });
    expect(status).toBe("queued");
    expect(await asked(`${route}/:id/cancel`, {}, { id: String(id) })).toMatchObject({ status: "cancelled" });
    await streamed(route, { model: "offline", input: "Hello", background: true, stream: true });
  });

  test("gives vectors as described", async () => {
    for (const encoding_format of ["float", "base64"])
      expect(await asked("POST /v1/embeddings", { input: ["one", "two"], encoding_format })).toHaveProperty("data.1.embedding");
  });

  test("says how it is as described", async () => {
    for (const route of ["GET /", "GET /docs", "GET /healthz", "GET /readyz", "GET /openapi.json", "GET /v1/openapi.json"])
      expect(await asked(route)).not.toHaveProperty("error");
  });
});
