import { AntiphonError, newId } from "antiphon";
import type { GatewayConfig } from "./config.ts";
import { contextOf } from "./create-context.ts";
import type { Context } from "./context.ts";
import { withHeaders, type Exchange, type Reply, type Routes } from "./http/exchange.ts";
import { faces, refuse, type Face } from "./http/faces.ts";
import { Router } from "./http/router.ts";
import { exchangeOf, responseOf } from "./http/web.ts";
import { allRoutes } from "./routes/all.ts";
import { cors, type Cors } from "./security/cors.ts";

/** A gateway: a fetch handler, and what a server of another kind needs. */
export interface Gateway {
  (request: Request): Promise<Response>;
  /** Answers a request that came in by any way. Never throws. */
  handle(exchange: Exchange): Promise<Reply>;
  readonly context: Context;
  readonly routes: Routes;
  /** Takes in nothing new, finishes or parks what runs, and lets go of the store. */
  close(options?: { signal?: AbortSignal }): Promise<void>;
}

/**
 * Creates a gateway, as a fetch handler.
 *
 * @example
 * const gateway = await createGateway({ store: "memory" });
 * const response = await gateway(new Request("http://localhost/v1/models"));
 */
export async function createGateway(config: GatewayConfig = {}): Promise<Gateway> {
  const context = await contextOf(config);
  const routes = allRoutes(context, config);
  const router = new Router(routes);
  const sharing = cors(config.cors ?? { origins: [] });
  const handle = (exchange: Exchange): Promise<Reply> => answer(context, router, sharing, exchange);
  const gateway = async (request: Request): Promise<Response> => responseOf(await handle(exchangeOf(request, newId("req"))));
  return Object.assign(gateway, { handle, context, routes, close: closing(context) });
}

async function answer(context: Context, router: Router, sharing: Cors, exchange: Exchange): Promise<Reply> {
  const { telemetry } = context;
  const { method, path, headers, address, requestId } = exchange;
  const started = performance.now();
  const preflight = sharing.preflight(exchange);
  if (preflight) return preflight;
  const found = router.find(method, path);
  const route = found && "route" in found ? found.route : "unmatched";
  const trace = telemetry.begin?.({ method, route, path, headers, address, requestId });
  if (trace) exchange.trace = trace;
  const handle = (): Promise<Reply> =>
    found && "handler" in found ? found.handler(exchange, found.params) : Promise.resolve(nowhere(exchange, found));
  const whole = await (trace ? trace.within(handle) : handle());
  const { status, body, stream, headers: own } = method === "HEAD" ? await withoutBody(whole) : whole;
  const told = withHeaders(own, sharing.headers(headers.get("origin")));
  told["x-request-id"] = requestId;
  const account = (): void => {
    const milliseconds = performance.now() - started;
    telemetry.request({
      method,
      route,
      status,
      milliseconds,
      owner: exchange.owner,
      requestId,
      ...(trace && { trace }),
    });
  };
  if (stream) return { status, headers: told, stream: (sink) => counted(context, stream(sink), account) };
  account();
  return { status, headers: told, body };
}

/** What is told to `HEAD`: all but the body. A stream ends at once, as for a client that is gone. */
async function withoutBody({ status, headers, body, stream }: Reply): Promise<Reply> {
  await stream?.({ write() {}, drained: () => undefined, closed: true });
  return { status, headers: { ...headers, ...(body !== undefined && { "content-length": `${Buffer.byteLength(body)}` }) } };
}

/** Counts a stream for as long as it takes. */
async function counted(context: Context, stream: Promise<void>, account: () => void): Promise<void> {
  context.streams += 1;
  try {
    await stream;
  } finally {
    context.streams -= 1;
    account();
  }
}

function nowhere({ path, method }: Exchange, found: { allow: string[] } | undefined): Reply {
  const face = faceAt(path);
  if (!found)
    return refuse(face, new AntiphonError("NOT_FOUND", `Unknown path ${path.slice(0, 100)}. GET / lists the base URLs.`));
  const error = new AntiphonError(
    "BAD_REQUEST",
    `${method.slice(0, 20)} is not allowed for this path. Use ${found.allow.join(" or ")}.`,
    { status: 405 },
  );
  const reply = refuse(face, error);
  return { ...reply, headers: { ...reply.headers, allow: found.allow.join(", ") } };
}

/** Returns the client API whose errors a client at an unknown path most likely reads. */
function faceAt(path: string): Face {
  if (path.startsWith("/openai/")) return faces.openai;
  return path === "/v1/messages" || path.startsWith("/v1/messages/") ? faces.messages : faces.strict;
}

/** How long runs may go on while the gateway closes, where nobody says. */
export const closingTime = 10_000;

const closing = (context: Context) => {
  let closed: Promise<void> | undefined;
  return ({ signal = AbortSignal.timeout(closingTime) }: { signal?: AbortSignal } = {}): Promise<void> =>
    (closed ??= close(context, signal));
};

async function close(context: Context, signal: AbortSignal): Promise<void> {
  context.draining = true;
  await context.background.close(signal);
  await untilIdle(context, signal);
  await context.release();
}

/** Waits for the runs whose clients wait; those that take too long are stopped. */
async function untilIdle({ live }: Context, signal: AbortSignal): Promise<void> {
  const pause = 20;
  while (live.size > 0) {
    if (signal.aborted) for (const run of live.values()) run.stop(new AntiphonError("ABORTED", "The gateway is shutting down."));
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
