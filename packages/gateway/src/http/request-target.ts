/** The target of a request, in parts. */
export interface RequestTarget {
  /** `/v1/responses`, or `*`. */
  path: string;
  /** Without the question mark. */
  query: string;
  /** The host and port of a target in absolute form; they replace the Host header (RFC 9112 §3.2.2). */
  host: string | undefined;
}

/** `http://host:port`, without user information, which RFC 9110 §4.2.4 treats as an error. */
const origin = /^https?:\/\/((?:\[[\da-f:.]+\]|[\w.~%-]+)(?::\d{0,5})?)(?=[/?]|$)/i;

/**
 * Splits a request target in origin form (`/v1/models`), asterisk form (`*`) or absolute form
 * (`http://host/v1/models`). Returns `undefined` for anything else.
 *
 * @example
 * splitTarget("http://localhost:8787/v1/models"); // { path: "/v1/models", query: "", host: "localhost:8787" }
 */
export function splitTarget(target: string): RequestTarget | undefined {
  const isAbsolute = target.charCodeAt(0) !== 0x2f && target !== "*";
  const [start = "", host] = (isAbsolute && origin.exec(target)) || [];
  if (isAbsolute && host === undefined) return undefined;
  const mark = target.indexOf("?", start.length);
  const end = mark === -1 ? target.length : mark;
  return {
    // An empty path means the root.
    path: end === start.length ? "/" : target.slice(start.length, end),
    query: mark === -1 ? "" : target.slice(mark + 1),
    host,
  };
}
