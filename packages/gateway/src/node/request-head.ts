import { METHODS } from "node:http";
import { splitTarget, type RequestTarget } from "../http/request-target.ts";

/** Those that Node's own parser knows. Others are no requests. */
const methods: ReadonlySet<string> = new Set(METHODS);

const inName = 1;
const inValue = 2;
const inTarget = 4;

/** What a character of a head may be part of. */
const uses = Uint8Array.from({ length: 256 }, (_, code) => {
  const isVisible = code > 0x20 && code < 0x7f;
  const isToken = isVisible && !'"(),/:;<=>?@[\\]{}'.includes(String.fromCharCode(code));
  const isText = code === 0x09 || code === 0x20 || isVisible || code > 0x7f;
  // A target has no fragment: a proxy may cut it off, and route another path than we.
  return (isToken ? inName : 0) | (isText ? inValue : 0) | (isVisible && code !== 0x23 ? inTarget : 0);
});

const colon = 0x3a;
const cr = 0x0d;
const lf = 0x0a;

/** From a capital to the small letter. */
const toSmall = 0x20;

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

/** How many numbers tell where a header is: its name from and to, its value from and to. */
const step = 4;
const maxHeaders = 2_000;

/** Says of a message that it came in chunks. */
export const chunked = -1;

/** The status with which a head is refused that cannot be read in one way only. */
export const badRequest = 400;
const notExpected = 417;
export const tooMuchHead = 431;
/** No answer at all, only the end of the connection. */
export const noAnswer = 0;

/**
 * The head of a request. It keeps the text and where its headers are: a request has a dozen of them, of which a few are asked for.
 */
export class RequestHead {
  readonly method: string;
  readonly target: string;
  readonly parts: RequestTarget;
  /** Whether it is HTTP/1.0, whose clients know no chunks. */
  readonly isOld: boolean;
  /** The bytes of its body, or `chunked`. */
  bodyLength = 0;
  /** Whether the client keeps the connection after the answer. */
  keeps: boolean;
  /** Whether a WebSocket is asked for. Other protocols are not taken up, and their offer is an ordinary request. */
  upgrades = false;
  /** Whether the client waits to be asked before it sends its body. */
  expectsContinue = false;
  readonly #text: string;
  readonly #places: readonly number[];

  constructor(method: string, target: string, parts: RequestTarget, isOld: boolean, text: string, places: readonly number[]) {
    this.method = method;
    this.target = target;
    this.parts = parts;
    this.isOld = isOld;
    this.keeps = !isOld;
    this.#text = text;
    this.#places = places;
  }

