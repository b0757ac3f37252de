import { AntiphonError } from "antiphon";
import type { Exchange, Reply, Sink } from "./exchange.ts";
import { tooLarge, unpack } from "./unpack.ts";

/** A request of the web's own kind, as the gateway sees it. */
export function exchangeOf(request: Request, requestId: string): Exchange {
  const url = new URL(request.url);
  return {
    method: request.method,
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    origin: url.origin,
    address: undefined,
    requestId,
    signal: request.signal,
    read: (maxBytes) => readBody(request, maxBytes),
  };
}

async function readBody({ body, headers }: Request, maxBytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    pieces.push(piece);
  }
  return unpack(Buffer.concat(pieces), headers.get("content-encoding"), maxBytes);
}

/** What is answered, in the web's own kind. */
export const responseOf = ({ status, headers, body, stream }: Reply): Response =>
  new Response(stream ? streamOf(stream) : ((body ?? null) as BodyInit | null), { status, headers });

function streamOf(write: (sink: Sink) => Promise<void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let closed = false;
  let wake: (() => void) | undefined;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const sink: Sink = {
        write: (piece) => controller.enqueue(typeof piece === "string" ? encoder.encode(piece) : piece),
        drained: () =>
          closed || (controller.desiredSize ?? 0) > 0 ? undefined : new Promise<void>((resolve) => (wake = resolve)),
        get closed() {
          return closed;
        },
      };
      write(sink).then(
        () => closed || controller.close(),
        (thrown: unknown) => controller.error(new AntiphonError("TRUNCATED", "The stream ended early.", { cause: thrown })),
      );
    },
    pull: () => wake?.(),
    cancel() {
      closed = true;
      wake?.();
    },
  });
}
