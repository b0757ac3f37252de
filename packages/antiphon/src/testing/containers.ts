import { own } from "../model/guards.ts";
/** A file in a simulated container, and how its server behaves when it is asked for. */
export interface SimulatedFile {
  content: Uint8Array | string;
  /** What the server says that it is; `application/octet-stream` where nothing is said. */
  type?: string;
  /** Whether the server says how long it is; it does where nothing is said. */
  length?: boolean;
  /** Milliseconds before each piece, and how many bytes a piece has. */
  pause?: number;
  pieceBytes?: number;
  /** Where the server sends the client instead. */
  redirect?: string;
}

/** Containers by id: their files by id, or that they have expired. */
export type SimulatedContainers = Readonly<Record<string, "expired" | Readonly<Record<string, SimulatedFile>>>>;

/** A simulated endpoint, and the paths that it was asked for. */
export type ContainerEndpoint = ((request: Request) => Promise<Response>) & { readonly asked: readonly string[] };

/**
 * Returns a fetch handler that serves the files of a provider's containers.
 *
 * @example
 * const fetch = containerEndpoint({ cntr_1: { cfile_1: { content: "a,b\n1,2\n", type: "text/csv" } }, cntr_2: "expired" });
 * const download = containerFiles(provider("openai", { apiKey: "test" }), { fetch: (url, init) => fetch(new Request(url, init)) });
 */
export function containerEndpoint(containers: SimulatedContainers): ContainerEndpoint {
  const asked: string[] = [];
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    const [, container, file] = /\/containers\/([^/]+)\/files\/([^/]+)\/content$/.exec(pathname) ?? [];
    if (request.method !== "GET" || container === undefined || file === undefined) return refusal(404, "Invalid URL");
    if (!request.headers.get("authorization")) return refusal(401, "You didn't provide an API key.");
    const files = own(containers, container);
    if (files === undefined) return refusal(404, `Container with id '${container}' not found.`);
    if (files === "expired") return refusal(400, "Container is expired.");
    const found = own(files, file);
    return found ? give(found, request.signal) : refusal(404, `File with id '${file}' not found.`);
  };
  return Object.assign(answer, { asked });
}

const refusal = (status: number, message: string): Response =>
  Response.json({ error: { message, type: "invalid_request_error", param: null, code: null } }, { status });

function give({ content, type, length = true, pause = 0, pieceBytes, redirect }: SimulatedFile, signal: AbortSignal): Response {
  if (redirect !== undefined) return new Response(null, { status: 302, headers: { location: redirect } });
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const headers = {
    "content-type": type ?? "application/octet-stream",
    ...(length ? { "content-length": String(bytes.length) } : {}),
  };
  return new Response(piecewise(bytes, pieceBytes ?? bytes.length, pause, signal), { headers });
}

function piecewise(bytes: Uint8Array, size: number, pause: number, signal: AbortSignal): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull: async (controller) => {
      if (pause > 0) await rest(pause, signal);
      if (at < bytes.length) controller.enqueue(bytes.subarray(at, at + size));
      at += Math.max(1, size);
      if (at >= bytes.length) controller.close();
    },
  });
}

/** Waits; nobody who has left is waited for. */
const rest = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done);
  });
