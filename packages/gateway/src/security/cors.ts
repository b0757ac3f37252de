import { AntiphonError } from "antiphon";
import { withHeaders, type Exchange, type Reply } from "../http/exchange.ts";
import { faces, refuse } from "../http/faces.ts";
import { lossesHeader } from "../http/losses.ts";
import { refusals } from "../keys/refusals.ts";

export interface CorsOptions {
  /** `https://app.example`, `http://localhost:*` for any port, or `*` for every page there is. */
  origins: readonly string[];
  /** How long a browser may remember the answer to its question, in seconds. */
  maxAge?: number;
}

/** Tells browsers which pages may use the gateway. */
export interface Cors {
  allows(origin: string): boolean;
  /** The answer to a browser that asks first; nothing where that is not what this is. */
  preflight(exchange: Pick<Exchange, "method" | "headers">): Reply | undefined;
  /** What every other answer carries. */
  headers(origin: string | null): Record<string, string>;
}

const methods = "GET, POST, DELETE, OPTIONS";
/** Keys, bodies, and what the clients of OpenAI and Anthropic send of themselves. No cookies: keys are all that opens this door. */
const allowedHeader =
  /^(?:accept|authorization|content-type|x-api-key|api-key|last-event-id|idempotency-key|traceparent|tracestate|x-client-request-id|(?:x-stainless|openai|anthropic)-[a-z\d-]+)$/;
const limits = ["limit", "remaining", "reset"].flatMap((fact) =>
  ["requests", "tokens"].map((what) => `x-ratelimit-${fact}-${what}`),
);
const exposed = ["x-request-id", "request-id", "retry-after", lossesHeader, ...limits].join(", ");
const pattern = /^https?:\/\/(?:\[[\da-f:.]+\]|[\w.-]+)(?::(?:\d+|\*))?$/i;
const none: Readonly<Record<string, string>> = Object.freeze({});

/**
 * Answers browsers for the origins of a configuration; without any, nothing is said, which keeps pages out.
 *
 * @example
 * const { preflight, headers } = cors({ origins: ["http://localhost:*"] });
 */
export function cors({ origins, maxAge = 7_200 }: CorsOptions): Cors {
  const isOpen = origins.includes("*");
  const tests = origins.filter((origin) => origin !== "*").map(originTest);
  const allows = (origin: string): boolean => isOpen || tests.some((fits) => fits(origin));
  const headers = (origin: string | null): Record<string, string> => {
    if (origins.length === 0) return none;
    if (isOpen) return { "access-control-allow-origin": "*", "access-control-expose-headers": exposed };
    // A cache must not give one origin's answer to another, not even that of an origin that is none.
    if (origin === null || !allows(origin)) return { vary: "Origin" };
    return { "access-control-allow-origin": origin, "access-control-expose-headers": exposed, vary: "Origin" };
  };
  return {
    allows,
    headers,
    preflight: ({ method, headers: asked }) => {
      const origin = asked.get("origin");
      if (method !== "OPTIONS" || origin === null || asked.get("access-control-request-method") === null) return undefined;
      if (!allows(origin)) {
        const reply = refuse(faces.strict, refusals.foreignOrigin(origin));
        return { ...reply, headers: withHeaders(reply.headers, headers(origin)) };
      }
      return { status: 204, headers: { ...headers(origin), ...permission(asked, maxAge) } };
    },
  };
}

function permission(asked: Exchange["headers"], maxAge: number): Record<string, string> {
  const wanted = (asked.get("access-control-request-headers") ?? "").split(",").map((name) => name.trim().toLowerCase());
  const granted = wanted.filter((name) => allowedHeader.test(name));
  return {
    "access-control-allow-methods": methods,
    ...(granted.length > 0 && { "access-control-allow-headers": granted.join(", ") }),
    "access-control-max-age": String(maxAge),
    vary: "Origin, Access-Control-Request-Headers",
  };
}

function originTest(allowed: string): (origin: string) => boolean {
  const entry = allowed.trim().toLowerCase().replace(/\/$/, "");
  if (!pattern.test(entry))
    throw new AntiphonError(
      "BAD_REQUEST",
      `"${allowed}" is not an origin. Use the form "https://app.example", "http://localhost:*" or "*".`,
      { param: "cors.origins" },
    );
  if (!entry.endsWith(":*")) return (origin) => origin === entry;
  const stem = entry.slice(0, -2);
  return (origin) => origin === stem || (origin.startsWith(`${stem}:`) && /^\d+$/.test(origin.slice(stem.length + 1)));
}
