import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { existsSync, readFileSync } from "node:fs";

const place = new URL("../../../../../shared/spec/openapi.json", import.meta.url);

/** Why nothing can be held against the specification here; nothing where it can. */
export const noSpecification: string | undefined = existsSync(place) ? undefined : "the specification is not on this machine";

/** What the specification says about a value of one of its schemas; nothing where it is content. */
export function specification(): (schema: string, value: unknown) => string | undefined {
  const ajv = new Ajv2020({ strict: false, allErrors: false, discriminator: false });
  ajv.addSchema(JSON.parse(readFileSync(place, "utf8")) as object, "spec");
  const known = new Map<string, ValidateFunction>();
  return (schema, value) => {
    const check = known.get(schema) ?? ajv.compile({ $ref: `spec#${schema}` });
    known.set(schema, check);
    return check(value) ? undefined : `${JSON.stringify(check.errors?.[0])} in ${JSON.stringify(value).slice(0, 400)}`;
  };
}

const answer = "/paths/~1responses/post/responses/200/content";
/** The schemas that answers are held against. */
export const schemas = {
  response: `${answer}/application~1json/schema`,
  event: `${answer}/text~1event-stream/schema`,
  compaction: "/components/schemas/CompactResource",
  socketError: "/components/schemas/WebSocketErrorEvent",
} as const;
