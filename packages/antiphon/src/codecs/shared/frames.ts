import { AntiphonError } from "../../core/error.ts";
import type { WireEvent } from "../../model/index.ts";

const endMark = "[DONE]";

/** Tests whether an event's data is the mark that ends a stream. Some servers put white space after it. */
export const isEndMark = (data: string): boolean => data.startsWith(endMark) && data.trimEnd() === endMark;

const excerptLength = 200;

/** The beginning of a text, for messages. */
export const excerpt = (text: string): string => text.trim().slice(0, excerptLength);

/** Parses the JSON of one event. */
export function parseEvent(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AntiphonError("PROTOCOL", `The server sent an event that is not JSON: ${excerpt(text)}`, { cause });
  }
}

/** The same where the stream may be broken: nothing for what is no JSON. */
export function parseIntact(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const decoder = new TextDecoder();

/** The data of one frame, without the empty line that ends it; nothing where it has none. */
export const dataOf = (bytes: Uint8Array): string | undefined => dataIn(decoder.decode(bytes));

function dataIn(frame: string): string | undefined {
  const at = frame.startsWith("data:") ? 0 : frame.indexOf("\ndata:") + 1;
  if (!frame.startsWith("data:", at)) return undefined;
  return frame.includes("\n", at) ? frame.split("\n").filter(isData).map(valueOf).join("\n") : valueOf(frame.slice(at));
}

const isData = (line: string): boolean => line.startsWith("data:");
const valueOf = (line: string): string => line.slice(line[5] === " " ? 6 : 5);

const all = (): boolean => true;

/** The values of whole frames, or of those that are wanted; what is no JSON tells nothing. */
export const valuesIn = (bytes: Uint8Array, wanted: (frame: string) => boolean = all): unknown[] =>
  decoder
    .decode(bytes)
    .split("\n\n")
    .flatMap((frame) => {
      const data = wanted(frame) ? dataIn(frame) : undefined;
      // Most of what is no JSON is known: an exception would cost more than all the rest.
      return data === undefined || isEndMark(data) ? [] : [parseIntact(data)];
    });

/** Frames that pass unread. */
export class Wire implements WireEvent {
  readonly type = "antiphon:wire";
  readonly sequence_number: number;
  readonly bytes: Uint8Array;
  readonly frames?: number;
  readonly opens?: boolean;

  constructor(sequence_number: number, bytes: Uint8Array, frames?: number, opens?: boolean) {
    this.sequence_number = sequence_number;
    this.bytes = bytes;
    if (frames !== undefined) this.frames = frames;
    if (opens) this.opens = true;
  }

  get text(): string {
    return decoder.decode(this.bytes);
  }
}
