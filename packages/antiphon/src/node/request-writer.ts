import { validateHeaderName, validateHeaderValue } from "node:http";
import { AntiphonError } from "../core/error.ts";
import type { HttpRequest } from "../transport/upstream.ts";

/** What frames a message, or rules the connection: it is written here, and two opinions about it are how requests are smuggled. */
const own: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const requestForm = /^[A-Z]+ \/[\x21-\x7e]*$/;

/** Writes requests to one URL. Their heads are mostly the same, so the last one is kept as a text. */
export class RequestWriter {
  readonly #path: string;
  readonly #defaults: Record<string, string>;
  #method = "";
  #names: string[] = [];
  #values: string[] = [];
  #text = "";

  /** @param defaults Headers that a request may replace. */
  constructor(path: string, defaults: Record<string, string>) {
    this.#path = path;
    this.#defaults = defaults;
  }

  /**
   * A whole request: a text with a character for each byte where it can be one, which is written without being looked at, or else its
   * bytes. Throws where HTTP does not allow a name or a value.
   */
  message({ method, headers, body }: HttpRequest): string | Buffer {
    const head = this.#head(method, headers);
    if (body === undefined) return method === "POST" ? `${head}content-length: 0\r\n\r\n` : `${head}\r\n`;
    const size = Buffer.byteLength(body);
    const start = `${head}content-length: ${size}\r\n\r\n`;
    if (size === body.length) return start + body;
    const bytes = Buffer.allocUnsafe(start.length + size);
    bytes.write(body, bytes.write(start, "latin1"));
    return bytes;
  }

  /** All but how long the body is and the empty line. */
  #head(method: string, headers: Record<string, string>): string {
    if (!this.#isLast(method, headers)) {
      this.#text = this.#written(method, headers);
      this.#method = method;
      this.#names = Object.keys(headers);
      this.#values = Object.values(headers);
    }
    return this.#text;
  }

  #isLast(method: string, headers: Record<string, string>): boolean {
    let at = 0;
    for (const name in headers) {
      if (this.#names[at] !== name || this.#values[at] !== headers[name]) return false;
      at += 1;
    }
    return at === this.#names.length && method === this.#method;
  }

  #written(method: string, headers: Record<string, string>): string {
    const request = `${method} ${this.#path}`;
    if (!requestForm.test(request)) throw new AntiphonError("BAD_REQUEST", "The HTTP method is invalid.");
    const lines = new Map<string, string>();
    for (const list of [this.#defaults, headers])
      for (const [name, value] of Object.entries(list)) lines.set(name.toLowerCase(), lineOf(name, value));
    return `${request} HTTP/1.1\r\n${[...lines.values()].join("")}connection: keep-alive\r\n`;
  }
}

function lineOf(name: string, value: string): string {
  if (own.has(name.toLowerCase()))
    throw new AntiphonError("BAD_REQUEST", `The header \`${name}\` cannot be set: the transport sets it itself.`);
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch (cause) {
    // Node names the header that holds what HTTP does not allow, never its value.
    throw new AntiphonError("BAD_REQUEST", cause instanceof Error ? cause.message : String(cause), { cause });
  }
  return `${name}: ${value}\r\n`;
}
