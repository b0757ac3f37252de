import { AntiphonError, isObject } from "antiphon";
import type { Exchange } from "./exchange.ts";

const deepest = 200;
const mostParts = 2_000_000;

/** The JSON object in a request's body. */
export async function readJson(exchange: Exchange, maxBytes: number): Promise<Record<string, unknown>> {
  const value = parseJson(textOf(await exchange.read(maxBytes)));
  if (!isObject(value)) throw new AntiphonError("BAD_REQUEST", "The body must be a JSON object.");
  return value;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new AntiphonError("BAD_REQUEST", "The body is not valid UTF-8.", { cause });
  }
}

/** JSON that is safe to walk. */
export function parseJson(text: string): unknown {
  checkBrackets(text);
  try {
    return mayNameProto.test(text) ? JSON.parse(text, withoutProto) : JSON.parse(text);
  } catch (cause) {
    throw new AntiphonError("BAD_REQUEST", "The body is not valid JSON.", { cause });
  }
}

// However it is spelt: each of its letters may be written as an escape.
const mayNameProto = /__proto__|\\u00(?:5f|6f|70|72|74)/i;

/**
 * Leaves out `__proto__`: whoever copies an object field by field would give the copy another prototype, with fields that nobody
 * looked at.
 */
const withoutProto = (name: string, value: unknown): unknown => (name === "__proto__" ? undefined : value);

const codes = { quote: 0x22, list: 0x5b, listEnd: 0x5d, object: 0x7b, objectEnd: 0x7d, colon: 0x3a } as const;

/**
 * Refuses text whose value would overflow the stack of whoever walks it, or consists of little else than brackets and names: that takes
 * far longer to read than text of the same length.
 */
function checkBrackets(text: string): void {
  let depth = 0;
  let parts = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === codes.quote) at = endOfString(text, at + 1) - 1;
    else if (code === codes.list || code === codes.object) {
      depth += 1;
      parts += 1;
    } else if (code === codes.listEnd || code === codes.objectEnd) depth -= 1;
    else if (code === codes.colon) parts += 1;
    if (depth > deepest) throw new AntiphonError("BAD_REQUEST", `The JSON has more than ${deepest} levels of nesting.`);
  }
  if (parts > mostParts)
    throw new AntiphonError("BAD_REQUEST", `The JSON has more than ${mostParts} arrays, objects and fields.`, { status: 413 });
}

function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}
