import { STATUS_CODES } from "node:http";
import { isName, isValue } from "./request-head.ts";

/** How long a connection may be silent between two requests, in milliseconds. */
export const keepAliveTimeout = 65_000;

/** What of a head is the same for all answers of a second. */
let second = 0;
let kept = "";
let closed = "";

function endOf(keeps: boolean): string {
  const now = Math.floor(Date.now() / 1_000);
  if (now !== second) {
    second = now;
    const date = `Date: ${new Date(now * 1_000).toUTCString()}\r\n`;
    kept = `${date}Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveTimeout / 1_000}\r\n`;
    closed = `${date}Connection: close\r\n`;
  }
  return keeps ? kept : closed;
}

/** The head of an answer, as far as its last line: what says how long the body is comes behind it. Throws where a header could be taken for two. */
export function replyHead(status: number, headers: Readonly<Record<string, string>>, keeps: boolean): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Unknown"}\r\n`;
  for (const name in headers) {
    const value = headers[name]!;
    if (!isName(name) || !isValue(value))
      throw new TypeError(`The value of the header ${name} contains characters that cannot be sent.`);
    head += `${name}: ${value}\r\n`;
  }
  return head + endOf(keeps);
}

/** What is told to those whose request could not be read. */
export const refusal = (status: number): string => `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`;
