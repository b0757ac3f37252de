import { excerpt } from "../codecs/shared/frames.ts";
import { AntiphonError } from "../core/error.ts";

const length = 200;

/** The beginning of a body in which no event was found yet, for saying what came instead. */
export class Opening {
  /** Whether there was an event. */
  framed = false;
  #text = "";

  see(framed: boolean, bytes: Uint8Array): void {
    if (framed) this.framed = true;
    else if (!this.framed && this.#text.length < length)
      this.#text += new TextDecoder().decode(bytes.subarray(0, length - this.#text.length));
  }

  /** The error of a body that ended like this. */
  nothing(): AntiphonError {
    const text = excerpt(this.#text);
    const kind = text.startsWith("<") ? "an HTML page" : /^[[{]/.test(text) ? "plain JSON" : undefined;
    return kind && !this.framed
      ? new AntiphonError("PROTOCOL", `The server returned ${kind} instead of events: ${text}`)
      : new AntiphonError("TRUNCATED", "The server ended the stream without sending an event.");
  }
}
