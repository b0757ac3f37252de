import { lossesHeader } from "../http/losses.ts";
import { chatSchemas } from "./openapi/chat.ts";
import { contentSchemas } from "./openapi/content.ts";
import { eventSchemas } from "./openapi/events.ts";
import { inputItemSchemas } from "./openapi/input-items.ts";
import { itemSchemas } from "./openapi/items.ts";
import { messagesSchemas } from "./openapi/messages.ts";
import { operations, type Operation } from "./openapi/paths.ts";
import { resourceSchemas } from "./openapi/resources.ts";
import { responseSchemas } from "./openapi/responses.ts";
import { ref, string, type Schema } from "./openapi/schema.ts";
import { toolSchemas } from "./openapi/tools.ts";

/** The schemas that the description and the checks of bodies share. */
export const componentSchemas: Readonly<Record<string, Schema>> = {
  ...responseSchemas,
  ...itemSchemas,
  ...inputItemSchemas,
  ...contentSchemas,
  ...toolSchemas,
  ...eventSchemas,
  ...chatSchemas,
  ...messagesSchemas,
  ...resourceSchemas,
};

const tags: Readonly<Record<string, string>> = {
  Responses: "Model responses. `/v1` follows the Open Responses specification; `/openai/v1` behaves as OpenAI clients expect.",
  Conversations: "Stored items that responses extend.",
  Models: "The available models.",
  "Other APIs": "The same models through the Chat Completions and Messages APIs.",
  Operations: "For operators of the gateway.",
};

/** Returns the OpenAPI 3.1 description of all routes. */
export const openapi = (): Schema => ({
  openapi: "3.1.0",
  info: {
    title: "Antiphon gateway",
    version: "1",
    description: "One server in front of many language models, with the Responses, Chat Completions and Messages APIs.",
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
  },
  servers: [{ url: "/" }],
  security: [{ bearer: [] }, { apiKey: [] }],
  tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
  paths: pathsOf(operations),
  components: {
    schemas: componentSchemas,
    securitySchemes: {
      bearer: {
        type: "http",
        scheme: "bearer",
        description: "A key of the gateway. Not required while the gateway has no keys.",
      },
      apiKey: {
        type: "apiKey",
        in: "header",
        name: "x-api-key",
        description: "The same key in the header that Messages clients use.",
      },
    },
  },
});

/** Where a route of the gateway's table stands in the description: `GET /v1/models/:id` at `/v1/models/{id}`, `get`. */
function placeOf(route: string): { path: string; method: string } {
  const [method = "", pattern = ""] = route.split(" ");
  return { path: pattern.replaceAll(/:(\w+)/g, "{$1}"), method: method.toLowerCase() };
}

function pathsOf(table: Readonly<Record<string, Operation>>): Record<string, Record<string, Schema>> {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const [route, operation] of Object.entries(table)) {
    const { path, method } = placeOf(route);
    (paths[path] ??= {})[method] = described(operation, path, method);
  }
  return paths;
}

function described(operation: Operation, path: string, method: string): Schema {
  const { tag, summary, description, body, open, others = {} } = operation;
  const parameters = parametersOf(operation, path);
  return {
    operationId: `${method}${path.replaceAll(/[^A-Za-z0-9]+(.?)/g, (_, letter: string) => letter.toUpperCase())}`,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, content: json(body) } }),
    responses: {
      200: { description: "Success.", ...(body !== undefined && { headers: lossHeader }), content: goodContent(operation) },
      ...Object.fromEntries(
        Object.entries(others).map(([status, { schema, description: why }]) => [
          status,
          { description: why, content: json(schema) },
        ]),
      ),
      ...(operation.error !== "none" && {
        default: { description: "An error.", content: json(operation.error ?? "Error") },
      }),
    },
    ...(open && { security: [] }),
  };
}

const lossHeader: Schema = {
  [lossesHeader]: {
    description: "Parts of the request that had no effect: a JSON array of `{ path, reason }`. Omitted if there are none.",
    schema: string(),
  },
};

const parametersOf = ({ query = [] }: Operation, path: string): object[] => [
  ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: "path", required: true, schema: string() })),
  ...query.map((parameter) => ({ ...parameter, in: "query" })),
];

const json = (name: string): Schema => ({ "application/json": { schema: ref(name) } });

const goodContent = ({ answer, event, text = [] }: Operation): Schema => ({
  ...(answer !== undefined && json(answer)),
  ...(event !== undefined && { "text/event-stream": { schema: ref(event) } }),
  ...Object.fromEntries(text.map((type) => [type, { schema: string() }])),
});
