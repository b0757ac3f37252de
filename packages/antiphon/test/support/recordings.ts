import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { misfiled } from "./reviewed-recordings.ts";

const root = fileURLToPath(new URL("../../../../../shared/recordings/", import.meta.url));

/** One recorded exchange with a real API. */
export interface Recording {
  id: string;
  provider: string;
  stream: boolean;
  status: number;
  features: string[];
  /** Recordings of one prompt on several wires have one name. */
  group?: string;
  /** Which exchange of which session it is: `091c439338:1/2`. */
  chain?: string;
  /** The answer as it came: SSE bytes or JSON text. */
  body(): Uint8Array;
  json(): unknown;
  /** The request's body, where it was recorded. */
  request(): unknown;
  meta(): Meta;
}

/** What a recording's `meta.json` tells. */
export interface Meta {
  method?: string;
  url?: string;
  provenance?: string;
  response_headers?: Record<string, string>;
}

interface Row {
  id: string;
  provider: string;
  stream: boolean;
  status: number;
  features: string[];
  group?: string;
  chain?: string;
}

/** Whether the recordings are at hand; tests that need them are skipped elsewhere. */
export const haveRecordings = existsSync(`${root}INDEX.json`);

const read = (path: string): Uint8Array => readFileSync(`${root}${path}`);
const parse = (path: string): unknown => JSON.parse(readFileSync(`${root}${path}`, "utf8"));

/** The recordings of providers whose name begins with one of these. */
export function recordings(...providers: string[]): Recording[] {
  if (!haveRecordings) return [];
  const rows = parse("INDEX.json") as Row[];
  return rows
    .filter((row) => providers.some((name) => row.provider.startsWith(name)))
    .map((row) => ({
      ...row,
      body: () => read(`${row.id}/response.${row.stream ? "sse" : "json"}`),
      json: () => parse(`${row.id}/response.json`),
      request: () => (existsSync(`${root}${row.id}/request.json`) ? parse(`${row.id}/request.json`) : undefined),
      meta: () => parse(`${row.id}/meta.json`) as Meta,
    }));
}

/** All recordings of servers that speak Responses. */
export const responsesRecordings = (): Recording[] =>
  recordings("openai-responses", "responses-compatible-", "openresponses-").filter(({ id }) => !Object.hasOwn(misfiled, id));

/** The JSON values of an SSE body, split the plain way, as an oracle for the real parser. */
export function sseValues(body: Uint8Array): unknown[] {
  return new TextDecoder()
    .decode(body)
    .split(/\r?\n\r?\n/)
    .map((block) =>
      block
        .split(/\r?\n/)
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).trimStart())
        .join("\n"),
    )
    .filter((data) => data !== "" && data.trim() !== "[DONE]")
    .map((data): unknown => JSON.parse(data));
}
