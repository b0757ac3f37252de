import { existsSync, readFileSync } from "node:fs";
import { referenceFile } from "../../../../test/support/reference.ts";
import { misfiled } from "./reviewed-recordings.ts";

/** One recorded exchange with a real API. */
export interface Recording {
  id: string;
  provider: string;
  stream: boolean;
  status: number;
  features: string[];
  /** Recordings of one prompt on several APIs share this name. */
  group?: string;
  /** The session, and the position of this exchange in it: `091c439338:1/2`. */
  chain?: string;
  /** The response body as received: SSE bytes or JSON text. */
  body(): Uint8Array;
  json(): unknown;
  /** The request body, if it was recorded. */
  request(): unknown;
  meta(): Meta;
}

/** The fields of a recording's `meta.json` that tests use. */
export interface Meta {
  method?: string;
  url?: string;
  provenance?: string;
  response_headers?: Record<string, string>;
}

type Row = Pick<Recording, "id" | "provider" | "stream" | "status" | "features" | "group" | "chain">;

const file = (path: string): URL => referenceFile(`recordings/${path}`);
const parse = (path: string): unknown => JSON.parse(readFileSync(file(path), "utf8"));

/** Returns the recordings of the providers whose name starts with one of `providers`. */
export function recordings(...providers: string[]): Recording[] {
  const rows = parse("INDEX.json") as Row[];
  return rows
    .filter((row) => providers.some((name) => row.provider.startsWith(name)))
    .map((row) => ({
      ...row,
      body: () => readFileSync(file(`${row.id}/response.${row.stream ? "sse" : "json"}`)),
      json: () => parse(`${row.id}/response.json`),
      request: () => (existsSync(file(`${row.id}/request.json`)) ? parse(`${row.id}/request.json`) : undefined),
      meta: () => parse(`${row.id}/meta.json`) as Meta,
    }));
}

/** Returns the recordings of all servers that implement the Responses API. */
export const responsesRecordings = (): Recording[] =>
  recordings("openai-responses", "responses-compatible-", "openresponses-").filter(({ id }) => !Object.hasOwn(misfiled, id));
