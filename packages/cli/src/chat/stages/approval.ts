import type { PendingCall } from "antiphon";
import type { Key } from "../keys/keys.ts";
import type { Frame } from "../screen.ts";
import type { Stage } from "../terminal.ts";
import { clippedLine, dim, lineOf, plain, type Line, type Style } from "../text/line.ts";
import { evident, oneLine } from "../text/safe-text.ts";
import { clipped, widthOf } from "../text/width.ts";
import { chop, prefixed } from "../text/wrap.ts";
import type { Look } from "../turn/segments.ts";

/** What somebody says to a call. */
export type Answer = "yes" | "no" | "always" | "stop";

const pause = 1_000;
const asking: Style = { bold: true, colour: "yellow" };

const answers: Readonly<Record<string, Answer>> = { y: "yes", n: "no", a: "always" };
const answerKeys: Readonly<Record<string, Answer>> = { escape: "no", "ctrl-c": "stop", "ctrl-d": "stop" };

/** Asks whether a call may run. */
export class ApprovalStage implements Stage {
  readonly isAnimated = false;
  readonly answer: Promise<Answer>;
  readonly #call: PendingCall;
  #isToShow = false;
  #isOver = false;
  #listensFrom: number;
  #resolve: (answer: Answer) => void = () => {};

  /** Whoever is typing when the question comes up means the letters for something else: it listens after a pause. */
  constructor(call: PendingCall, isTyping: boolean) {
    this.#call = call;
    this.#listensFrom = isTyping ? performance.now() + pause : 0;
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  key(key: Key): boolean {
    if (this.#isOver || (key.type !== "key" && this.#isTyping())) return false;
    const letter = key.type === "text" ? key.text.toLowerCase() : "";
    if (letter === "s") this.#isToShow = true;
    const answer = key.type === "key" ? answerKeys[key.name] : answers[letter];
    if (answer) this.#end(answer);
    // Whatever else is pressed here is neither an answer nor meant for the next prompt.
    return true;
  }

  #isTyping(): boolean {
    const now = performance.now();
    if (now >= this.#listensFrom) return false;
    this.#listensFrom = now + pause;
    return true;
  }

  leave(): void {
    this.#end("stop");
  }

  frame({ width }: Look): Frame {
    if (this.#isOver) return { live: [] };
    const choices = lineOf("  Run it? y yes, n no, a always, s show arguments", dim);
    const live = [question(this.#call, width), clippedLine(choices, width)];
    if (!this.#isToShow) return { live };
    // Written for good, so that one can scroll through them, however long they are.
    this.#isToShow = false;
    return { settled: argumentLines(this.#call, width), live };
  }

  #end(answer: Answer): void {
    this.#isOver = true;
    this.#resolve(answer);
  }
}

/** What a call asks for, in one line. */
function question({ name, written }: PendingCall, width: number): Line {
  const head = `? ${oneLine(evident(name))}`;
  const text = typeof written === "string" ? written : JSON.stringify(written);
  const about = clipped(evident(text.replaceAll("\n", " ")), Math.max(4, width - widthOf(head) - 1));
  return clippedLine([...lineOf(head, asking), ...lineOf(` ${about}`, plain)], width);
}

/** All that the model wrote, with whatever cannot be seen spelt out. */
function argumentLines({ written }: PendingCall, width: number): Line[] {
  const lines = evident(pretty(written)).split("\n");
  return prefixed(
    lines.flatMap((line) => chop(lineOf(line, dim), Math.max(1, width - 2))),
    lineOf("  "),
  );
}

function pretty(written: unknown): string {
  if (typeof written !== "string") return JSON.stringify(written, null, 2);
  try {
    return JSON.stringify(JSON.parse(written), null, 2);
  } catch {
    return written;
  }
}
