import type { HeaderReader } from "../codecs/codec.ts";

const token = "[!#$%&'*+\\-.^_`|~\\dA-Za-z]";
const content = "[\\t\\x20-\\x7e\\x80-\\xff]";
const lines = `(?:\\r\\n${token}+:${content}*)*`;
/** All of a head in one pass. Each character can be matched in one way alone, so a bad one costs no more than a good one. */
const headForm = new RegExp(`^HTTP/1\\.[01] [1-9]\\d\\d(?: ${content}*)?${lines}$`);
const trailersForm = new RegExp(`^${lines}$`);
const extensionsForm = new RegExp(`^(?:;${token}+(?:=(?:${token}+|"(?:[\\t !#-\\[\\]-~\\x80-\\xff]|\\\\${content})*"))?)+$`);

/** What no line of a head may hold: other controls than tabs, and line ends by halves. */
const stray = /[^\t\r\n\x20-\x7e\x80-\xff]|\r(?!\n|$)|(?<!\r)\n/;
const beginning = "HTTP/1.";

const malformed = "a malformed head";
const noHttp = "an answer that is not HTTP/1";

/** What is wrong with a head that is not whole yet, if something is already. */
export function faultOfStart(text: string): string | undefined {
  if (!text.startsWith(beginning.slice(0, text.length))) return noHttp;
  return stray.test(text) ? malformed : undefined;
}

/** Whether lines behind the last chunk, each with the line end before it, have the form of headers. */
export const areTrailers = (text: string): boolean => trailersForm.test(text);

/** Whether what stands behind the size of a chunk may stand there. */
export const areExtensions = (text: string): boolean => extensionsForm.test(text);

/** The status line and the headers of an answer. Headers are looked up when they are asked for: most answers are asked for two or three. */
export class ResponseHead implements HeaderReader {
  readonly status: number;
  /** The number of bytes that follow, where it is told. */
  length: number | undefined;
  isChunked = false;
  /** What the server says becomes of the connection. */
  closes = false;
  keeps = false;
  /** For how many seconds it does, where it says so. */
  keptFor: number | undefined;
  /** What the body is packed in. */
  encoding = "identity";
  /** What is wrong with it. */
  fault: string | undefined;
  readonly #text: string;

  /** @param text Without the empty line at its end, a character for each byte. */
  constructor(text: string) {
    this.#text = text;
    this.status = Number(text.slice(9, 12));
    if (headForm.test(text)) this.#readFraming();
    else this.fault = text.startsWith(beginning) ? malformed : noHttp;
  }

  /** Whether another request may follow. Who speaks 1.0 must say so, and knows of no chunks: what follows those may be anything. */
  get isKept(): boolean {
    return !this.closes && (this.#text.charCodeAt(7) === one || (this.keeps && !this.isChunked));
  }

  get(name: string): string | null {
    const wanted = name.toLowerCase();
    const text = this.#text;
    let found: string | null = null;
    for (let end = text.indexOf(lineEnd); end !== -1;) {
      const from = end + 2;
      const colon = from + wanted.length;
      end = text.indexOf(lineEnd, from);
      if (text.charCodeAt(colon) !== colonCode || text.slice(from, colon).toLowerCase() !== wanted) continue;
      const value = trimmed(text, colon + 1, end === -1 ? text.length : end);
      found = found === null ? value : `${found}, ${value}`;
    }
    return found;
  }

  /** Reads the headers that say how the body is framed and what becomes of the connection. */
  #readFraming(): void {
    const text = this.#text;
    for (let end = text.indexOf(lineEnd); end !== -1 && this.fault === undefined;) {
      const from = end + 2;
      const colon = text.indexOf(":", from);
      end = text.indexOf(lineEnd, colon);
      const size = colon - from;
      if (size > 31 || ((lengthsOfFraming >> size) & 1) === 0) continue;
      const value = trimmed(text, colon + 1, end === -1 ? text.length : end);
      this.fault = framing.get(text.slice(from, colon).toLowerCase())?.(this, value);
    }
    if (this.isChunked && this.length !== undefined) this.fault ??= "a content length together with chunks";
  }
}

const lineEnd = "\r\n";
const [tab, space, one, colonCode] = [9, 32, 49, 58];
/** As many digits as a number holds exactly. */
const lengthForm = /^\d{1,15}$/;

/** The headers that matter here: each takes note of its value, and gives what is wrong with it, if something is. */
const notes: Readonly<Record<string, (head: ResponseHead, value: string) => string | undefined>> = {
  "content-length": (head, value) => {
    if (head.length !== undefined) return "two content lengths";
    if (!lengthForm.test(value)) return "a content length that is not a number";
    head.length = Number(value);
    return undefined;
  },
  "transfer-encoding": (head, value) => {
    // Another coding, or this one twice, would leave bytes that nobody can read, or an end that is found by guessing.
    if (head.isChunked || value.toLowerCase() !== "chunked") return "an unknown transfer encoding";
    head.isChunked = true;
    return undefined;
  },
  connection: (head, value) => {
    if (value === "keep-alive") head.keeps = true;
    else
      for (const option of value.toLowerCase().split(",")) {
        head.closes ||= option.trim() === "close";
        head.keeps ||= option.trim() === "keep-alive";
      }
    return undefined;
  },
  "keep-alive": (head, value) => {
    if (value !== lastKept.value) lastKept = { value, seconds: secondsIn(value) };
    head.keptFor = lastKept.seconds ?? head.keptFor;
    return undefined;
  },
  "content-encoding": (head, value) => {
    const encoding = value.toLowerCase();
    head.encoding = head.encoding === "identity" ? encoding : `${head.encoding}, ${encoding}`;
    return undefined;
  },
};

/** What a server says it keeps a connection for is the same in each of its answers. */
let lastKept: { value: string; seconds: number | undefined } = { value: "", seconds: undefined };

function secondsIn(value: string): number | undefined {
  const seconds = /(?:^|[\s,])timeout=(\d{1,9})/i.exec(value)?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}

const framing: ReadonlyMap<string, (typeof notes)[string]> = new Map(Object.entries(notes));

/** A bit for each length that a name among these has: most lines are passed over without a look at their name. */
const lengthsOfFraming = [...framing.keys()].reduce((bits, { length }) => bits | (1 << length), 0);

/** A value without the blanks around it. `trim` would take away more than HTTP does. */
function trimmed(text: string, from: number, to: number): string {
  let [start, end] = [from, to];
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const isBlank = (code: number): boolean => code === space || code === tab;