  /**
   * Returns the value of a header, by its name in lower case. The values of a repeated header are joined. The host of a target
   * in absolute form replaces the Host header.
   */
  get(name: string): string | null {
    if (name === "host" && this.parts.host !== undefined) return this.parts.host;
    const places = this.#places;
    let found: string | null = null;
    for (let at = 0; at < places.length; at += step) {
      if (!this.#isNamed(at, name)) continue;
      found = joined(found, name, this.#text.slice(places[at + 2], places[at + 3]));
    }
    return found;
  }

  count(name: string): number {
    let count = 0;
    for (let at = 0; at < this.#places.length; at += step) if (this.#isNamed(at, name)) count += 1;
    return count;
  }

  /** All headers, for those who want an object. */
  all(): Record<string, string> {
    const places = this.#places;
    // Without a prototype: a header may have any name.
    const headers = Object.create(null) as Record<string, string>;
    for (let at = 0; at < places.length; at += step) {
      const name = this.#text.slice(places[at], places[at + 1]).toLowerCase();
      const value = this.#text.slice(places[at + 2], places[at + 3]);
      headers[name] = joined(headers[name], name, value);
    }
    return headers;
  }

  #isNamed(at: number, name: string): boolean {
    const places = this.#places;
    const start = places[at]!;
    const end = places[at + 1]!;
    if (end - start !== name.length) return false;
    // Most names that are as long begin with another letter.
    const apart = name.charCodeAt(0) - this.#text.charCodeAt(start);
    return (apart === 0 || apart === toSmall) && this.#text.slice(start, end).toLowerCase() === name;
  }
}

/** The value of a header with another of the same name behind it. */
const joined = (before: string | null | undefined, name: string, value: string): string =>
  typeof before === "string" ? `${before}${name === "cookie" ? "; " : ", "}${value}` : value;

/** A tab beside what says where the body ends is a blank to the standard, and an error to Node's own parser. */
const tabbed = /^(?:content-length|transfer-encoding):[^\r\n]*\t/im;

/** Reads the head of a request from its first line to the end of its last, the line's end included. Gives a status where it is refused. */
export function parseHead(text: string): RequestHead | number {
  const lineEnd = text.indexOf("\r\n");
  const space = text.indexOf(" ");
  const method = text.slice(0, space);
  if (!methods.has(method)) return badRequest;
  if (method === "CONNECT") return noAnswer;
  const targetEnd = text.indexOf(" ", space + 1);
  const version = text.slice(targetEnd + 1, lineEnd);
  if (version !== "HTTP/1.1" && version !== "HTTP/1.0") return badRequest;
  const target = text.slice(space + 1, targetEnd);
  const parts = isAll(target, inTarget) ? splitTarget(target) : undefined;
  if (!parts) return badRequest;
  if (text.includes("\t") && tabbed.test(text)) return badRequest;
  const places = placesIn(text, lineEnd + 2);
  if (typeof places === "number") return places;
  const head = new RequestHead(method, target, parts, version === "HTTP/1.0", text, places);
  return frame(head) ?? head;
}

/** Where the headers are, or a status where one of them is none. */
function placesIn(text: string, from: number): number[] | number {
  const places: number[] = [];
  for (let at = from; at < text.length;) {
    const next = addField(text, at, places);
    if (next === 0) return badRequest;
    if (places.length > maxHeaders * step) return tooMuchHead;
    at = next;
  }
  return places;
}

/** Adds where a header is. Gives where the next line begins; `0` where this one is no header. */
function addField(text: string, start: number, places: number[]): number {
  let at = start;
  while (uses[text.charCodeAt(at)]! & inName) at += 1;
  const nameEnd = at;
  if (nameEnd === start || text.charCodeAt(at) !== colon) return 0;
  at += 1;
  while (isBlank(text.charCodeAt(at))) at += 1;
  const valueStart = at;
  while (uses[text.charCodeAt(at)]! & inValue) at += 1;
  if (text.charCodeAt(at) !== cr || text.charCodeAt(at + 1) !== lf) return 0;
  let valueEnd = at;
  while (valueEnd > valueStart && isBlank(text.charCodeAt(valueEnd - 1))) valueEnd -= 1;
  places.push(start, nameEnd, valueStart, valueEnd);
  return at + 2;
}

/** Whether a text may be the name of a header, or its value. */
export const isName = (text: string): boolean => text !== "" && isAll(text, inName);
export const isValue = (text: string): boolean => isAll(text, inValue);

function isAll(text: string, use: number): boolean {
  for (let at = 0; at < text.length; at += 1) if (!((uses[text.charCodeAt(at)] ?? 0) & use)) return false;
  return true;
}

/** Whether a line, its end included, is a header. */
export const isField = (line: string): boolean => addField(line, 0, []) === line.length;

/** Finds out where the request ends and what becomes of its connection. Gives a status where that is in doubt. */
function frame(head: RequestHead): number | undefined {
  const hosts = head.count("host");
  if (hosts > 1 || (hosts === 0 && !head.isOld)) return badRequest;
  const length = head.get("content-length");
  const coding = head.get("transfer-encoding");
  if (length !== null && (coding !== null || !/^\d{1,15}$/.test(length))) return badRequest;
  if (coding !== null && (head.isOld || coding.toLowerCase() !== "chunked")) return badRequest;
  head.bodyLength = coding === null ? Number(length ?? 0) : chunked;
  const connection = head.get("connection");
  if (connection !== null) readConnection(head, connection.toLowerCase());
  const expected = head.isOld ? null : head.get("expect");
  if (expected === null) return undefined;
  head.expectsContinue = expected.toLowerCase() === "100-continue";
  return head.expectsContinue ? undefined : notExpected;
}

function readConnection(head: RequestHead, connection: string): void {
  const options = new Set(connection.split(",").map((option) => option.trim()));
  head.keeps = !options.has("close") && (!head.isOld || options.has("keep-alive"));
  const offersOther = !head.isOld && head.bodyLength === 0 && options.has("upgrade");
  head.upgrades = offersOther && head.get("upgrade")?.toLowerCase() === "websocket";
}
