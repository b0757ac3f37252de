import { AntiphonError, batchesOf, collect, outcome, type CreateResponse, type Respond, type ServerCodec } from "antiphon";
import { chatServer } from "antiphon/codecs/chat";
import { geminiRoute, geminiServer } from "antiphon/codecs/gemini";
import { messagesServer } from "antiphon/codecs/messages";
import { responsesServer } from "antiphon/codecs/responses";

/** A server as a function. */
export type Handler = (request: Request) => Promise<Response>;

interface Wire {
  /** What the path says beyond the body, or nothing where the path is none of this wire's. */
  match(path: string): object | undefined;
  codec: ServerCodec;
  /** Whether a failed response is an answer like any other; on the other wires it is an HTTP error. */
  answersFailures?: true;
}

const at =
  (own: string): Wire["match"] =>
  (path) =>
    path === own ? {} : undefined;

const wires: readonly Wire[] = [
  { match: at("/v1/responses"), codec: responsesServer("openai"), answersFailures: true },
  { match: at("/or/v1/responses"), codec: responsesServer("open-responses"), answersFailures: true },
  { match: at("/v1/chat/completions"), codec: chatServer() },
  { match: at("/v1/messages"), codec: messagesServer() },
  { match: geminiRoute, codec: geminiServer() },
];

/** Puts a model behind every wire. */
export function createHandler(respond: Respond): Handler {
  return async (request) => {
    const { pathname } = new URL(request.url);
    for (const wire of wires) {
      const fields = wire.match(pathname);
      if (fields) return answer(wire, fields, request, respond);
    }
    return new Response(`Nothing is at ${pathname}.`, { status: 404 });
  };
}

async function answer(wire: Wire, fields: object, request: Request, respond: Respond): Promise<Response> {
  try {
    const asked = wire.codec.decodeRequest(Object.assign(await readBody(request), fields));
    return await (asked.stream ? streamed : plain)(wire, asked, respond, request.signal);
  } catch (error) {
    return refused(wire.codec, error);
  }
}

async function readBody(request: Request): Promise<object> {
  const body: unknown = await request.json().catch((cause: unknown) => {
    throw new AntiphonError("BAD_REQUEST", "The body is not JSON.", { cause });
  });
  if (typeof body !== "object" || body === null) throw new AntiphonError("BAD_REQUEST", "The body must be a JSON object.");
  return body;
}

function refused({ encodeError }: ServerCodec, thrown: unknown): Response {
  // What else is thrown is a fault of ours, and its words are for the log.
  const error =
    thrown instanceof AntiphonError ? thrown : new AntiphonError("SERVER_ERROR", "Something went wrong in the server.");
  const { status, body } = encodeError(error);
  const headers = new Headers();
  if (error.retryAfter !== undefined) {
    headers.set("retry-after", `${Math.ceil(error.retryAfter / 1000)}`);
    headers.set("retry-after-ms", `${error.retryAfter}`);
  }
  return Response.json(body, { status, headers });
}

async function plain(
  { codec, answersFailures }: Wire,
  asked: CreateResponse,
  respond: Respond,
  signal: AbortSignal,
): Promise<Response> {
  const response = await collect(respond(asked, { signal }));
  const end = outcome(response);
  if (end && "error" in end && !answersFailures) throw end.error;
  return Response.json(codec.encodeResponse(response));
}

async function streamed(wire: Wire, asked: CreateResponse, respond: Respond, signal: AbortSignal): Promise<Response> {
  const stop = new AbortController();
  const leave = (): void => stop.abort();
  signal.addEventListener("abort", leave, { once: true });
  // The client may have left while its body was read.
  if (signal.aborted) leave();
  const batches = batchesOf(respond(asked, { signal: stop.signal }));
  // What fails before the first event is still an HTTP error.
  const first = await batches.next();
  const frames = framesOf(wire, asked, batches, first);
  const utf8 = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(out) {
      const { done, value } = await frames.next();
      if (done) out.close();
      else out.enqueue(utf8.encode(value));
    },
    cancel: leave,
  });
  return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" } });
}

type Batches = ReturnType<typeof batchesOf>;

/** The text of a stream, a batch of events at a time. */
async function* framesOf(
  { codec, answersFailures }: Wire,
  asked: CreateResponse,
  batches: Batches,
  first: Awaited<ReturnType<Batches["next"]>>,
): AsyncGenerator<string> {
  const encoder = codec.createEncoder(asked);
  let endsWell = true;
  for (let next = first; !next.done; next = await batches.next()) {
    if (next.value.at(-1)?.type === "response.failed" && !answersFailures) endsWell = false;
    const values = next.value.flatMap((event) => encoder.push(event));
    if (values.length > 0) yield values.map(codec.encodeFrame).join("");
  }
  const rest = encoder.end().map(codec.encodeFrame).join("");
  if (endsWell) yield rest + codec.lastFrame;
}
