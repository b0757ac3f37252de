import { duration } from "../text/amounts.ts";
import { oneLine, safeText } from "../text/safe-text.ts";
import { clipped } from "../text/width.ts";
import type { ChatIo } from "../settings.ts";
import type { CallNews, TurnListener } from "./listener.ts";

const longest = 200;

/** An answer in plain text as it comes; what happens beside it is told in a line each, elsewhere. */
export class LineListener implements TurnListener {
  readonly #io: ChatIo;
  readonly #calls = new Map<string, CallNews>();
  #thinkingSince: number | undefined;
  #isInLine = false;

  constructor(io: ChatIo) {
    this.#io = io;
  }

  thinking(): void {
    this.#thinkingSince ??= performance.now();
  }

  text(delta: string): void {
    this.#endThinking();
    if (delta === "") return;
    // A file gets what the model wrote; a terminal must not be given orders.
    this.#io.output.write(this.#io.output.isTTY ? safeText(delta) : delta);
    this.#isInLine = !delta.endsWith("\n");
  }

  textEnd(): void {
    if (this.#isInLine) this.#io.output.write("\n");
    this.#isInLine = false;
  }

  call(news: CallNews): void {
    const before = this.#calls.get(news.id);
    const call = { ...before, ...news };
    this.#calls.set(news.id, call);
    if (call.result !== undefined && isOver(call) && !(before && isOver(before) && before.result !== undefined))
      this.note(
        `${clipped(oneLine(`${call.name ?? "tool"} ${call.about ?? ""}`), longest)} -> ${clipped(oneLine(call.result), longest)}`,
      );
  }

  note(text: string): void {
    this.#endThinking();
    this.textEnd();
    this.#io.errors.write(`${safeText(text)}\n`);
  }

  end(): void {
    this.#endThinking();
    this.textEnd();
  }

  #endThinking(): void {
    const since = this.#thinkingSince;
    this.#thinkingSince = undefined;
    if (since !== undefined) this.note(`thought for ${duration(performance.now() - since)}`);
  }
}

const isOver = ({ state }: CallNews): boolean => state === "done" || state === "failed";
