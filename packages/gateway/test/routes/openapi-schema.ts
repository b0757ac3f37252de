// As much of the form of an OpenAPI 3.1 document as the gateway's description uses; anything else in it is taken for a slip.

const text = { type: "string", minLength: 1 };
const closed = (properties: object, ...required: string[]): object => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const listOf = (items: object, more: object = {}): object => ({ type: "array", items, ...more });
const mapOf = (values: object, names: string): object => ({
  type: "object",
  propertyNames: { type: "string", pattern: names },
  additionalProperties: values,
});

const schema = { type: ["object", "boolean"] };
const content = mapOf(closed({ schema }, "schema"), "^[\\w.+-]+/[\\w.+-]+$");
const headers = mapOf(closed({ description: text, schema }, "schema"), "^[a-z-]+$");
const security = listOf(mapOf(listOf(text), "^(bearer|apiKey)$"));

const parameter = {
  type: "object",
  oneOf: [
    closed(
      { name: text, in: { const: "path" }, required: { const: true }, schema, description: text },
      "name",
      "in",
      "required",
      "schema",
    ),
    closed({ name: text, in: { const: "query" }, schema, description: text }, "name", "in", "schema"),
  ],
};

const operation = closed(
  {
    operationId: { type: "string", pattern: "^[a-z][A-Za-z0-9]*$" },
    tags: listOf(text, { minItems: 1 }),
    summary: text,
    description: text,
    parameters: listOf(parameter),
    requestBody: closed({ required: { type: "boolean" }, content }, "content"),
    responses: {
      ...mapOf(closed({ description: text, headers, content }, "description"), "^([1-5]\\d\\d|default)$"),
      minProperties: 1,
    },
    security,
  },
  "operationId",
  "tags",
  "summary",
  "responses",
);

const methods = { get: operation, post: operation, delete: operation };
const schemeTypes = {
  type: "object",
  oneOf: [
    closed({ type: { const: "http" }, scheme: text, description: text }, "type", "scheme"),
    closed(
      { type: { const: "apiKey" }, in: { enum: ["header", "query", "cookie"] }, name: text, description: text },
      "type",
      "in",
      "name",
    ),
  ],
};

export const descriptionSchema = closed(
  {
    openapi: { type: "string", pattern: "^3\\.1\\.\\d+$" },
    info: closed(
      { title: text, version: text, description: text, license: closed({ name: text, identifier: text }, "name") },
      "title",
      "version",
    ),
    servers: listOf(closed({ url: text }, "url")),
    security,
    tags: listOf(closed({ name: text, description: text }, "name")),
    paths: mapOf({ ...closed(methods), minProperties: 1 }, "^/"),
    components: closed({
      schemas: mapOf(schema, "^[A-Za-z0-9._-]+$"),
      securitySchemes: mapOf(schemeTypes, "^[A-Za-z0-9._-]+$"),
    }),
  },
  "openapi",
  "info",
  "paths",
);
