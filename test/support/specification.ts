import { readFileSync } from "node:fs";
import { openApiCheck, type OpenApiCheck } from "./openapi-check.ts";
import { referenceFile } from "./reference.ts";

/** Returns the specification as parsed JSON. */
export const readSpecification = (): object => JSON.parse(readFileSync(referenceFile("spec/openapi.json"), "utf8")) as object;

const answer = "/paths/~1responses/post/responses/200/content";
const pointers = {
  response: `${answer}/application~1json/schema`,
  event: `${answer}/text~1event-stream/schema`,
  compaction: "/components/schemas/CompactResource",
  socketError: "/components/schemas/WebSocketErrorEvent",
};

/** Returns a check of answers against the specification's schemas. */
export const specification = (): OpenApiCheck<keyof typeof pointers> => openApiCheck(readSpecification(), pointers);
